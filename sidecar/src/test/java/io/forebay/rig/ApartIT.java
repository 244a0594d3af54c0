package io.forebay.rig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.forebay.sidecar.store.posix.FaultyFs;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** {@code forebay coordinator} and {@code forebay buffer}: one coordinator and two workers, each a process of its own, on one machine. */
class ApartIT extends ApartTest {
    @Test
    @DisplayName(
            "a coordinator and two workers carry 60 items: each output published once, recorded once, all end with 0")
    void twoWorkers() throws Exception {
        items(60);
        rig.job(script("sleep 0.1"), "  workers: {slots: 2}");
        var coordinator = apart.coordinator();
        awaiting("it is ready", () -> apart.get("/readyz", "").equals("200\nready\n"));
        assertThat(apart.get("/healthz", "")).isEqualTo("200\nok\n");
        assertThat(apart.get("/status", "guess")).startsWith("403");
        assertThat(apart.get("/status", ApartRig.TOKEN)).startsWith("200").contains("\"items\":60");
        assertThat(apart.get("/metrics", ApartRig.TOKEN)).contains("\nforebay_items 60\n");
        var a = worker("a");
        var b = worker("b");

        var result = rig.await(coordinator);
        var ofA = rig.await(a);
        var ofB = rig.await(b);

        assertThat(result.exit()).as(result.all() + ofA.all() + ofB.all()).isZero();
        assertThat(ofA.exit()).as(ofA.all()).isZero();
        assertThat(ofB.exit()).as(ofB.all()).isZero();
        assertEachPublishedOnce(60);
        assertThat(lines("ran")).hasSize(60);
        assertThat(ranBy("a")).as("both had a part").isNotEmpty();
        assertThat(ranBy("b")).as("both had a part").isNotEmpty();
        assertThat(result.out()).contains("60 of 60 items done").contains("all selected outputs are durable");
        assertThat(result.all() + ofA.all() + ofB.all())
                .as("the token is nowhere to be read")
                .doesNotContain(ApartRig.TOKEN);
    }

    @Test
    @DisplayName("/status and /metrics show what all workers have moved, and how full their buffers are")
    void figures() throws Exception {
        items(6);
        rig.job(script(waitIf("a", "go") + "; " + waitIf("b", "go")), BOTH_STAY);
        var coordinator = apart.lease("3s").coordinator();
        var a = worker("a");
        var b = worker("b");
        awaiting("both compute", () -> !ranBy("a").isEmpty() && !ranBy("b").isEmpty());
        awaiting(
                "it is summed up",
                () -> apart.get("/status", ApartRig.TOKEN)
                        .matches("(?s).*\"bytesStaged\":[1-9].*\"bufferUsed\":[1-9].*\"bufferSize\":" + (2L * 256 << 20)
                                + "\\D.*"));
        assertThat(apart.get("/metrics", ApartRig.TOKEN))
                .containsPattern("\nforebay_staged_bytes_total [1-9]")
                .containsPattern("\nforebay_buffer_used_bytes [1-9]");
        var status = rig.command("status", apart.manifest().toString());
        assertThat(status.out())
                .as("of the records")
                .contains("0 of 6 items done")
                .contains("6 files, 42 B");
        touch("go");

        var result = rig.await(coordinator);

        assertThat(result.exit()).as(result.all()).isZero();
        assertThat(rig.await(a).exit()).isZero();
        assertThat(rig.await(b).exit()).isZero();
        assertEachPublishedOnce(6);
    }

    @Test
    @DisplayName(
            "R8 a machine with a worker dies in mid-item: after its lease the other one takes over, nothing is lost or counted")
    void workerDies() throws Exception {
        keepsBuffer = true;
        items(12);
        rig.job(script(waitIf("a", "go")), BOTH_STAY, "  retry: {item: 0}");
        var coordinator = apart.lease("3s").coordinator();
        var a = worker("a");
        awaiting("a computes", () -> ranBy("a").size() == 2);
        var b = worker("b");
        awaiting("b has its share", () -> !ranBy("b").isEmpty());
        kill(a);

        var result = rig.await(coordinator);

        assertThat(result.exit()).as(result.all()).isZero();
        assertThat(rig.await(b).exit()).isZero();
        assertEachPublishedOnce(12);
        assertThat(ranBy("b"))
                .as("what a computed was computed again")
                .hasSize(12)
                .doesNotHaveDuplicates();
        assertThat(apart.entries("failed")).as("no failure was counted").isEmpty();
    }

