package io.forebay.sidecar.step;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Engine and runner die and come back, in each order. */
class StepReattachTest {
    @TempDir
    Path folder;

    Steps steps;

    @BeforeEach
    void open() throws IOException {
        steps = new Steps(folder, o -> o.withLostAfter(Duration.ofSeconds(3)));
    }

    @AfterEach
    void close() throws InterruptedException {
        steps.close();
    }

    private StepHost.CommandId untilFileAppears(String name, int exit) {
        var id = steps.sh("while [ ! -e " + name + " ]; do sleep 0.01; done; echo done; exit " + exit);
        steps.heard.awaitStarted(id);
        return id;
    }

    private void make(String name) throws IOException {
        Files.createFile(folder.resolve(name));
    }

    @Test
    @DisplayName("C1 commands go on while the engine is away; the next engine has them back, running or ended")
    void commandsSurviveTheEngine() throws IOException {
        steps.runner("s", 4);
        var ends = untilFileAppears("first", 5);
        var runs = untilFileAppears("second", 6);
        var old = steps.heard;
        steps.crash();
        make("first");
        old.await("the end in the log", () -> steps.log(ends).toFile().length() > 0);
        steps.open();
        steps.heard.awaitReattached(runs);
        assertThat(steps.heard.end(ends).exit()).isEqualTo(5);
        assertThat(steps.heard.end(ends).logTail()).isEqualTo("done\n");
        make("second");
        assertThat(steps.heard.end(runs).exit()).isEqualTo(6);
        assertThat(steps.heard.reattached()).contains(runs).hasSizeBetween(1, 2);
        assertThat(steps.heard.ends(ends)).hasSize(1);
    }

    @Test
    void anEndIsToldToEveryEngineUntilOneAcknowledgesIt() throws IOException {
        steps.runner("s", 4);
        var id = steps.sh("exit 9");
        for (int life = 0; life < 3; life++) {
            assertThat(steps.heard.end(id).exit()).isEqualTo(9);
            steps.crash();
            steps.open();
        }
        assertThat(steps.heard.end(id).exit()).isEqualTo(9);
        steps.server.acknowledge(id);
        var after = steps.run("exit 1"); // ACK came before this
        assertThat(after.exit()).isEqualTo(1);
        steps.crash();
        steps.open();
        steps.heard.await("the other one", () -> steps.heard.endCount() == 1);
        assertThat(steps.run("exit 2").exit()).isEqualTo(2);
        assertThat(steps.heard.ends(id)).isEmpty();
    }

    @Test
    void whatIsSubmittedAgainIsNotStartedAgain() throws IOException {
        steps.runner("s", 4);
        var runs = steps.id("s");
        var command = steps.command(runs, "sh", "-c", "echo started >> starts; while [ ! -e go ]; do sleep 0.01; done");
        steps.server.submit(command);
        steps.server.submit(command);
        steps.heard.awaitStarted(runs);
        steps.server.submit(command);
        steps.crash();
        steps.open();
        steps.server.submit(command); // before its runner is back
        steps.heard.awaitReattached(runs);
        steps.server.submit(command);
        make("go");
        assertThat(steps.heard.end(runs).success()).isTrue();
        steps.server.submit(command);
        assertThat(steps.run("true").success()).isTrue();
        assertThat(folder.resolve("starts")).hasContent("started");
        steps.server.acknowledge(runs);
        steps.server.submit(command); // and now it is new
        steps.heard.await("a second end", () -> steps.heard.ends(runs).size() == 2);
        assertThat(folder.resolve("starts")).hasContent("started\nstarted");
    }

    @Test
    void aKilledRunnerLosesWhatItHadAndItsSuccessorGoesOn() throws IOException {
        var runner = steps.runner("s", 1);
        var marker = "4713." + ProcessHandle.current().pid();
        var lost = steps.sh("setsid sleep " + marker + " & sleep " + marker);
        var waiting = steps.sh("exit 3");
        steps.heard.awaitStarted(lost);
        steps.heard.await("both", () -> Processes.withArgument(marker).size() == 2);
        runner.destroyForcibly();
        steps.heard.await(
                "its children to be gone", () -> Processes.withArgument(marker).isEmpty());
        steps.runner("s", 1);
        assertThat(steps.heard.end(lost).lost()).isTrue();
        assertThat(steps.heard.end(lost).problem()).contains("died");
        assertThat(steps.heard.end(waiting).exit()).isEqualTo(3);
    }

