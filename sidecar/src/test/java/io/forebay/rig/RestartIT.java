package io.forebay.rig;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.testing.Wait;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Killed, run again, run twice: what a second start of the same job does. */
class RestartIT extends RigTest {

    private void jobOf(int items, String script, String... spec) {
        for (int i = 0; i < items; i++) {
            rig.input("f%02d".formatted(i), "value " + i);
        }
        rig.job(script, spec);
    }

    /** Completion records, read as plain text. */
    private long recorded() throws IOException {
        long n = 0;
        try (var logs = Files.newDirectoryStream(rig.records(), "log-*")) {
            for (var log : logs) {
                n += Files.readAllLines(log, java.nio.charset.StandardCharsets.ISO_8859_1).stream()
                        .filter(l -> l.contains("\"t\":\"completed\""))
                        .count();
            }
        }
        return n;
    }

    @Test
    @DisplayName("C7 killed in the middle, resume runs only what is not done; once more: no command, exit 0")
    void resume() throws Exception {
        var ran = rig.home().resolve("ran");
        jobOf(
                24,
                "echo $FOREBAY_NAME >> \"" + ran + "\"; sleep 0.2; cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/\"",
                "  workers: {slots: 2}");
        var process = rig.startRun("--progress", "none");
        eventually("some items are done", () -> Files.exists(rig.results().resolve("f05")));
        process.destroyForcibly().waitFor();
        int before = lines("ran").size();
        long done = recorded();

        var manifest = rig.home().resolve("job.yaml").toString();
        var resumed = rig.command("resume", "--progress", "none", manifest);

        assertThat(resumed.exit()).as(resumed.all()).isZero();
        assertThat(rig.published()).hasSize(24);
        int after = lines("ran").size();
        assertThat(after).as("only what was not done ran again").isLessThanOrEqualTo((int) (before + 24 - done));
        assertThat(rig.command("resume", "--progress", "none", manifest).exit()).isZero();
        assertThat(lines("ran")).hasSize(after);
    }

    @Test
    @DisplayName(
            "C1 the engine under supervise is killed every second: the commands go on, exit 0, no done item runs again")
    void supervised() throws Exception {
        var runner = StepRunnerBinary.path();
        org.junit.jupiter.api.Assumptions.assumeTrue(runner.isPresent(), "left out: no step runner could be built");
        var ran = rig.home().resolve("ran");
        jobOf(
                30,
                "echo $FOREBAY_NAME >> \"" + ran + "\"; sleep 0.4; cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/\"",
                "  workers: {slots: 3}",
                "  retry: {item: 20}");
        var line = new java.util.ArrayList<>(
                java.util.List.of(runner.get().toString(), "supervise", "--max-restarts-per-minute", "60", "--"));
        line.addAll(rig.java());
        line.addAll(java.util.List.of(
                "run", "--progress", "none", rig.home().resolve("job.yaml").toString()));
        var log = rig.home().resolve("supervise.log").toFile();
        var supervise = new ProcessBuilder(line)
                .redirectErrorStream(true)
                .redirectOutput(log)
                .start();
        try {
            for (int kill = 0; kill < 5 && supervise.isAlive(); kill++) {
                supervise.waitFor(2000, TimeUnit.MILLISECONDS);
                supervise
                        .children()
                        .filter(c -> c.info().command().orElse("").endsWith("java"))
                        .forEach(ProcessHandle::destroyForcibly);
            }
            assertThat(supervise.waitFor(90, TimeUnit.SECONDS)).as("ends").isTrue();
            assertThat(supervise.exitValue()).as(Files.readString(log.toPath())).isZero();
        } finally {
            supervise.descendants().forEach(ProcessHandle::destroyForcibly);
            supervise.destroyForcibly();
        }
        assertThat(rig.published()).hasSize(30);
        assertThat(lines("ran").size()).as("commands survive the engine").isLessThanOrEqualTo(30 + 5 * 3);
    }

    @Test
    @DisplayName(
            "R1 the first attempt is killed after half its outputs: in the end all of the second attempt, WORK and OUT were emptied")
    void secondAttempt() throws Exception {
        var marker = rig.home().resolve("marker");
        rig.input("a", "x");
        rig.job("""
                if [ ! -e "%1$s" ]; then touch "%1$s"; for i in 1 2 3; do echo first > "$FOREBAY_OUT/$i"; done; echo w > "$FOREBAY_WORK/left"; kill -9 $$$$; fi
                [ ! -e "$FOREBAY_WORK/left" ] || exit 5
                for i in 3 4 5; do echo second > "$FOREBAY_OUT/$i"; done
                """.formatted(marker));

        var result = rig.run();

        assertThat(result.exit()).as(result.all()).isZero();
        assertThat(rig.published())
                .containsOnly(
                        java.util.Map.entry("3", "second\n"),
                        java.util.Map.entry("4", "second\n"),
                        java.util.Map.entry("5", "second\n"));
    }

    @Test
    @DisplayName(
            "R4 a second job of the same name while the first runs is refused naming the first one's start and place, exit 64")
    void twice() throws Exception {
        jobOf(2, "sleep 5; cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/\"");
        var first = rig.startRun("--progress", "none");
        eventually("the first has begun", () -> Files.isDirectory(rig.records()));

        var second = rig.run("--progress", "none");

        assertThat(second.exit()).as(second.all()).isEqualTo(64);
        assertThat(second.err()).contains(rig.name()).contains(Long.toString(first.pid()));
        assertThat(rig.await(first).exit()).isZero();
    }

    @Test
    @DisplayName("R5 after one input got other bytes of equal size that item alone runs again; with --fresh all do")
    void changedInput() throws Exception {
        var ran = rig.home().resolve("ran");
        jobOf(4, "echo $FOREBAY_NAME >> \"" + ran + "\"; cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/\"");
        assertThat(rig.run().exit()).isZero();
        rig.input("f02", "VALUE 2");

        assertThat(rig.run().exit()).isZero();
        assertThat(lines("ran")).hasSize(5).last().isEqualTo("f02");
        assertThat(rig.published()).containsEntry("f02", "VALUE 2");

        assertThat(rig.run("--fresh").exit()).isZero();
        assertThat(lines("ran")).hasSize(9);
    }

    @Test
    @DisplayName("C3 the machine's buffers are gone: done items are not run again, all others are")
    void buffersGone() throws Exception {
        var ran = rig.home().resolve("ran");
        jobOf(
                16,
                "echo $FOREBAY_NAME >> \"" + ran + "\"; sleep 0.3; cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/\"",
                "  workers: {slots: 2}");
        var process = rig.startRun("--progress", "none");
        // Not by a name: any item may be the first.
        eventually("some items are on record", () -> {
            try {
                return Files.isDirectory(rig.records()) && recorded() >= 4;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly().waitFor();
        Wait.until(
                "runners are gone",
                Duration.ofSeconds(10),
                () -> process.descendants().findAny().isEmpty());
        for (var buffer : buffers()) {
            io.forebay.sidecar.os.FileTree.delete(buffer.toString());
        }
        int before = lines("ran").size();
        long done = recorded();

        var result = rig.run();

        assertThat(result.exit()).as(result.all()).isZero();
        assertThat(rig.published()).hasSize(16);
        assertThat(done).isPositive();
        assertThat(lines("ran").size()).as("only what was not done ran again").isLessThanOrEqualTo((int)
                (before + 16 - done));
    }
}