    @Test
    @DisplayName("C1 a worker's engine is killed and started again: its commands went on meanwhile, none runs twice")
    void workerRestarts() throws Exception {
        assumeTrue(StepRunnerBinary.path().isPresent(), "left out: no step runner could be built");
        items(6);
        rig.job(script(waitIf("a", "go")), "  workers: {slots: 2}");
        var coordinator = apart.coordinator();
        var first = worker("a");
        awaiting("it computes", () -> ranBy("a").size() == 2);
        first.destroyForcibly().waitFor();
        var second = worker("a");
        touch("go");

        var result = rig.await(coordinator);
        var ofSecond = rig.await(second);

        assertThat(result.exit()).as(result.all() + ofSecond.all()).isZero();
        assertThat(ofSecond.exit()).as(ofSecond.all()).isZero();
        assertEachPublishedOnce(6);
        assertThat(lines("ran")).as(ofSecond.all()).hasSize(6);
    }

    @Test
    @DisplayName(
            "C2 the coordinator is killed and away: commands go on, nothing is published meanwhile; then the work goes on and no command runs twice")
    void coordinatorAway() throws Exception {
        items(20);
        rig.job(script("sleep 0.4"), "  workers: {slots: 2}");
        var first = apart.lease("6s").coordinator("--run-id", "one");
        var a = worker("a");
        var b = worker("b");
        awaiting("some are done", () -> apart.entries("completed").size() >= 4);
        first.destroyForcibly().waitFor();
        int atKill = lines("ran").size();
        awaiting("the commands go on", () -> lines("ran").size() >= Math.min(20, atKill + 3));
        var granted = new HashSet<String>();
        apart.entries("intent").forEach(i -> granted.add(i.replaceAll(".*\"key\":\"([^\"]*)\".*", "$1")));
        assertThat(finalNames()).as("nothing is published but what was granted").isSubsetOf(granted);
        assertThat(granted).hasSizeLessThan(20);

        var second = apart.coordinatorAgain("--run-id", "one");
        var result = rig.await(second);

        assertThat(result.exit()).as(result.all()).isZero();
        assertThat(rig.await(a).exit()).isZero();
        assertThat(rig.await(b).exit()).isZero();
        assertEachPublishedOnce(20);
        assertThat(lines("ran")).as(result.all()).hasSize(20);
        var again = apart.coordinatorAgain("--run-id", "one");
        assertThat(rig.await(again).exit()).as("it is only told again").isZero();
        assertThat(lines("ran")).hasSize(20);
    }

    @Test
    @DisplayName(
            "C2 C9 the coordinator is killed at random, again and again: planning, recovering, running; each command runs once")
    void coordinatorDiesOften() throws Exception {
        items(30);
        rig.job(script("sleep 0.5"), "  workers: {slots: 2}");
        long seed = System.nanoTime();
        var random = new Random(seed);
        var coordinator = apart.lease("4s").coordinator("--run-id", "one");
        var a = worker("a");
        var b = worker("b");
        awaiting("it has begun", () -> !lines("ran").isEmpty());
        for (int kill = 0; kill < 5; kill++) {
            coordinator.waitFor(500 + random.nextInt(3000), TimeUnit.MILLISECONDS);
            coordinator.destroyForcibly().waitFor();
            coordinator = apart.coordinatorAgain("--run-id", "one");
        }

        var result = rig.await(coordinator);

        var all = "seed " + seed + ": " + result.all() + rig.await(a).all()
                + rig.await(b).all();
        assertThat(result.exit()).as(all).isZero();
        assertEachPublishedOnce(30);
        assertThat(lines("ran")).as(all).hasSize(30);
    }

