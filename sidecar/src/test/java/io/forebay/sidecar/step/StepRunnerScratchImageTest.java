package io.forebay.sidecar.step;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.forebay.sidecar.os.PosixProcess;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** In a folder with nothing but the program: no shell, no /tmp, no /proc, no /dev. */
class StepRunnerScratchImageTest {
    @Test
    @DisplayName("K1 the program works in an image FROM scratch")
    void scratch(@TempDir Path root) throws Exception {
        assumeTrue(PosixProcess.euid() == 0, "only root can chroot");
        Files.copy(RunnerProgram.program(), root.resolve("forebay-step"));
        assumeTrue(
                Files.readString(Path.of("target/runner-static.log"), StandardCharsets.UTF_8)
                        .isEmpty(),
                "the program is not static here");
        try (var steps = new Steps(root)) {
            var runner = steps.start(List.of(
                    "chroot",
                    root.toString(),
                    "/forebay-step",
                    "step",
                    "s",
                    "--socket",
                    "/steps.sock",
                    "--slots",
                    "2",
                    "--token-file",
                    "-"));
            var id = steps.id("s");
            steps.server.submit(new StepHost.Command(
                    id,
                    "x",
                    List.of("/forebay-step", "commit"),
                    Map.of(),
                    "/",
                    List.of("/a"),
                    List.of("/b"),
                    "/log",
                    Optional.empty()));
            var end = steps.heard.end(id);
            assertThat(end.exit()).as(end.toString()).isEqualTo(64);
            assertThat(end.problem()).isEmpty();
            assertThat(root.resolve("log")).content().contains("usage: commit");
            assertThat(end.logTail()).contains("usage: commit");
            var missing = steps.id("s");
            steps.server.submit(new StepHost.Command(
                    missing, "x", List.of("sh"), Map.of(), "/", List.of(), List.of(), "/log", Optional.empty()));
            assertThat(steps.heard.end(missing).exit()).isEqualTo(127);
            assertThat(steps.notes).anyMatch(n -> n.contains("no /proc here"));
            var supervised = new ProcessBuilder(
                            "chroot", root.toString(), "/forebay-step", "supervise", "--", "/forebay-step")
                    .redirectErrorStream(true)
                    .redirectOutput(root.resolve("said").toFile())
                    .start();
            assertThat(supervised.waitFor()).isEqualTo(64);
            assertThat(runner.isAlive()).isTrue();
        }
    }
}
