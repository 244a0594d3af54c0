package io.forebay.rig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.forebay.rig.JobRig.Result;
import io.forebay.sidecar.store.posix.FaultyFs;
import io.forebay.testing.ScriptedS3;
import io.forebay.testing.ScriptedS3.Answer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code forebay stage-in} and {@code forebay flush}, as scripts use them. */
class CopyIT extends RigTest {

    private Path folder() {
        return rig.home().resolve("copy");
    }

    private String[] with(ScriptedS3 s3, String command, String from, String to) {
        rig.environment("AWS_ACCESS_KEY_ID", "a").environment("AWS_SECRET_ACCESS_KEY", "b");
        return new String[] {command, "--endpoint", s3.endpoint().toString(), "--region", "us-east-1", from, to};
    }

    /** Names in the folder, hidden ones too. */
    private List<String> names() {
        var names = folder().toFile().list();
        return names == null ? List.of() : Stream.of(names).sorted().toList();
    }

    @Test
    @DisplayName(
            "D5 stage-in: what has the name stays until a whole file replaces it; a failed one leaves nothing, exit 65")
    void olderFileStays() throws Exception {
        Files.createDirectories(folder());
        Files.writeString(folder().resolve("b"), "older");
        try (var s3 = ScriptedS3.start("bucket")) {
            s3.objects().put("in/a", "va".getBytes());
            s3.objects().put("in/b", "vb".getBytes());
            s3.on(r -> r.is("GET", "in/b"), (r, good) -> Answer.error(403, "AccessDenied"));

            Result result = rig.command(with(s3, "stage-in", "s3://bucket/in/", folder().toString()));

            assertThat(result.exit()).as(result.all()).isEqualTo(65);
            assertThat(result.err()).contains("in/b").contains("403");
            assertThat(names()).containsExactly("a", "b");
            assertThat(folder().resolve("b")).hasContent("older");
            s3.behave();
            assertThat(rig.command(with(s3, "stage-in", "s3://bucket/in/", folder().toString()))
                            .exit())
                    .isZero();
            assertThat(folder().resolve("b")).hasContent("vb");
        }
    }

    @Test
    @DisplayName(
            "stage-in of in/ puts what lies below it into the folder, of in a folder of that name, and says so; of a file that file")
    void slashAtTheEnd() throws Exception {
        rig.input("a", "x");
        var in = rig.inputs().toString();

        var below = rig.command("stage-in", in + "/", folder() + "/1");
        var named = rig.command("stage-in", in, folder() + "/2");
        var file = rig.command("stage-in", in + "/a", folder() + "/3");

        assertThat(below.exit()).as(below.all()).isZero();
        assertThat(folder().resolve("1/a")).hasContent("x");
        assertThat(below.all()).doesNotContain("note:").contains("staged in: 1 file, 1 B; 0 failed");
        assertThat(named.exit()).as(named.all()).isZero();
        assertThat(folder().resolve("2/in/a")).hasContent("x");
        assertThat(named.err())
                .contains("note: " + in + " is a folder, and its files are below " + folder() + "/2/in; with " + in
                        + "/ they would be in " + folder() + "/2 itself");
        assertThat(file.all()).doesNotContain("note:");
        assertThat(folder().resolve("3/a")).hasContent("x");
    }

    @Test
    @DisplayName("where nothing matches, the slash that is missing, and the patterns, are named")
    void nothingMatches() throws Exception {
        rig.input("a", "x");
        var in = rig.inputs().toString();

        var slashless = rig.command("stage-in", "--include", "a", in, folder().toString());
        var pattern = rig.command("stage-in", "--include", "b", in + "/", folder().toString());
        var flushed = rig.command("flush", "--include", "b", in, folder().toString());

        assertThat(slashless.exit()).isEqualTo(65);
        assertThat(slashless.err()).contains("(in/...): write " + in + "/ to match what lies below it");
        assertThat(pattern.exit()).isEqualTo(65);
        assertThat(pattern.err()).contains("has no file that matches --include").doesNotContain("slash");
        assertThat(flushed.exit()).isEqualTo(65);
        assertThat(flushed.err()).contains("nothing to flush: of 1 files below " + in + " none matches --include b");
    }