    @Test
    void aRunnerThatDoesNotComeBackLosesWhatItHadAfterAWhile() throws IOException {
        var runner = steps.runner("s", 1);
        var id = steps.sh("sleep 1000");
        steps.heard.awaitStarted(id);
        runner.destroyForcibly();
        assertThat(steps.heard.end(id).lost()).isTrue();
        assertThat(steps.heard.end(id).problem()).contains("gone for 3 s");
    }

    @Test
    void aKilledKeeperLosesItsCommandAlone() throws IOException {
        var runner = steps.runner("s", 2);
        var marker = "4714." + ProcessHandle.current().pid();
        var id = steps.sh("(trap '' HUP TERM; setsid sleep " + marker + ") & sleep " + marker);
        steps.heard.awaitStarted(id);
        steps.heard.await("both", () -> Processes.withArgument(marker).size() == 2);
        var keeper = runner.children().findFirst().orElseThrow();
        var other = steps.sh("while [ ! -e go ]; do sleep 0.01; done");
        steps.heard.awaitStarted(other);
        keeper.destroyForcibly();
        assertThat(steps.heard.end(id).lost()).isTrue();
        steps.heard.await(
                "its processes to be gone", () -> Processes.withArgument(marker).isEmpty());
        make("go");
        assertThat(steps.heard.end(other).success()).isTrue();
        steps.heard.await("no children", () -> runner.children().findAny().isEmpty());
    }

    @Test
    void recoverTellsEachOfItsCommandsOnce() throws IOException {
        var old = steps.runner("s", 4);
        var runs = untilFileAppears("go", 1);
        var ended = steps.sh("exit 2");
        steps.heard.end(ended);
        var never = steps.id("s");
        var otherStep = steps.id("other");
        steps.crash();
        steps.open();
        steps.server.recover(List.of(runs, ended, never, otherStep));
        assertThat(steps.heard.end(never).lost()).isTrue();
        assertThat(steps.heard.end(never).problem()).contains("come back without it");
        steps.heard.awaitReattached(runs);
        assertThat(steps.heard.end(ended).exit()).isEqualTo(2);
        assertThat(steps.heard.end(otherStep).lost()).isTrue();
        assertThat(steps.heard.end(otherStep).problem()).contains("no runner of step other has come back within 3 s");
        make("go");
        assertThat(steps.heard.end(runs).exit()).isEqualTo(1);
        assertThat(steps.heard.ends(runs)).hasSize(1);
        assertThat(old.isAlive()).isTrue();
    }

    @Test
    void whatARunnerBringsBackAndNobodyRecoversIsEndedAndGivesItsPlaceBack() throws IOException {
        steps.runner("s", 2);
        var wanted = untilFileAppears("go", 1);
        var marker = "4716." + ProcessHandle.current().pid();
        var unclaimed = steps.sh("sleep " + marker);
        steps.heard.awaitStarted(unclaimed);
        var over = steps.sh("exit 2");
        steps.heard.awaitStarted(wanted);
        steps.crash();
        steps.open();
        steps.server.recover(List.of(wanted));
        steps.heard.awaitReattached(wanted);
        steps.heard.await("it to be gone", () -> Processes.withArgument(marker).isEmpty());
        assertThat(steps.run("exit 3").exit()).as("the place of it is free").isEqualTo(3);
        assertThat(steps.heard.reattached()).doesNotContain(unclaimed, over);
        make("go");
        assertThat(steps.heard.end(wanted).exit()).isEqualTo(1);
        assertThat(steps.heard.ends(unclaimed)).isEmpty();
        assertThat(steps.heard.ends(over)).as("not told a second time").hasSizeLessThan(2);
    }