    @Test
    @DisplayName(
            "R2 a worker that is cut off for longer than its lease is fenced: it publishes nothing that others were given, and goes on when it is back")
    void cutOff() throws Exception {
        items(4);
        rig.job(
                byWhom(waitIf("a", "go-a")) + "\n" + "[ $FOREBAY_NAME != f003 ] || { " + waitIf("b", "go-b") + "; }",
                BOTH_STAY);
        var coordinator = apart.lease("3s").coordinator();
        try (var cable = new Cable(apart.port())) {
            rig.environment("WHO", "a");
            var a = apart.workerOf(cable.end(), "a");
            awaiting("a computes, and has staged early", () -> ranBy("a").size() == 2 && staged() == 2);
            cable.cut();
            var b = worker("b");
            awaiting("b was given what a held", () -> ranBy("b").size() >= 3);
            touch("go-a");
            awaiting("b is done but for the last", () -> apart.completions().size() == 3);
            cable.mend();
            awaiting("a is back", () -> apart.get("/status", ApartRig.TOKEN).contains("\"workers\":2"));
            touch("go-b");

            var result = rig.await(coordinator);
            var ofA = rig.await(a);

            assertThat(result.exit()).as(result.all() + ofA.all()).isZero();
            assertThat(ofA.exit()).as(ofA.all()).isZero();
            assertThat(rig.await(b).exit()).isZero();
            assertThat(rig.published()).hasSize(4);
            assertThat(apart.completions()).hasSize(4);
            rig.published()
                    .forEach((name, by) ->
                            assertThat(by).as(name + ": " + result.all()).isEqualTo("b\n"));
        }
    }

    @Test
    @DisplayName(
            "R2 a worker frozen for longer than its lease and thawed: its commit is refused, its temporary names are removed")
    void frozen() throws Exception {
        items(2);
        rig.job(byWhom(waitIf("a", "go-a")) + "\n" + waitIf("b", "go-b"), BOTH_STAY);
        var coordinator = apart.lease("3s").coordinator();
        var a = worker("a");
        awaiting("a computes, and has staged early", () -> ranBy("a").size() == 2 && staged() == 2);
        signal(a, "STOP");
        var b = worker("b");
        awaiting("b was given what a held", () -> ranBy("b").size() == 2);
        touch("go-a");
        signal(a, "CONT");
        awaiting("a is back", () -> apart.get("/status", ApartRig.TOKEN).contains("\"workers\":2"));
        touch("go-b");

        var result = rig.await(coordinator);
        var ofA = rig.await(a);

        assertThat(result.exit()).as(result.all() + ofA.all()).isZero();
        assertThat(ofA.exit()).as(ofA.all()).isZero();
        assertThat(rig.await(b).exit()).isZero();
        assertThat(rig.published()).containsOnly(Map.entry("f000", "b\n"), Map.entry("f001", "b\n"));
        assertThat(apart.completions()).hasSize(2);
    }

    @Test
    @DisplayName(
            "R2 a worker started twice: the second process has its place, what the first had is fenced, and it ends")
    void startedTwice() throws Exception {
        items(4);
        rig.job(
                byWhom(waitIf("first", "go")),
                "  workers: {slots: 2}",
                "  buffer: {tiers: [{medium: Disk, size: 128Mi}]}");
        var coordinator = apart.lease("3s").coordinator();
        rig.environment("WHO", "first");
        var first = apart.worker("a", "--tier", at("tier-1"), "--control", at("control-1"));
        awaiting("the first computes", () -> ranBy("first").size() == 2);
        rig.environment("WHO", "second");
        var second = apart.worker("a", "--tier", at("tier-2"), "--control", at("control-2"));

        var result = rig.await(coordinator);
        var ofFirst = rig.await(first);

        assertThat(result.exit()).as(result.all() + ofFirst.all()).isZero();
        assertThat(ofFirst.exit()).as(ofFirst.all()).isZero();
        assertThat(rig.await(second).exit()).isZero();
        assertThat(rig.published()).hasSize(4);
        assertThat(rig.published().values()).containsOnly("second\n");
        assertThat(apart.completions()).hasSize(4);
    }

