package io.forebay.rig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.forebay.sidecar.os.FileTree;
import io.forebay.testing.ScriptedS3;
import io.forebay.testing.ScriptedS3.Answer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Records that cannot be written any more while the job runs: said at once, waited for, and then a whole summary. */
class LostRecordsIT extends RigTest {
    private static final String CANNOT = "the records cannot be written: ";

    /** Each command waits for a file of the test's; what it leaves is its input, ten times. */
    private String script() {
        return "echo ran >> '" + rig.home().resolve("ran") + "'; while [ ! -e '"
                + rig.home().resolve("go")
                + "' ]; do sleep 0.05; done; for i in 0 1 2 3 4 5 6 7 8 9; do cat \"$FOREBAY_INPUT\"; done > \"$FOREBAY_OUT/$FOREBAY_NAME\"";
    }

    private void items(int count) {
        for (int i = 0; i < count; i++) {
            rig.input("f%02d".formatted(i), "value " + i);
        }
    }

    private void go() throws IOException {
        Files.writeString(rig.home().resolve("go"), "");
    }

    private String printed() {
        try {
            return Files.readString(rig.home().resolve("log-0.out"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void awaitRunning() {
        eventually("commands run", () -> {
            try {
                return lines("ran").size() >= 4;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    private static boolean command(String... command) throws Exception {
        var process = new ProcessBuilder(command).start();
        return process.waitFor(10, TimeUnit.SECONDS) && process.exitValue() == 0;
    }

    private static void mountSmall(Path folder) throws Exception {
        Files.createDirectories(folder);
        assumeTrue(
                command("mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", folder.toString()),
                "left out: a small file system needs root and mount(8)");
    }

    /** Uses up every byte of the file system that it lies on. */
    private static void fill(Path file) {
        try (OutputStream out = Files.newOutputStream(file)) {
            var block = new byte[4096];
            while (true) {
                out.write(block);
            }
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("No space left");
        }
    }

    private void assertEndsWithWholeSummary(JobRig.Result result, int outputs) throws IOException {
        assertThat(result.exit()).as(result.all()).isEqualTo(74);
        assertThat(result.out())
                .contains(CANNOT)
                .contains("NOT exported: " + outputs + " outputs")
                .contains("their data are kept in ")
                .contains("finish with: forebay resume")
                .contains("an output is not durable (exit 74)")
                .doesNotContain("are durable");
        var listed = result.out().replaceAll("(?s).*listed in (\\S+).*", "$1");
        assertThat(Files.readAllLines(Path.of(listed))).hasSize(outputs);
    }

    private void resumes() throws Exception {
        var ran = lines("ran").size();
        var resumed = rig.command("resume", rig.home().resolve("job.yaml").toString());
        assertThat(resumed.exit()).as(resumed.all()).isZero();
        assertThat(lines("ran")).as("what was computed is not run again").hasSize(ran);
        keepsBuffer = false;
    }

    @Test
    @DisplayName(
            "D2 C7 a full destination that holds the records too: said at once with what is needed, waited for, then 74 with the list and where the data are; resume finishes")
    void destinationAndRecordsFull() throws Exception {
        keepsBuffer = true;
        var small = rig.results();
        mountSmall(small);
        try {
            items(12);
            rig.job(script());
            var run = rig.startRun();
            awaitRunning();
            fill(small.resolve("filler"));
            go();
            eventually("it is said", () -> printed().contains(CANNOT));
            assertThat(printed())
                    .contains("ENOSPC")
                    .contains("Needed: ")
                    .contains("; free: ")
                    .contains("Free space")
                    .contains("within 60 s");

            assertEndsWithWholeSummary(rig.await(run), 12);

            Files.delete(small.resolve("filler"));
            resumes();
            assertThat(rig.published()).hasSize(12);
        } finally {
            rig.close();
            command("umount", small.toString());
        }
    }

    @Test
    @DisplayName(
            "the file system of the records is full for a while: said at once, and the run goes on when there is room, to 0")
    void recordsFullForAWhile() throws Exception {
        var small = rig.home().resolve("small");
        mountSmall(small);
        try {
            items(12);
            rig.job(script(), "  records: 'file://" + small + "/'");
            var run = rig.startRun();
            awaitRunning();
            fill(small.resolve("filler"));
            go();
            eventually("it is said", () -> printed().contains(CANNOT));
            Files.delete(small.resolve("filler"));

            var result = rig.await(run);

            assertThat(result.exit()).as(result.all()).isZero();
            assertThat(result.out()).contains("the run goes on").contains("all selected outputs are durable");
            assertThat(rig.published()).hasSize(12);
            var verified = rig.command("verify", rig.home().resolve("job.yaml").toString());
            assertThat(verified.exit()).as(verified.all()).isZero();
        } finally {
            rig.close();
            command("umount", small.toString());
        }
    }

    private void recordsIn(ScriptedS3 s3) {
        rig.environment("AWS_ACCESS_KEY_ID", "a").environment("AWS_SECRET_ACCESS_KEY", "b");
        rig.job(
                script(),
                "  stores: [{uri: 's3://bucket', endpoint: '" + s3.endpoint() + "', region: us-east-1}]",
                "  records: 's3://bucket/records/'");
    }

    @Test
    @DisplayName("records in S3 are refused with 403 for a while in mid-run: said at once, the run goes on, to 0")
    void refusedForAWhile() throws Exception {
        items(12);
        try (var s3 = ScriptedS3.start("bucket")) {
            recordsIn(s3);
            var run = rig.startRun();
            awaitRunning();
            s3.on(r -> true, (r, good) -> Answer.error(403, "AccessDenied"));
            go();
            eventually("it is said", () -> printed().contains(CANNOT));
            assertThat(printed()).contains("403");
            s3.behave();

            var result = rig.await(run);

            assertThat(result.exit()).as(result.all()).isZero();
            assertThat(rig.published()).hasSize(12);
        }
    }

    @Test
    @DisplayName(
            "C7 the bucket of the records is deleted in mid-run: waited for, then 74 with the list and where the data are")
    void bucketDeleted() throws Exception {
        keepsBuffer = true;
        items(12);
        try (var s3 = ScriptedS3.start("bucket")) {
            recordsIn(s3);
            var run = rig.startRun();
            awaitRunning();
            s3.on(r -> true, (r, good) -> Answer.error(404, "NoSuchBucket"));
            go();
            eventually("it is said", () -> printed().contains(CANNOT));

            assertEndsWithWholeSummary(rig.await(run), 12);

            s3.behave();
            resumes();
            assertThat(rig.published()).hasSize(12);
        }
    }

    @Test
    @DisplayName(
            "D2 C7 the records folder is removed in mid-run: 74 with the list, and the end names forebay run, for resume has nothing to go on from; run does the job")
    void folderRemoved() throws Exception {
        keepsBuffer = true;
        items(12);
        rig.job(script());
        var run = rig.startRun();
        awaitRunning();
        FileTree.delete(rig.records().toString());
        go();

        var result = rig.await(run);

        assertThat(result.exit()).as(result.all()).isEqualTo(74);
        assertThat(result.out())
                .contains(CANNOT)
                .contains("their data are kept in ")
                .contains("they are gone: without them, forebay run");
        var manifest = rig.home().resolve("job.yaml").toString();
        assertThat(rig.command("resume", manifest).all()).contains("has no records", "Start it with: forebay run");
        var again = rig.run();
        assertThat(again.exit()).as(again.all()).isZero();
        assertThat(rig.published()).hasSize(12);
        keepsBuffer = false;
    }

    @Test
    @DisplayName(
            "the records folder becomes read-only in mid-run: what is open goes on, all is durable and on record, exit 0, and what could not be told is named")
    void folderReadOnly() throws Exception {
        assumeTrue(
                command("setpriv", "--bounding-set=-dac_override,-dac_read_search", "true"),
                "left out: setpriv(1) cannot drop capabilities here");
        items(12);
        rig.startedBy("setpriv", "--bounding-set=-dac_override,-dac_read_search");
        rig.job(script());
        var run = rig.startRun();
        awaitRunning();
        Files.setPosixFilePermissions(rig.records(), PosixFilePermissions.fromString("r-xr-xr-x"));
        try {
            go();

            var result = rig.await(run);

            assertThat(result.exit()).as(result.all()).isZero();
            assertThat(result.out()).contains("denied").contains("12 of 12 items done");
        } finally {
            Files.setPosixFilePermissions(rig.records(), PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        var verified = rig.command("verify", rig.home().resolve("job.yaml").toString());
        assertThat(verified.exit()).as(verified.all()).isZero();
        assertThat(rig.command("resume", rig.home().resolve("job.yaml").toString())
                        .exit())
                .isZero();
    }
}