    @Test
    @DisplayName(
            "D4 flush: one of several is denied: the others are there, exit 74, it is named, no open upload is left")
    void oneDenied() throws Exception {
        Files.createDirectories(folder());
        for (var name : List.of("a", "b")) {
            Files.write(folder().resolve(name), new byte[20 << 20]);
        }
        Files.writeString(folder().resolve("small"), "v");
        try (var s3 = ScriptedS3.start("bucket")) {
            s3.on(r -> r.isData("PUT") && r.key().endsWith("/b"), (r, good) -> Answer.error(403, "AccessDenied"));

            Result result = rig.command(with(s3, "flush", folder().toString(), "s3://bucket/out/"));

            assertThat(result.exit()).as(result.all()).isEqualTo(74);
            assertThat(result.err()).contains("/b").contains("403");
            assertThat(s3.objects().keys()).containsExactly("out/a", "out/small");
            assertThat(s3.objects().openUploads()).isEmpty();
        }
    }

    private Result cancelled(Process process, String signal) throws Exception {
        return cancelled(process, signal, Duration.ofSeconds(10));
    }

    private Result cancelled(Process process, String signal, Duration within) throws Exception {
        var kill = new ProcessBuilder("sh", "-c", "kill -" + signal + " " + process.pid()).start();
        assertThat(kill.waitFor(10, TimeUnit.SECONDS)).isTrue();
        long began = System.nanoTime();
        var result = rig.await(process);
        assertThat(Duration.ofNanos(System.nanoTime() - began)).as(result.all()).isLessThan(within);
        assertThat(result.all()).doesNotContain("\tat ").doesNotContainPattern("[A-Za-z]+Exception");
        return result;
    }

    @ParameterizedTest
    @CsvSource({"INT,130", "TERM,143"})
    @DisplayName("E2 a signal to stage-in: gone within 10 s, what is whole stays, what was begun is removed")
    void stageInCancelled(String signal, int code) throws Exception {
        try (var s3 = ScriptedS3.start("bucket")) {
            for (var name : List.of("a", "b", "c")) {
                s3.objects().put("in/" + name, new byte[20 << 20]);
            }
            s3.on(r -> r.is("GET", "in/b"), (r, good) -> good.answer(r).cut(1 << 20, Answer.Then.HANG));
            var process = rig.start(with(s3, "stage-in", "s3://bucket/in/", folder().toString()));
            eventually("two are whole and one is begun", () -> names().size() == 3 && names().contains("c"));

            var result = cancelled(process, signal);

            assertThat(result.exit()).as(result.all()).isEqualTo(code);
            assertThat(names()).containsExactly("a", "c");
            assertThat(result.all()).contains("SIG" + signal).contains("2 files");
        }
    }

    @Test
    @DisplayName("E2 SIGINT to stage-in while it lists: gone within 10 s")
    void listingCancelled() throws Exception {
        try (var s3 = ScriptedS3.start("bucket")) {
            s3.on(r -> true, (r, good) -> Answer.hang());
            var process = rig.start(with(s3, "stage-in", "s3://bucket/in/", folder().toString()));
            eventually("the list is asked for", () -> !s3.requests().isEmpty());

            assertThat(cancelled(process, "INT").exit()).isEqualTo(130);
            assertThat(names()).isEmpty();
        }
    }

    @Test
    @DisplayName("E2 SIGINT to flush while parts of a file are sent: exit 130, no object, no open upload")
    void flushCancelled() throws Exception {
        Files.createDirectories(folder());
        Files.write(folder().resolve("a"), new byte[40 << 20]);
        Files.writeString(folder().resolve("small"), "v");
        try (var s3 = ScriptedS3.start("bucket")) {
            s3.on(r -> r.isData("PUT"), (r, good) -> Answer.hang());
            var process = rig.start(with(s3, "flush", folder().toString(), "s3://bucket/out/"));
            eventually("a part is sent", () -> s3.count(r -> r.isData("PUT")) > 0);
            assertThat(s3.objects().openUploads()).hasSize(1);

            var result = cancelled(process, "INT");

            assertThat(result.exit()).as(result.all()).isEqualTo(130);
            assertThat(s3.objects().keys()).isEmpty();
            assertThat(s3.objects().openUploads()).isEmpty();
            s3.behave();
            assertThat(rig.command(with(s3, "flush", folder().toString(), "s3://bucket/out/"))
                            .exit())
                    .isZero();
            assertThat(s3.objects().keys()).containsExactly("out/a", "out/small");
        }
    }