    @Test
    @DisplayName(
            "R2 a coordinator that is frozen, succeeded and thawed decides nothing more: it ends with 75, the job goes on without it")
    void frozenCoordinator() throws Exception {
        var elsewhere = new String[] {"unshare", "--pid", "--fork", "--kill-child", "--mount-proc"};
        assumeTrue(works(elsewhere), "left out: no process namespaces may be made here");
        items(8);
        rig.job(script(waitIf("a", "go")), "  workers: {slots: 2}");
        var first = apart.lease("3s").coordinator("--run-id", "one");
        try (var cable = new Cable(apart.port())) {
            rig.environment("WHO", "a");
            var a = apart.workerOf(cable.end(), "a");
            awaiting("a computes", () -> ranBy("a").size() == 2);
            signal(first, "STOP");
            rig.startedBy(elsewhere);
            var second = apart.coordinator("--run-id", "one");
            cable.cut();
            cable.leadTo(apart.port());
            cable.mend();
            awaiting(
                    "a is the successor's",
                    () -> apart.get("/status", ApartRig.TOKEN).contains("\"workers\":1"));
            signal(first, "CONT");
            touch("go");

            var result = rig.await(second);
            var ofFirst = rig.await(first);

            assertThat(result.exit()).as(result.all()).isZero();
            assertThat(rig.await(a).exit()).isZero();
            assertEachPublishedOnce(8);
            assertThat(lines("ran")).as("each command ran once").hasSize(8);
            assertThat(ofFirst.exit()).as(ofFirst.all()).isEqualTo(75);
            assertThat(ofFirst.all()).contains("another coordinator has taken over");
        }
    }

    @Test
    @DisplayName(
            "R2 C10 a worker frozen between intent and publish: the coordinator carries out the same intent, then the worker too")
    void frozenInPublish() throws Exception {
        var missing = FaultyFs.missing();
        assumeTrue(missing.isEmpty(), () -> "left out: " + missing.orElse(""));
        items(1);
        try (var fs = FaultyFs.mount(rig.home())) {
            rig.job(
                    script(""),
                    "  outputs: [{name: out, path: '**', to: 'file://" + fs.root() + "/'}]",
                    "  records: file://" + rig.results() + "/.forebay/",
                    BOTH_STAY);
            fs.tell("hang rename");
            var coordinator = apart.lease("3s").coordinator();
            var a = worker("a");
            awaiting("the intent is durable", () -> apart.entries("intent").size() == 1);
            signal(a, "STOP");
            awaiting(
                    "its lease is over",
                    () -> apart.get("/status", ApartRig.TOKEN).contains("\"workers\":0"));
            fs.tell("clear");
            awaiting(
                    "it is published from the intent", () -> apart.completions().size() == 1);
            signal(a, "CONT");

            var result = rig.await(coordinator);

            assertThat(result.exit()).as(result.all()).isZero();
            assertThat(rig.await(a).exit()).isZero();
            assertThat(fs.backing().resolve("f000")).hasContent("value 0");
            assertThat(lines("ran")).hasSize(1);
            assertThat(apart.completions()).hasSize(1);
        }
    }

    @Test
    @DisplayName("C2 the coordinator is killed while it drains, and started again: no item is lost, or done twice")
    void coordinatorDiesDraining() throws Exception {
        items(6);
        rig.job(script(waitIf("a", "go")), "  workers: {slots: 2}");
        var first = apart.lease("10s").coordinator("--run-id", "one");
        try (var cable = new Cable(apart.port())) {
            rig.environment("WHO", "a");
            var a = apart.workerOf(cable.end(), "a");
            awaiting("a computes", () -> ranBy("a").size() == 2);
            // Else the drain may be over, and the run ended as cancelled, before it is killed.
            cable.cut();
            signal(first, "TERM");
            awaiting("it drains", () -> apart.get("/status", ApartRig.TOKEN).contains("Draining"));
            first.destroyForcibly().waitFor();
            touch("go");
            var second = apart.coordinatorAgain("--run-id", "one");
            cable.mend();
            var b = worker("b");

            var result = rig.await(second);
            var ofA = rig.await(a);

            assertThat(result.exit()).as(result.all() + ofA.all()).isZero();
            assertThat(rig.await(b).exit()).isZero();
            assertEachPublishedOnce(6);
        }
    }

    private static boolean works(String... program) throws IOException, InterruptedException {
        var all = new ArrayList<>(List.of(program));
        all.add("true");
        try {
            return new ProcessBuilder(all).start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        }
    }

    /** The output says who made it, and is closed before the command waits. */
    private String byWhom(String rest) {
        return "echo $WHO > \"$FOREBAY_OUT/$FOREBAY_NAME\"; echo $WHO $FOREBAY_NAME >> \""
                + rig.home().resolve("ran") + "\"\n" + rest;
    }

