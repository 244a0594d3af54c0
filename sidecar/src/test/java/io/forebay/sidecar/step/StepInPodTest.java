package io.forebay.sidecar.step;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A runner with {@code --ended}: a container that kubelet starts again whenever it ends, and that those behind it need alive. */
class StepInPodTest {
    @TempDir
    Path folder;

    Steps steps;

    @BeforeEach
    void open() throws IOException {
        steps = new Steps(folder);
    }

    @AfterEach
    void close() throws InterruptedException {
        steps.stopProcesses(); // they would outlive the engine
        steps.close();
    }

    private Process runner(String... more) throws IOException {
        var all = new ArrayList<>(List.of("--ended", folder + "/ended"));
        all.addAll(List.of(more));
        var runner = steps.runner("s", 2, all.toArray(String[]::new));
        assertThat(steps.run("true").success()).isTrue();
        return runner;
    }

    private void engineEnded() throws IOException {
        Files.writeString(folder.resolve("ended.new"), "75\n");
        Files.move(folder.resolve("ended.new"), folder.resolve("ended"));
    }

    private int terminated(Process runner) throws InterruptedException {
        runner.destroy();
        assertThat(runner.waitFor(10, TimeUnit.SECONDS)).isTrue();
        return runner.exitValue();
    }

    @Test
    @DisplayName("K1 an engine that ends leaves the runner alive, without its commands, and the next engine is served")
    void outlivesTheEngine() throws Exception {
        var runner = runner();
        var marker = "4718." + ProcessHandle.current().pid();
        var running = steps.sh("exec sleep " + marker);
        steps.heard.awaitStarted(running);
        steps.server.close();
        assertThat(Processes.withArgument(marker)).isEmpty();
        steps.open();
        assertThat(steps.run("exit 3").exit()).isEqualTo(3);
        assertThat(steps.heard.ends(running)).as("forgotten").isEmpty();
        assertThat(runner.isAlive()).isTrue();
        assertThat(terminated(runner)).isEqualTo(128 + 15);
    }

    @Test
    @DisplayName("K1 when the engine has ended for good the runner stops what runs, and waits to be told to end")
    void waitsAtTheEnd() throws Exception {
        var runner = runner("--wait", "1");
        var marker = "4719." + ProcessHandle.current().pid();
        steps.heard.awaitStarted(steps.sh("exec sleep " + marker));
        steps.crash();
        engineEnded();
        steps.heard.await(
                "its command is stopped", () -> Processes.withArgument(marker).isEmpty());
        assertThat(runner.waitFor(2, TimeUnit.SECONDS))
                .as("whatever --wait says")
                .isFalse();
        assertThat(steps.said()).contains("the engine has ended for good");
        assertThat(terminated(runner)).as("nothing was cut off").isZero();
    }

    @Test
    void servesAnEngineThatComesAfterAll() throws Exception {
        var runner = runner();
        steps.crash();
        engineEnded();
        steps.heard.await("it hears", () -> steps.said().contains("the engine has ended for good"));
        Files.delete(folder.resolve("ended"));
        steps.open();
        assertThat(steps.run("exit 4").exit()).isEqualTo(4);
        assertThat(runner.isAlive()).isTrue();
    }

    @Test
    void withoutAnEndItEndsAfterItsPatience() throws Exception {
        var runner = runner("--wait", "1");
        steps.crash();
        assertThat(runner.waitFor(10, TimeUnit.SECONDS)).isTrue();
        assertThat(runner.exitValue()).isEqualTo(69);
    }

    @Test
    void cutOffWhileACommandRunsItSaysSo() throws Exception {
        var runner = runner();
        steps.heard.awaitStarted(steps.sh("sleep 1000"));
        engineEnded();
        assertThat(terminated(runner)).isEqualTo(128 + 15);
    }
}
