package io.forebay.sidecar.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.api.v1alpha1.DataCounts;
import io.forebay.api.v1alpha1.ItemCounts;
import io.forebay.api.v1alpha1.Phase;
import io.forebay.message.JobEnd;
import io.forebay.message.MessageJson;
import io.forebay.sidecar.apart.OnSigterm;
import io.forebay.sidecar.local.JobEnds;
import io.forebay.sidecar.os.Posix;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TerminationMessageTest {
    private static final long BIG = Long.MAX_VALUE;

    @TempDir
    Path folder;

    private final StringWriter said = new StringWriter();

    private TerminationMessage at(Path file, OnSigterm onSigterm) {
        return new TerminationMessage(file, onSigterm, new PrintWriter(said, true));
    }

    /** With the largest figures there can be. */
    private static JobEnd end(String message) {
        return new JobEnd(
                143,
                Phase.CANCELLED,
                "InputUnavailable",
                message,
                new ItemCounts(BIG, BIG, BIG, BIG, BIG),
                new DataCounts(BIG, BIG, BIG, BIG, BIG, BIG, BIG, BIG, "2026-12-01T00:00:00Z"),
                BIG);
    }

    private static JobEnd read(byte[] json) throws Exception {
        assertThat(json.length).isLessThanOrEqualTo(TerminationMessage.MOST_BYTES);
        assertThat(new String(json, StandardCharsets.ISO_8859_1)).matches("\\p{ASCII}*");
        return MessageJson.MAPPER.readValue(json, JobEnd.class);
    }

    @Test
    @DisplayName("it is valid JSON of at most 2 KiB whatever is in the message, and wherever it is cut")
    void alwaysFits() throws Exception {
        var random = new Random(20261201);
        var alphabets = new String[] {
            "a", "\"\\", "\u0000\u001b\n", "\u00e9\u4e2d", "\ud83d\ude00", "\udcff\udc80", "a\ud83d\ude00\"\n\udcff"
        };
        for (var alphabet : alphabets) {
            for (int length = 0; length < 4000; length += 1 + random.nextInt(97)) {
                var text = new StringBuilder();
                while (text.length() < length) {
                    int at = alphabet.offsetByCodePoints(
                            0, random.nextInt(alphabet.codePointCount(0, alphabet.length())));
                    text.appendCodePoint(alphabet.codePointAt(at));
                }
                var back = read(TerminationMessage.json(end(text.toString()), TerminationMessage.MOST_BYTES));
                assertThat(back.withMessage("")).isEqualTo(end(""));
                assertThat(back.message().chars().filter(c -> c == '\ufffd')).isEmpty();
            }
        }
    }

    @Test
    void whatFitsIsWholeAndWhatIsCutSaysSo() throws Exception {
        var fits = "x".repeat(1000);
        assertThat(read(TerminationMessage.json(end(fits), TerminationMessage.MOST_BYTES))
                        .message())
                .isEqualTo(fits);
        var json = TerminationMessage.json(end("x".repeat(5000)), TerminationMessage.MOST_BYTES);
        assertThat(json.length).as("as much as there is room for").isEqualTo(TerminationMessage.MOST_BYTES);
        assertThat(read(json).message()).startsWith("xxx").endsWith("(cut; the log has all of it)");
        var pair = read(TerminationMessage.json(end("\ud83d\ude00".repeat(2000)), TerminationMessage.MOST_BYTES))
                .message();
        assertThat(pair.chars().filter(c -> Character.isSurrogate((char) c)).count() % 2)
                .isZero();
    }

    @Test
    @DisplayName(
            "kubelet's file is a mount: it is written in place, the last word counts and is shorter without remains")
    void inPlace() throws Exception {
        var file = Files.writeString(folder.resolve("termination-log"), "y".repeat(4000));
        long inode = Posix.lstat(file.toString()).inode();
        var message = at(file, OnSigterm.CANCEL);
        message.refused(new CliException(64, "NoInputs", "no input matches"));
        assertThat(read(Files.readAllBytes(file))).isEqualTo(JobEnds.unplanned(64, "NoInputs", "no input matches"));
        message.fault(new IllegalStateException("oh"));
        var last = read(Files.readAllBytes(file));
        assertThat(last.exitCode()).isEqualTo(70);
        assertThat(last.phase()).isEqualTo(Phase.FAILED);
        assertThat(last.reason()).isEqualTo("InternalFault");
        assertThat(Posix.lstat(file.toString()).inode()).isEqualTo(inode);
        assertThat(said.toString()).isEmpty();
    }

    @Test
    void sigtermIsNoCancelWhereItMeansSteppingDown() throws Exception {
        var file = folder.resolve("m");
        at(file, OnSigterm.STEP_DOWN).signalled(143, "t");
        assertThat(read(Files.readAllBytes(file)).phase()).isEqualTo(Phase.RUNNING);
        at(file, OnSigterm.STEP_DOWN).signalled(130, "t");
        assertThat(read(Files.readAllBytes(file)).phase()).isEqualTo(Phase.CANCELLED);
        at(file, OnSigterm.CANCEL).signalled(143, "t");
        assertThat(read(Files.readAllBytes(file)).phase()).isEqualTo(Phase.CANCELLED);
    }

    @Test
    void aFileThatCannotBeWrittenIsSaidAndChangesNothing() {
        at(folder.resolve("no/file"), OnSigterm.CANCEL).fault(new IllegalStateException("oh"));
        assertThat(said.toString())
                .contains("cannot write the termination message")
                .contains("no/file");
    }
}