    @Test
    @DisplayName(
            "E2 SIGINT to flush while a file system hangs: gone within 30 s, nothing at a final name, what may be left is told")
    void hungFlushCancelled() throws Exception {
        var missing = FaultyFs.missing();
        assumeTrue(missing.isEmpty(), () -> "left out: " + missing.orElse(""));
        Files.createDirectories(folder());
        Files.writeString(folder().resolve("a"), "v");
        try (var fs = FaultyFs.mount(rig.home())) {
            fs.tell("hang fsync");
            var process = rig.start("flush", folder().toString(), fs.root() + "/");
            eventually("it is written", () -> fs.backing().toFile().list().length > 0);

            var result = cancelled(process, "INT", Duration.ofSeconds(30));

            assertThat(result.exit()).as(result.all()).isEqualTo(130);
            assertThat(result.err()).contains("not removed in time").contains(".fb-");
            assertThat(fs.backing().resolve("a")).doesNotExist();
        }
    }

    /** By trying: what the file system says of itself needs its mount point, which a changed root hides. */
    private static boolean takesAttributes(Path folder) throws IOException {
        var probe = Files.createTempFile(folder, "probe", "");
        try {
            Files.getFileAttributeView(probe, UserDefinedFileAttributeView.class)
                    .write("probe", ByteBuffer.wrap(new byte[] {1}));
            return true;
        } catch (IOException e) {
            return false;
        } finally {
            Files.delete(probe);
        }
    }

    @Test
    @DisplayName("I6 stage-in into a folder without room: exit 74, no partial file, told with bytes needed and free")
    void folderFull() throws Exception {
        var small = Files.createDirectories(folder());
        var mount = new ProcessBuilder("mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", small.toString()).start();
        assumeTrue(
                mount.waitFor(10, TimeUnit.SECONDS) && mount.exitValue() == 0,
                "left out: a small file system needs root and mount(8)");
        try {
            var big = new byte[20_000_000];
            new Random(1).nextBytes(big); // zeros would take no room
            rig.input("small", "v").input("big", big);

            var result = rig.command("stage-in", rig.inputs() + "/", small.toString());

            assertThat(result.exit()).as(result.all()).isEqualTo(74);
            assertThat(result.err())
                    .contains("big: no space is left in " + small)
                    .contains("Needed: 20000000 bytes")
                    .contains("free: 8");
            assertThat(names()).containsExactly("small");
        } finally {
            new ProcessBuilder("umount", small.toString()).start().waitFor(10, TimeUnit.SECONDS);
        }
    }

    @Test
    @DisplayName("N6 flush of files with extended attributes: one warning that they are not carried over, exit 0")
    void attributesAreToldOnce() throws Exception {
        Files.createDirectories(folder());
        assumeTrue(
                takesAttributes(folder()),
                "left out: the file system of the temporary folder has no extended attributes");
        for (var name : List.of("a", "b", "plain")) {
            var file = Files.writeString(folder().resolve(name), "v");
            if (!name.equals("plain")) {
                Files.getFileAttributeView(file, UserDefinedFileAttributeView.class)
                        .write("origin", ByteBuffer.wrap("scanner".getBytes()));
            }
        }

        Result result = rig.command("flush", folder().toString(), rig.results() + "/");

        assertThat(result.exit()).as(result.all()).isZero();
        assertThat(rig.published()).containsOnlyKeys("a", "b", "plain");
        assertThat(result.err().lines().filter(l -> l.contains("user.origin"))).hasSize(1);
    }

    @Test
    @DisplayName(
            "flush to a folder within the one that is flushed: each file once, what lies there already is left alone")
    void destinationWithin() throws Exception {
        Files.createDirectories(folder().resolve("sub"));
        Files.writeString(folder().resolve("a"), "va");
        Files.writeString(folder().resolve("sub/b"), "vb");

        for (int round = 0; round < 2; round++) {
            var result = rig.command("flush", folder().toString(), folder().resolve("out") + "/");

            assertThat(result.exit()).as(result.all()).isZero();
            assertThat(result.all()).contains("2 files");
        }
        assertThat(Files.readString(folder().resolve("out/a"))).isEqualTo("va");
        assertThat(Files.readString(folder().resolve("out/sub/b"))).isEqualTo("vb");
        assertThat(folder().resolve("out/out")).doesNotExist();
    }

    @Test
    @DisplayName("flush of what is no folder: one plain line, exit 65")
    void noFolder() throws Exception {
        var missing = rig.command("flush", rig.home().resolve("nope").toString(), "file://" + rig.results() + "/");
        assertThat(missing.exit()).as(missing.all()).isEqualTo(65);
        assertThat(missing.err()).startsWith("forebay: there is no folder ").hasLineCount(1);
        rig.input("a", "x");
        var file = rig.command("flush", rig.inputs().resolve("a").toString(), "file://" + rig.results() + "/");
        assertThat(file.exit()).as(file.all()).isEqualTo(65);
        assertThat(file.err()).contains("is no folder").hasLineCount(1);
    }
}