    @Test
    void whatCameBackBeforeTheWorkerSaidWhatItWantsIsEndedThen() throws IOException {
        steps.runner("s", 2);
        var marker = "4717." + ProcessHandle.current().pid();
        var unclaimed = steps.sh("sleep " + marker);
        steps.heard.awaitStarted(unclaimed);
        var ended = steps.sh("exit 2");
        assertThat(steps.heard.end(ended).exit()).isEqualTo(2);
        steps.crash();
        steps.open();
        steps.heard.awaitReattached(unclaimed);
        steps.server.recover(List.of());
        steps.heard.await("it to be gone", () -> Processes.withArgument(marker).isEmpty());
        assertThat(steps.run("exit 3").exit()).isEqualTo(3);
        assertThat(steps.run("exit 4").exit())
                .as("its place and that of the ended one are free")
                .isEqualTo(4);
    }

    @Test
    void aRecoveredCommandThatIsSubmittedAgainRunsOnlyIfItIsLost() throws IOException {
        var id = steps.id("s");
        steps.server.recover(List.of(id));
        steps.server.submit(steps.command(id, "sh", "-c", "exit 4"));
        steps.runner("s", 1);
        assertThat(steps.heard.end(id).exit()).isEqualTo(4);
        assertThat(steps.heard.ends(id)).hasSize(1);
    }

    @Test
    void theTerminatedRunnerPassesTheSignalOnTellsTheEndsAndGoes() throws Exception {
        var runner = steps.runner("s", 2);
        var id = steps.sh("trap 'exit 8' TERM; echo up; while :; do sleep 0.01; done");
        steps.heard.await("the trap", () -> steps.log(id).toFile().length() > 0);
        runner.destroy();
        var end = steps.heard.end(id);
        assertThat(end.exit()).isEqualTo(8);
        steps.server.acknowledge(id);
        assertThat(runner.waitFor(10, TimeUnit.SECONDS)).isTrue();
        assertThat(runner.exitValue()).isEqualTo(128 + 15);
    }

