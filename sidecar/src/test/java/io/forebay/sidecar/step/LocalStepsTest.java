package io.forebay.sidecar.step;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.sidecar.step.StepHost.Command;
import io.forebay.sidecar.step.StepHost.CommandId;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The steps of `forebay run`. */
class LocalStepsTest {
    @TempDir
    Path folder;

    final Heard heard = new Heard();
    final List<String> notes = Collections.synchronizedList(new ArrayList<>());
    final StringBuffer shown = new StringBuffer();

    private LocalSteps open(Optional<Path> program) throws Exception {
        return LocalSteps.open(
                new LocalSteps.Plan(
                        program,
                        folder,
                        Steps.TOKEN,
                        Map.of("one", 2, "two", 1),
                        List.of(),
                        Duration.ofSeconds(1),
                        (id, lines) -> shown.append(new String(lines, java.nio.charset.StandardCharsets.UTF_8)),
                        notes::add),
                heard);
    }

    private Command command(long item, String step, String script) {
        return new Command(
                new CommandId(item, 1, 1, step),
                "item-" + item,
                List.of("sh", "-c", script),
                Map.of(),
                folder.toString(),
                List.of(),
                List.of(),
                folder + "/log" + item,
                Optional.empty());
    }

    private int run(StepHost steps, long item, String step, String script) {
        var c = command(item, step, script);
        steps.submit(c);
        return heard.end(c.id()).exit();
    }

    @Test
    void runsEachStepInARunnerOfItsOwn() throws Exception {
        try (var steps = open(Optional.of(RunnerProgram.program()))) {
            assertThat(run(steps, 1, "one", "echo hello; exit 3")).isEqualTo(3);
            assertThat(run(steps, 2, "two", "echo you; exit 4")).isEqualTo(4);
            heard.await(
                    "the lines",
                    () -> shown.toString().contains("[item-1] hello\n")
                            && shown.toString().contains("[item-2] you\n"));
            assertThat(ProcessHandle.current()
                            .children()
                            .filter(LocalStepsTest::isRunner)
                            .count())
                    .isEqualTo(2);
        }
        heard.await("no runner", () -> ProcessHandle.current().children().noneMatch(LocalStepsTest::isRunner));
        assertThat(notes).isEmpty();
    }

    private static boolean isRunner(ProcessHandle p) {
        return p.info().command().orElse("").contains("runner-static");
    }

    @Test
    void startsAKilledRunnerAgain() throws Exception {
        try (var steps = open(Optional.of(RunnerProgram.program()))) {
            var c = command(1, "one", "sleep 1000");
            steps.submit(c);
            heard.awaitStarted(c.id());
            var runner = ProcessHandle.current()
                    .children()
                    .filter(p ->
                            List.of(p.info().arguments().orElse(new String[0])).contains("one"))
                    .findFirst()
                    .orElseThrow();
            runner.destroyForcibly();
            assertThat(heard.end(c.id()).lost()).isTrue();
            assertThat(run(steps, 2, "one", "exit 5")).isEqualTo(5);
            assertThat(notes).containsExactly("the step runner of one died (signal 9); it is started again");
        }
    }

    @Test
    void runsWithoutTheProgramAndSaysWhatIsMissing() throws Exception {
        try (var steps = open(Optional.of(folder.resolve("absent")))) {
            assertThat(run(steps, 1, "one", "exit 3")).isEqualTo(3);
            assertThat(notes).containsExactly(InProcessRunner.MISSING);
        }
    }
}
