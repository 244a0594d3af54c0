package io.forebay.sidecar.step;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The runner that a local run keeps alive. */
class RunnerProcessTest {
    @TempDir
    Path folder;

    final List<String> notes = Collections.synchronizedList(new ArrayList<>());
    final StringBuffer shown = new StringBuffer();
    final List<RunnerProcess> runners = new ArrayList<>();
    Steps steps;

    @BeforeEach
    void open() throws IOException {
        steps = new Steps(
                folder, o -> o.withOutput((id, lines) -> shown.append(new String(lines, StandardCharsets.UTF_8))));
    }

    @AfterEach
    void close() throws InterruptedException {
        steps.close();
        runners.forEach(RunnerProcess::close);
        for (var r : runners) {
            var process = r.process();
            if (process != null) {
                assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
            }
        }
    }

    private RunnerProcess start(String token) {
        var runner = RunnerProcess.start(
                new RunnerProcess.Options(
                        RunnerProgram.program(), "s", 2, steps.socket, token, folder.resolve("lock"), true),
                notes::add);
        runners.add(runner);
        return runner;
    }

    @Test
    void runsCommandsAndEndsWithTheServer() throws Exception {
        var runner = start(Steps.TOKEN);
        assertThat(steps.run("echo hello; exit 3").exit()).isEqualTo(3);
        steps.heard.await("the line", () -> shown.toString().equals("[item-0] hello\n"));
        steps.server.close();
        assertThat(runner.process().waitFor()).isZero();
        assertThat(notes).isEmpty();
    }

    @Test
    void startsAKilledRunnerAgain() {
        var runner = start(Steps.TOKEN);
        var id = steps.sh("sleep 1000");
        steps.heard.awaitStarted(id);
        runner.process().destroyForcibly();
        assertThat(steps.heard.end(id).lost()).isTrue();
        assertThat(steps.run("exit 5").exit()).isEqualTo(5);
        assertThat(notes).containsExactly("the step runner of s died (signal 9); it is started again");
    }

    @Test
    void givesUpWhatCannotWorkAndSaysSo() {
        start("wrong");
        steps.heard.await("a note", () -> !notes.isEmpty());
        assertThat(notes.getFirst()).startsWith("the step runner of s cannot work (exit code 77 of ");
    }

    @Test
    void takesOverTheRunnerOfAnEarlierLife() throws Exception {
        var old = steps.runner("s", 2, "--lock", folder.resolve("lock").toString(), "--output", "engine");
        var id = steps.sh("while [ ! -e go ]; do sleep 0.01; done; exit 6");
        steps.heard.awaitStarted(id);
        steps.crash();
        steps.open();
        start(Steps.TOKEN); // as the next life does, not knowing
        steps.heard.awaitReattached(id);
        assertThat(steps.run("exit 1").exit()).isEqualTo(1);
        Files.createFile(folder.resolve("go"));
        assertThat(steps.heard.end(id).exit()).isEqualTo(6);
        assertThat(old.isAlive()).isTrue();
        old.destroyForcibly();
        var end = steps.run("exit 2");
        while (end.lost()) { // it was still sent to the old one
            end = steps.run("exit 2");
        }
        assertThat(end.exit()).isEqualTo(2);
        assertThat(notes).isEmpty();
    }
}
