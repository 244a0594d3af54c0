package io.forebay.rig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.forebay.testing.ScriptedS3;
import io.forebay.testing.ScriptedS3.Answer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Somebody was at the records, or the buffer is not where it was: said, with what to do. */
class DamagedRecordsIT extends RigTest {
    private void done() throws Exception {
        for (int i = 0; i < 3; i++) {
            rig.input("f" + i, "value " + i);
        }
        rig.job("echo $FOREBAY_NAME >> \"" + rig.home().resolve("ran") + "\"; cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/\"");
        var first = rig.run();
        assertThat(first.exit()).as(first.all()).isZero();
    }

    private Path log() {
        return rig.records().resolve("log-000001.jsonl");
    }

    @Test
    @DisplayName("C4 the first claim is missing, its log is there: refused with what to do, and that helps")
    void claimIsMissing() throws Exception {
        done();
        Files.delete(rig.records().resolve("generation-000001"));

        var refused = rig.run();

        assertThat(refused.exit()).as(refused.all()).isEqualTo(75);
        assertThat(refused.all())
                .contains("generation-000001 is missing, although")
                .contains("Restore it from a copy")
                .contains("aside");
        Files.move(rig.records(), rig.home().resolve("aside"));
        assertThat(rig.run().exit()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"emptied", "deleted", "cut"})
    @DisplayName("C4 the log was emptied, deleted, cut: done items run again, and that records were lost is said")
    void logIsShort(String how) throws Exception {
        done();
        switch (how) {
            case "emptied" -> Files.write(log(), new byte[0]);
            case "deleted" -> Files.delete(log());
            default -> {
                try (var channel = Files.newByteChannel(log(), StandardOpenOption.WRITE)) {
                    channel.truncate(channel.size() / 2);
                }
            }
        }

        var again = rig.run();

        assertThat(again.exit()).as(again.all()).isZero();
        assertThat(again.all()).contains("records were lost: ").contains("log-000001.jsonl has ");
        assertThat(rig.published()).hasSize(3);
        var quiet = rig.run();
        assertThat(quiet.all()).as("said once").doesNotContain("records were lost");
    }

    @Test
    @DisplayName("what nobody touched is not told")
    void whole() throws Exception {
        done();
        assertThat(rig.run().all()).doesNotContain("records were lost");
        assertThat(lines("ran")).hasSize(3);
    }

    @Test
    @DisplayName(
            "B6 a start that is refused, since the second tier's file system is too small, leaves no folder of either")
    void refusedStart() throws Exception {
        var small = Files.createDirectories(rig.home().resolve("small"));
        var mount = new ProcessBuilder("mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", small.toString()).start();
        assumeTrue(
                mount.waitFor(10, TimeUnit.SECONDS) && mount.exitValue() == 0,
                "left out: a small file system needs root and mount(8)");
        try {
            rig.input("f", "x");
            rig.job("true", "  buffer: {tiers: [{medium: Memory, size: 64Mi}, {medium: Disk, size: 128Mi}]}");

            var refused = rig.run("--disk", small.toString());

            assertThat(refused.exit()).as(refused.all()).isEqualTo(75);
            assertThat(buffers()).isEmpty();
            assertThat(small).isEmptyDirectory();
        } finally {
            new ProcessBuilder("umount", small.toString()).start().waitFor(10, TimeUnit.SECONDS);
        }
    }

    @Test
    @DisplayName(
            "B5 a run with --disk keeps outputs and says how to find them again; resume without it says where they are")
    void otherDisk() throws Exception {
        keepsBuffer = true;
        var other = Files.createDirectories(rig.home().resolve("other"));
        rig.input("f", "x");
        rig.environment("AWS_ACCESS_KEY_ID", "a").environment("AWS_SECRET_ACCESS_KEY", "b");
        try (var s3 = ScriptedS3.start("bucket")) {
            rig.job(
                    "cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/\"",
                    "  stores: [{uri: 's3://bucket', endpoint: '" + s3.endpoint() + "', region: us-east-1}]",
                    "  outputs: [{name: out, path: '**', to: 's3://bucket/out/'}]",
                    "  records: file://" + rig.results() + "/.forebay/",
                    "  buffer: {tiers: [{medium: Disk, size: 128Mi}]}");
            s3.on(
                    r -> !r.method().equals("GET") && r.key().startsWith("out/"),
                    (r, good) -> Answer.error(403, "AccessDenied"));
            var first = rig.run("--disk", other.toString());
            assertThat(first.exit()).as(first.all()).isEqualTo(74);
            assertThat(first.all()).contains("resume with: --disk " + other);
            s3.behave();

            var resumed = rig.command("resume", rig.home().resolve("job.yaml").toString());

            assertThat(resumed.exit()).as(resumed.all()).isZero();
            assertThat(resumed.all())
                    .contains("an earlier run keeps outputs in " + other)
                    .contains("forebay resume --disk " + other);
            keepsBuffer = false;
        }
    }
}
