package io.forebay.sidecar.step;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.sidecar.step.StepHost.Command;
import io.forebay.sidecar.step.StepHost.CommandId;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The fallback where there is no C compiler: the same contract, less what {@link InProcessRunner#MISSING} says. */
class InProcessRunnerTest {
    @TempDir
    Path folder;

    final Heard heard = new Heard();
    final List<String> notes = Collections.synchronizedList(new ArrayList<>());
    final StringBuffer shown = new StringBuffer();
    InProcessRunner runner;
    long items;

    @BeforeEach
    void open() {
        runner = new InProcessRunner(
                folder.toString(),
                Map.of("s", 3),
                heard,
                Duration.ofMillis(500),
                (id, lines) -> shown.append(new String(lines, StandardCharsets.UTF_8)),
                notes::add);
    }

    @AfterEach
    void close() {
        runner.close();
    }

    private Command command(String... argv) {
        var id = new CommandId(items++, 1, 1, "s");
        return new Command(
                id,
                "item",
                List.of(argv),
                Map.of("A", "b"),
                folder.toString(),
                List.of(),
                List.of(),
                folder + "/log" + id.item(),
                Optional.empty());
    }

    private CommandId sh(String script) {
        var c = command("sh", "-c", script);
        runner.submit(c);
        return c.id();
    }

    private StepHost.End run(String script) {
        return heard.end(sh(script));
    }

    @Test
    void runsAndTellsTheEnd() throws Exception {
        assertThat(notes).containsExactly(InProcessRunner.MISSING);
        var id = sh("echo $A; echo err >&2; printf rest; exit 3");
        var end = heard.end(id);
        assertThat(end.exit()).isEqualTo(3);
        assertThat(end.signal()).isZero();
        assertThat(end.logTail()).isEqualTo("b\nerr\nrest");
        assertThat(folder.resolve("log0")).hasContent("b\nerr\nrest");
        assertThat(shown).asString().isEqualTo("[item] b\n[item] err\n[item] rest\n");
        assertThat(heard.started()).containsExactly(id);
        assertThat(run("kill -9 $$").signal()).isEqualTo(9);
    }

    @Test
    void saysWhyAProgramCannotBeStarted() throws Exception {
        var missing = command("no-such-program");
        runner.submit(missing);
        assertThat(heard.end(missing.id()).exit()).isEqualTo(127);
        Files.writeString(folder.resolve("text"), "x");
        var denied = command("./text");
        runner.submit(denied);
        assertThat(heard.end(denied.id()).exit()).isEqualTo(126);
        var bytes = command("echo", "\udcff");
        runner.submit(bytes);
        assertThat(heard.end(bytes.id()).exit()).isEqualTo(126);
        assertThat(heard.end(bytes.id()).problem()).contains("not UTF-8");
        var script = Files.writeString(folder.resolve("script"), "#!/bin/sh\nexit 7\n");
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
        var here = command("./script");
        runner.submit(here);
        assertThat(heard.end(here.id()).exit()).isEqualTo(7);
    }

    @Test
    void stopsQueuedPoliteAndDeafCommands() {
        var marker = "4719." + ProcessHandle.current().pid();
        var polite = sh("trap 'exit 7' TERM; echo; while :; do sleep 0.01; done");
        var deaf = sh("trap '' TERM; (trap '' TERM; sleep " + marker + ") & echo; while :; do sleep 0.01; done");
        heard.await(
                "the traps",
                () -> folder.resolve("log0").toFile().length() > 0
                        && folder.resolve("log1").toFile().length() > 0);
        heard.await("the child", () -> !Processes.withArgument(marker).isEmpty());
        sh("sleep 1000");
        var queued = sh("touch never");
        runner.stop(queued, Duration.ZERO);
        assertThat(heard.end(queued).signal()).isEqualTo(15);
        runner.stop(polite, Duration.ofSeconds(30));
        assertThat(heard.end(polite).exit()).isEqualTo(7);
        runner.stop(deaf, Duration.ofMillis(300));
        assertThat(heard.end(deaf).signal()).isEqualTo(9);
        heard.await("its child to be gone", () -> Processes.withArgument(marker).isEmpty());
        assertThat(folder.resolve("never")).doesNotExist();
    }

    @Test
    void endsWhatACommandLeft() {
        var marker = "4720." + ProcessHandle.current().pid();
        var end = run("sleep " + marker + " & sleep 0.5");
        assertThat(end.success()).isTrue();
        assertThat(end.problem()).contains("ended 1 processes");
        heard.await("it to be gone", () -> Processes.withArgument(marker).isEmpty());
    }

    @Test
    void keepsTheFirstAndTheLastOfALongOutput() throws Exception {
        var id = sh("seq -f %015.0f 1 200000");
        assertThat(heard.end(id).logTail()).hasSize(8192).endsWith("000000000200000\n");
        var log = Files.readString(folder.resolve("log0"));
        assertThat(log)
                .hasSizeLessThan(1024 * 1024 + 100)
                .startsWith("000000000000001\n")
                .endsWith("000000000200000\n");
        assertThat(log).contains("[... %d bytes left out ...]".formatted(200_000 * 16 - 1024 * 1024));
    }

    @Test
    void knowsWhatItHasUntilItIsAcknowledged() {
        var c = command("sh", "-c", "echo x >> starts");
        runner.submit(c);
        runner.submit(c);
        heard.end(c.id());
        runner.submit(c);
        assertThat(run("exit 1").exit()).isEqualTo(1);
        assertThat(folder.resolve("starts")).hasContent("x");
        var old = new CommandId(99, 1, 1, "s");
        runner.recover(List.of(old, c.id()));
        assertThat(heard.end(old).lost()).isTrue();
        assertThat(heard.ends(c.id())).hasSize(1);
    }

    @Test
    void looksAtLeasesItself() throws Exception {
        var file = Files.createFile(folder.resolve("f"));
        var id = new CommandId(0, 1, 1, "s");
        assertThat(runner.isUnwritten(id, file.toString()).get()).isTrue();
        try (var out = Files.newOutputStream(file)) {
            assertThat(runner.isUnwritten(id, file.toString()).get())
                    .as("%s", out)
                    .isFalse();
        }
        assertThat(runner.isUnwritten(id, folder + "/absent").get()).isFalse();
        var work = Files.createDirectories(folder.resolve("work/a")).getParent();
        runner.clean(id, List.of(work.toString())).get();
        assertThat(work).isEmptyDirectory();
        runner.handOver(id, List.of(work.toString()), folder + "/modes").get();
    }

    @Test
    void killsWhatAnEarlierLifeLeft() {
        var marker = "4722." + ProcessHandle.current().pid();
        var left = sh("sleep " + marker);
        heard.awaitStarted(left);
        heard.await("it", () -> !Processes.withArgument(marker).isEmpty());
        var next = new InProcessRunner(
                folder.toString(), Map.of(), new Heard(), Duration.ZERO, (id, lines) -> {}, notes::add);
        assertThat(Processes.withArgument(marker)).isEmpty();
        assertThat(notes).hasSize(2);
        next.close();
    }

    @Test
    void closingEndsAll() {
        var marker = "4721." + ProcessHandle.current().pid();
        var runs = sh("sleep " + marker);
        sh("sleep " + marker);
        sh("sleep " + marker);
        var queued = sh("true");
        heard.await("three", () -> Processes.withArgument(marker).size() == 3);
        runner.close();
        assertThat(heard.end(runs).signal()).isEqualTo(15);
        assertThat(heard.end(queued).lost()).isTrue();
        assertThat(Processes.withArgument(marker)).isEmpty();
    }
}
