package io.forebay.rig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** {@code forebay buffer --steps=socket}: step runners, and the commit that a pod ends with, are started by something else. */
class SocketStepsIT extends ApartTest {
    private final List<Process> others = new ArrayList<>();
    private String socket;

    @BeforeEach
    void socket() {
        assumeTrue(StepRunnerBinary.path().isPresent(), "left out: no step runner could be built");
        socket = rig.home().resolve("steps.sock").toString();
    }

    @AfterEach
    void endOthers() {
        for (var process : others) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    private Process worker() throws IOException {
        return apart.worker("a", "--steps=socket", "--socket", socket);
    }

    /** As a container's entry point. */
    private Process runner(String... args) throws IOException {
        var argv = new ArrayList<String>();
        argv.add(StepRunnerBinary.path().orElseThrow().toString());
        argv.addAll(List.of(args));
        argv.addAll(
                List.of("--socket", socket, "--token-file", apart.tokenFile().toString()));
        var log = Path.of(rig.home().toString(), "log-runner-" + others.size()).toFile();
        var builder = new ProcessBuilder(argv).redirectErrorStream(true).redirectOutput(log);
        builder.environment().put("WHO", "a");
        var process = builder.start();
        others.add(process);
        return process;
    }

    private static int end(Process process) throws InterruptedException {
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("it ends").isTrue();
        return process.exitValue();
    }

    @Test
    @DisplayName(
            "K1 steps run in runners that others started; commit has no answer until the last output is durable, then 0")
    void commitWaits() throws Exception {
        items(4);
        rig.job(script(waitIf("a", "go")), "  workers: {slots: 2}");
        var coordinator = apart.coordinator();
        var commit = runner("commit");
        var buffer = worker();
        var step = runner("step", stepName(), "--slots", "2");
        awaiting("its commands run", () -> ranBy("a").size() == 2);
        assertThat(commit.isAlive()).as("nothing is durable yet").isTrue();
        touch("go");

        assertThat(end(commit)).as(apart.printed()).isZero();
        assertEachPublishedOnce(4);
        var ofBuffer = rig.await(buffer);
        assertThat(ofBuffer.exit()).as(ofBuffer.all()).isZero();
        assertThat(rig.await(coordinator).exit()).isZero();
        assertThat(end(step)).as("its runner ends with the engine").isZero();
        assertThat(lines("ran")).hasSize(4);
    }

    @Test
    @DisplayName(
            "K1 SIGTERM to commit drains the worker first: it gets 143 when what was computed is durable, the rest goes on elsewhere")
    void commitDrains() throws Exception {
        items(6);
        rig.job(
                script("mkdir \"" + rig.home().resolve("first") + "\" 2> /dev/null || { " + waitIf("a", "never")
                        + "; }"),
                "  workers: {slots: 2}",
                "  retry: {item: 0}");
        var coordinator = apart.coordinator();
        var commit = runner("commit");
        var buffer = worker();
        runner("step", stepName(), "--slots", "2");
        awaiting(
                "one is done, two are being computed",
                () -> apart.completions().size() == 1 && ranBy("a").size() == 3);
        assertThat(commit.isAlive()).isTrue();
        signal(commit, "TERM");

        assertThat(end(commit)).as(apart.printed()).isEqualTo(143);
        var ofBuffer = rig.await(buffer);
        assertThat(ofBuffer.exit()).as(ofBuffer.all()).isEqualTo(143);
        assertThat(apart.completions()).hasSize(1);
        var done = finalNames().getFirst();
        var b = worker("b");
        var result = rig.await(coordinator);
        assertThat(result.exit()).as(result.all()).isZero();
        assertThat(rig.await(b).exit()).isZero();
        assertEachPublishedOnce(6);
        assertThat(ranBy("b")).as("what was done is not done again").hasSize(5).doesNotContain(done);
    }

    private static String stepName() {
        return "work";
    }
}