    @Test
    void aRunnerWithoutAnEngineGivesUpInTheEndAndStopsItsCommands() throws Exception {
        var runner = steps.runner("s", 2, "--wait", "1");
        var marker = "4715." + ProcessHandle.current().pid();
        var id = steps.sh("sleep " + marker);
        steps.heard.awaitStarted(id);
        steps.crash();
        assertThat(runner.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(runner.exitValue()).isEqualTo(69);
        assertThat(Processes.withArgument(marker)).isEmpty();
        assertThat(steps.said()).contains("no engine at " + steps.socket.path() + " for 1 s; stopping 1 commands");
    }

    @Test
    void aSecondRunnerInTheSameSeatWaitsUntilTheFirstIsGone() throws Exception {
        var first = steps.runner("s", 1);
        var id = untilFileAppears("go", 1);
        var second = steps.runner("s", 1);
        make("go");
        assertThat(steps.heard.end(id).exit()).isEqualTo(1);
        assertThat(second.isAlive()).isTrue();
        first.destroyForcibly();
        var end = steps.run("exit 2");
        while (end.lost()) { // it was still sent to the first
            end = steps.run("exit 2");
        }
        assertThat(end.exit()).isEqualTo(2);
    }

    @Test
    void twoSeatsOfAStepShareItsWork() throws IOException {
        steps.runner("s", 2, "--seat", "s-a");
        steps.runner("s", 2, "--seat", "s-b");
        var ids = new ArrayList<StepHost.CommandId>();
        for (int i = 0; i < 4; i++) {
            ids.add(steps.sh(
                    "echo up >> up; while [ ! -e go ]; do sleep 0.01; done; set -- $(cat /proc/$PPID/stat); echo $4"));
        }
        steps.heard.await("four at once", () -> steps.heard.started().containsAll(ids));
        make("go");
        Set<String> runners = new TreeSet<>();
        ids.forEach(id -> runners.add(steps.heard.end(id).logTail()));
        assertThat(runners).hasSize(2);
    }

    @Test
    void theLockKeepsASecondRunnerOutUntilNothingOfTheFirstIsAlive() throws Exception {
        var lock = folder.resolve("lock").toString();
        var first = steps.runner("s", 1, "--lock", lock);
        var id = steps.sh("sleep 1000");
        steps.heard.awaitStarted(id);
        var second = steps.runner("s", 1, "--lock", lock);
        assertThat(second.waitFor()).isEqualTo(75);
        first.destroyForcibly().waitFor();
        int code;
        Process third;
        do {
            third = steps.runner("s", 1, "--lock", lock);
            code = third.waitFor(500, TimeUnit.MILLISECONDS) ? third.exitValue() : 0;
        } while (code == 75);
        assertThat(steps.run("exit 2").exit()).isEqualTo(2);
        assertThat(steps.heard.end(id).lost()).isTrue();
    }

    @Test
    void aWrongTokenIsRefusedForGood() throws Exception {
        var token = Files.writeString(folder.resolve("token"), "wrong\n");
        var runner = steps.runner("s", 1, "--token-file", token.toString());
        assertThat(runner.waitFor()).isEqualTo(77);
        assertThat(steps.said()).contains("the engine refuses this runner: wrong token");
        assertThat(steps.notes).contains("a peer on the step socket showed a wrong token and was refused");
    }

    @Test
    @DisplayName(
            "C9 engine and runner killed at random: every command ends once or is told as lost, nothing stays behind")
    void randomKills() throws Exception {
        var seed = Long.getLong("forebay.seed", System.nanoTime());
        System.out.println("StepReattachTest.randomKills seed " + seed);
        var random = new java.util.Random(seed);
        var marker = "4716." + ProcessHandle.current().pid();
        var lock = folder.resolve("lock").toString();
        Process runner = steps.runner("s", 4, "--lock", lock);
        var open = new java.util.LinkedHashMap<StepHost.CommandId, String>();
        int ended = 0;
        for (int round = 0; round < 40; round++) {
            for (int i = 0; i < 3; i++) {
                var id = steps.id("s");
                var script = "sleep 0.0%d; : %s; echo %d > made-%d; exit %d"
                        .formatted(random.nextInt(10), marker, id.item(), id.item(), id.item() % 200);
                open.put(id, script);
                steps.server.submit(steps.command(id, "sh", "-c", script));
            }
            java.util.concurrent.locks.LockSupport.parkNanos(random.nextInt(50_000_000));
            switch (random.nextInt(3)) {
                case 0 -> {
                    steps.crash();
                    steps.open();
                    steps.server.recover(List.copyOf(open.keySet()));
                }
                case 1 -> {
                    runner.destroyForcibly().waitFor();
                    do {
                        runner = steps.runner("s", 4, "--lock", lock);
                    } while (runner.waitFor(100, TimeUnit.MILLISECONDS) && runner.exitValue() == 75);
                }
                default -> {}
            }
            for (var id : List.copyOf(open.keySet())) {
                var ends = steps.heard.ends(id);
                if (!ends.isEmpty() && random.nextBoolean()) {
                    ended += check(id, ends);
                    steps.server.acknowledge(id);
                    open.remove(id);
                }
            }
        }
        for (var id : open.keySet()) {
            steps.heard.end(id);
            ended += check(id, steps.heard.ends(id));
            steps.server.acknowledge(id);
        }
        assertThat(ended).isPositive();
        var last = runner;
        steps.heard.await("no children", () -> last.children().findAny().isEmpty());
        assertThat(Processes.withArgument(marker)).isEmpty();
    }

    private int check(StepHost.CommandId id, List<StepHost.End> ends) {
        assertThat(ends).as("%s", id).hasSize(1);
        var end = ends.getFirst();
        if (end.lost()) {
            return 0;
        }
        assertThat(end.signal()).as("%s %s", id, end).isZero();
        assertThat(end.exit()).isEqualTo((int) (id.item() % 200));
        assertThat(folder.resolve("made-" + id.item())).exists();
        return 1;
    }
}