    @Test
    @DisplayName("SIGTERM drains a worker: it ends with 143, what it held goes on elsewhere at once, uncounted")
    void drains() throws Exception {
        items(8);
        rig.job(script(waitIf("a", "never")), "  workers: {slots: 2}", "  retry: {item: 0}");
        var coordinator = apart.coordinator();
        var a = worker("a");
        awaiting("a computes", () -> ranBy("a").size() == 2);
        signal(a, "TERM");
        var ofA = rig.await(a);
        assertThat(ofA.exit()).as(ofA.all()).isEqualTo(143);
        assertThat(ofA.out()).contains("SIGTERM: draining");
        long began = System.nanoTime();
        var b = worker("b");

        var result = rig.await(coordinator);

        assertThat(result.exit()).as(result.all()).isZero();
        assertThat(Duration.ofNanos(System.nanoTime() - began))
                .as("no lease had to end first")
                .isLessThan(Duration.ofSeconds(29));
        assertThat(rig.await(b).exit()).isZero();
        assertEachPublishedOnce(8);
        assertThat(ranBy("b")).hasSize(8);
    }

    @Test
    @DisplayName("SIGTERM to the coordinator cancels the job: workers end, 143; resumed it is finished")
    void cancelled() throws Exception {
        items(6);
        rig.job(script(waitIf("a", "go")), "  workers: {slots: 2}");
        var coordinator = apart.lease("6s").coordinator();
        var a = worker("a");
        awaiting("a computes", () -> ranBy("a").size() == 2);
        signal(coordinator, "TERM");

        var result = rig.await(coordinator);
        var ofA = rig.await(a);
        assertThat(result.exit()).as(result.all() + ofA.all()).isEqualTo(143);
        assertThat(ofA.exit()).as(ofA.all()).isZero();

        touch("go");
        var resumed = apart.coordinator("--resume");
        var again = worker("a");
        assertThat(rig.await(resumed).exit()).isZero();
        assertThat(rig.await(again).exit()).isZero();
        assertEachPublishedOnce(6);
    }

    @Test
    @DisplayName(
            "wrong token, wrong job, another manifest, no coordinator, port in use: one clear line each, and the right exit code")
    void refusals() throws Exception {
        items(1);
        rig.job(script(""), "  workers: {slots: 2}");
        var coordinator = apart.coordinator();
        var guess = Files.writeString(rig.home().resolve("guess"), "0123456789abcdef\n");
        var manifest = Files.readString(apart.manifest());
        var otherJob = Files.writeString(rig.home().resolve("other.yaml"), manifest.replace(rig.name(), "other-job"));
        var otherSteps = Files.writeString(
                rig.home().resolve("steps.yaml"), manifest.replace("cp \"$FOREBAY", "cp -p \"$FOREBAY"));
        var at = apart.at().toString();
        var token = apart.tokenFile().toString();
        var job = apart.manifest().toString();

        assertRefused(
                64,
                "does not take this worker's token",
                "buffer",
                "--coordinator",
                at,
                "--token-file",
                guess.toString(),
                job);
        assertRefused(
                64,
                "has another job, " + rig.name(),
                "buffer",
                "--coordinator",
                at,
                "--token-file",
                token,
                otherJob.toString());
        assertRefused(
                64,
                "has another manifest of the job",
                "buffer",
                "--coordinator",
                at,
                "--token-file",
                token,
                otherSteps.toString());
        assertRefused(
                75,
                "in use",
                "coordinator",
                "--listen",
                "127.0.0.1:" + apart.port(),
                "--token-file",
                token,
                otherJob.toString());
        assertRefused(64, "runs already", "coordinator", "--token-file", token, job);
        assertRefused(64, "no such token file", "coordinator", "--token-file", token + "x", job);
        signal(coordinator, "TERM");
        assertThat(rig.await(coordinator).exit()).isEqualTo(143);
        assertRefused(
                75,
                "no coordinator answered",
                "buffer",
                "--coordinator",
                at,
                "--token-file",
                token,
                "--patience",
                "1s",
                job);
    }

    private void assertRefused(int exit, String words, String... command) throws Exception {
        var result = rig.command(command);
        assertThat(result.exit()).as(result.all()).isEqualTo(exit);
        assertThat(result.err()).contains(words).doesNotContain("Exception").doesNotContain(ApartRig.TOKEN);
    }
}
