package io.forebay.rig;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.sidecar.os.FileTree;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a killed run leaves in the buffer, and the next run of another job. */
class DeadBuffersIT extends RigTest {
    private JobRig other;

    @BeforeEach
    void openOther(@TempDir Path folder) {
        other = new JobRig(folder);
        other.input("x", "v");
        other.job("cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/\"");
        // The same disk: where shared memory is small the memory tier lies there too.
        other.environment("FOREBAY_DISK", rig.home().resolve("disk").toString());
    }

    @AfterEach
    void closeOther() throws Exception {
        other.close();
        for (var buffer : buffers()) {
            FileTree.delete(buffer.toString());
        }
        keepsBuffer = false;
    }

    /** Killed with all that it had started. */
    private void kill(Process run) throws Exception {
        var started = run.descendants().toList();
        run.destroyForcibly();
        assertThat(run.waitFor(10, TimeUnit.SECONDS)).isTrue();
        started.forEach(ProcessHandle::destroyForcibly);
        eventually("all of it is gone", () -> started.stream().noneMatch(ProcessHandle::isAlive));
    }

    /** As if it had been killed long ago. */
    private void age() throws Exception {
        var then = FileTime.from(Instant.now().minus(Duration.ofHours(1)));
        for (var buffer : buffers()) {
            try (var all = Files.walk(buffer)) {
                for (var file : all.toList()) {
                    Files.setLastModifiedTime(file, then);
                }
            }
        }
    }

    private void runUntilCommands(String script, String sign) throws Exception {
        rig.input("a", "v".repeat(100_000));
        rig.job(script, "  buffer: {tiers: [{medium: Memory, size: 64Mi}, {medium: Disk, size: 64Mi}]}");
        var run = rig.startRun();
        eventually("its command runs", () -> Files.exists(rig.home().resolve(sign)));
        kill(run);
        assertThat(buffers()).isNotEmpty();
    }

    @Test
    @DisplayName(
            "C9 what a killed run had fetched is removed by the next run of another job once it is silent, and told")
    void removed() throws Exception {
        runUntilCommands("echo on > \"" + rig.home().resolve("on") + "\"; sleep 100", "on");

        var soon = other.run();
        assertThat(soon.exit()).as(soon.all()).isZero();
        assertThat(buffers()).as("it may be taken up again").isNotEmpty();
        age();
        var late = other.run();

        assertThat(late.exit()).as(late.all()).isZero();
        assertThat(late.all()).contains("killed run").contains(rig.name());
        assertThat(buffers()).isEmpty();
    }

    @Test
    @DisplayName(
            "C9 results of a step that were not exported when a run was killed stay, however old: resume publishes them")
    void resultsStay() throws Exception {
        var gate = rig.home().resolve("gate");
        rig.input("a", "v");
        rig.job("", """
                  steps:
                  - {name: one, command: [sh, -c, 'echo ran >> "%1$s/ran"; cp "$FOREBAY_INPUT" "$FOREBAY_OUT/"']}
                  - {name: two, command: [sh, -c, 'echo on > "%1$s/on"; while [ ! -e "%2$s" ]; do sleep 0.1; done']}
                """.stripTrailing().formatted(rig.home(), gate));
        var run = rig.startRun();
        eventually("the second step runs", () -> Files.exists(rig.home().resolve("on")));
        kill(run);
        age();

        var result = other.run();

        assertThat(result.exit()).as(result.all()).isZero();
        assertThat(result.all()).doesNotContain(rig.name());
        assertThat(buffers()).isNotEmpty();
        Files.createFile(gate);
        var resumed = rig.command("resume", rig.home().resolve("job.yaml").toString());
        assertThat(resumed.exit()).as(resumed.all()).isZero();
        assertThat(rig.published()).containsEntry("a", "v");
    }

    @Test
    @DisplayName("C9 the buffer of a run that lives is left alone, however long it is silent")
    void livingStays() throws Exception {
        rig.input("a", "v");
        rig.job("echo on > \"" + rig.home().resolve("on") + "\"; while [ ! -e \""
                + rig.home().resolve("gate") + "\" ]; do sleep 0.1; done; cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/\"");
        var run = rig.startRun();
        eventually("its command runs", () -> Files.exists(rig.home().resolve("on")));
        age();

        var result = other.run();

        assertThat(result.exit()).as(result.all()).isZero();
        assertThat(result.all()).doesNotContain(rig.name());
        Files.createFile(rig.home().resolve("gate"));
        var ended = rig.await(run);
        assertThat(ended.exit()).as(ended.all()).isZero();
        assertThat(rig.published()).containsEntry("a", "v");
    }
}
