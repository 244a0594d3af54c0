package io.forebay.rig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.forebay.rig.JobRig.Result;
import io.forebay.sidecar.store.posix.FaultyFs;
import io.forebay.testing.ScriptedS3;
import io.forebay.testing.ScriptedS3.Answer;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Cancellation and deadlines of the whole command: it ends in time, says what is missing, and resume finishes it. */
class CancelIT extends RigTest {
    private static final String COPY = "cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/\"";

    private final List<ProcessHandle> children = new ArrayList<>();

    /** Runners and commands that a test saw. */
    @AfterEach
    void noProcessLeft() {
        eventually("all processes of the run are gone", () -> children.stream().noneMatch(ProcessHandle::isAlive));
    }

    private String manifest() {
        return rig.home().resolve("job.yaml").toString();
    }

    private String[] to(ScriptedS3 s3, String... more) {
        rig.environment("AWS_ACCESS_KEY_ID", "a").environment("AWS_SECRET_ACCESS_KEY", "b");
        var lines = new ArrayList<>(List.of(
                "  stores: [{uri: 's3://bucket', endpoint: '" + s3.endpoint() + "', region: us-east-1}]",
                "  outputs: [{name: out, path: '**', to: 's3://bucket/out/'}]",
                "  records: file://" + rig.results() + "/.forebay/"));
        lines.addAll(List.of(more));
        return lines.toArray(String[]::new);
    }

    private String[] from(ScriptedS3 s3, String... more) {
        rig.environment("AWS_ACCESS_KEY_ID", "a").environment("AWS_SECRET_ACCESS_KEY", "b");
        var lines = new ArrayList<>(List.of(
                "  stores: [{uri: 's3://bucket', endpoint: '" + s3.endpoint() + "', region: us-east-1}]",
                "  inputs: [{name: in, source: 's3://bucket/in/'}]",
                "  forEach: {input: in}"));
        lines.addAll(List.of(more));
        return lines.toArray(String[]::new);
    }

    private static void put(ScriptedS3 s3, String key) throws Exception {
        var request = java.net.http.HttpRequest.newBuilder(s3.endpoint().resolve("/bucket/" + key))
                .PUT(java.net.http.HttpRequest.BodyPublishers.ofString("v"))
                .build();
        try (var client = java.net.http.HttpClient.newHttpClient()) {
            assertThat(client.send(request, java.net.http.HttpResponse.BodyHandlers.discarding())
                            .statusCode())
                    .isEqualTo(200);
        }
    }

    private void signal(Process process, String name) throws Exception {
        process.descendants().forEach(children::add);
        var kill = new ProcessBuilder("sh", "-c", "kill -" + name + " " + process.pid()).start();
        assertThat(kill.waitFor(10, TimeUnit.SECONDS)).isTrue();
    }

    /** Ends within a time. */
    private Result ended(Process process, Duration within) throws Exception {
        long began = System.nanoTime();
        var result = rig.await(process);
        assertThat(Duration.ofNanos(System.nanoTime() - began)).as(result.all()).isLessThan(within);
        assertThat(result.all()).doesNotContain("\tat ").doesNotContainPattern("[A-Za-z]+Exception");
        return result;
    }

    private void resumes() throws Exception {
        var resumed = rig.command("resume", manifest());
        assertThat(resumed.exit()).as(resumed.all()).isZero();
        assertThat(unexported()).isEmpty();
        keepsBuffer = false;
    }

    @Test
    @DisplayName("E1 the store accepts and never answers in stage-in: exit 124 soon after the drain; resume finishes")
    void hangsInStageIn() throws Exception {
        try (var s3 = ScriptedS3.start("bucket")) {
            for (int i = 0; i < 5; i++) {
                put(s3, "in/f" + i);
            }
            s3.on(r -> r.isData("GET"), (r, good) -> Answer.hang());
            rig.job(COPY, from(s3, "  deadlines: {run: 20s, drain: 3s}"));

            var result = ended(rig.startRun(), Duration.ofSeconds(40));

            assertThat(result.exit()).as(result.all()).isEqualTo(124);
            assertThat(result.all()).contains("5 unfinished").contains("forebay resume");
            s3.behave();
            rig.job(COPY, from(s3));
            resumes();
            assertThat(rig.published()).hasSize(5);
        }
    }

    @Test
    @DisplayName(
            "E1 the store accepts and never answers in flush: exit 124 soon after the drain, all outputs listed; resume sends them")
    void hangsInFlush() throws Exception {
        keepsBuffer = true;
        for (int i = 0; i < 5; i++) {
            rig.input("f" + i, "v" + i);
        }
        try (var s3 = ScriptedS3.start("bucket")) {
            s3.on(r -> r.method().equals("PUT") || r.method().equals("POST"), (r, good) -> Answer.hang());
            rig.job(
                    "echo ran >> \"" + rig.home().resolve("ran") + "\"; " + COPY,
                    to(s3, "  deadlines: {run: 10s, drain: 3s}"));

            var result = ended(rig.startRun(), Duration.ofSeconds(30));

            assertThat(result.exit()).as(result.all()).isEqualTo(124);
            assertThat(unexported()).as(result.all()).hasSize(5);
            assertThat(result.out())
                    .contains("5 outputs")
                    .contains("data are kept in")
                    .contains("forebay resume");
            s3.behave();
            rig.job("echo ran >> \"" + rig.home().resolve("ran") + "\"; " + COPY, to(s3));
            resumes();
            assertThat(s3.objects().get("out/f3").content()).isEqualTo("v3".getBytes());
            assertThat(lines("ran")).as("commands do not run again").hasSize(5);
        }
    }

    @Test
    @DisplayName("E1 the store never answers while the inputs are listed: the deadline counts there too, exit 124")
    void hangsInPlanning() throws Exception {
        try (var s3 = ScriptedS3.start("bucket")) {
            s3.on(r -> true, (r, good) -> Answer.hang());
            rig.job(COPY, from(s3, "  deadlines: {run: 3s, drain: 3s}"));
            var result = ended(rig.startRun(), Duration.ofSeconds(20));
            assertThat(result.exit()).as(result.all()).isEqualTo(124);
            assertThat(result.all()).contains("deadline").contains("planned");
        }
    }

    @ParameterizedTest
    @CsvSource({"INT,130", "TERM,143"})
    @DisplayName("E2 a signal while planning: gone within 10 s, 130 or 143, nothing is left")
    void whilePlanning(String name, int code) throws Exception {
        try (var s3 = ScriptedS3.start("bucket")) {
            s3.on(r -> true, (r, good) -> Answer.hang());
            rig.job(COPY, from(s3));
            var run = rig.startRun();
            eventually("the list is asked for", () -> !s3.requests().isEmpty());
            signal(run, name);
            var result = ended(run, Duration.ofSeconds(10));
            assertThat(result.exit()).as(result.all()).isEqualTo(code);
            assertThat(result.all()).contains("SIG" + name).contains("no item was started");
        }
    }

    @Test
    @DisplayName(
            "E2 SIGINT while fetching: effect within 10 s, exit 130, nothing listed, nothing left; resume runs them")
    void whileFetching() throws Exception {
        try (var s3 = ScriptedS3.start("bucket")) {
            put(s3, "in/a");
            put(s3, "in/b");
            s3.on(r -> r.isData("GET"), (r, good) -> Answer.hang());
            rig.job(COPY, from(s3));
            var run = rig.startRun();
            eventually("an input is asked for", () -> s3.count(r -> r.isData("GET")) > 0);
            signal(run, "INT");
            var result = ended(run, Duration.ofSeconds(10));
            assertThat(result.exit()).as(result.all()).isEqualTo(130);
            assertThat(unexported()).isEmpty();
            s3.behave();
            resumes();
            assertThat(rig.published()).hasSize(2);
        }
    }

    @ParameterizedTest
    @CsvSource({"INT,130", "TERM,143"})
    @DisplayName(
            "E2 a signal while commands run: they get SIGTERM, nothing of theirs is published, resume runs them again")
    void whileRunning(String name, int code) throws Exception {
        rig.input("a", "v");
        var told = rig.home().resolve("told");
        var go = rig.home().resolve("go");
        rig.job("[ -e '" + go + "' ] && { " + COPY + "; exit; }; trap 'echo told > \"" + told
                + "\"; exit 3' TERM; echo half > \"$FOREBAY_OUT/a\"; echo on > \""
                + rig.home().resolve("on") + "\"; while :; do sleep 0.1; done");
        var run = rig.startRun();
        eventually("the command runs", () -> Files.exists(rig.home().resolve("on")));
        signal(run, name);
        var result = ended(run, Duration.ofSeconds(30));
        assertThat(result.exit()).as(result.all()).isEqualTo(code);
        assertThat(told).exists();
        assertThat(rig.published()).isEmpty();
        Files.createFile(go);
        resumes();
        assertThat(rig.published()).containsEntry("a", "v");
    }

    @Test
    @DisplayName("E2 SIGINT while the command ignores SIGTERM: it is killed, clean within 30 s")
    void commandIgnoresTerm() throws Exception {
        rig.input("a", "v");
        rig.job("trap '' TERM; echo on > \"" + rig.home().resolve("on") + "\"; while :; do sleep 0.1; done");
        var run = rig.startRun();
        eventually("the command runs", () -> Files.exists(rig.home().resolve("on")));
        signal(run, "INT");
        assertThat(ended(run, Duration.ofSeconds(30)).exit()).isEqualTo(130);
    }

    @Test
    @DisplayName(
            "E2 E4 SIGINT while outputs are sent to a store that hangs: exit 130, all listed and kept; resume sends them")
    void whileFlushing() throws Exception {
        keepsBuffer = true;
        rig.input("a", "va").input("b", "vb");
        try (var s3 = ScriptedS3.start("bucket")) {
            s3.on(r -> r.isData("PUT"), (r, good) -> Answer.hang());
            rig.job(COPY, to(s3, "  deadlines: {drain: 3s}"));
            var run = rig.startRun();
            eventually("an output is sent", () -> s3.count(r -> r.isData("PUT")) > 1);
            signal(run, "INT");
            var result = ended(run, Duration.ofSeconds(30));
            assertThat(result.exit()).as(result.all()).isEqualTo(130);
            assertThat(unexported()).as(result.all()).hasSize(2);
            assertThat(result.all())
                    .as("who cancels sees no failure")
                    .contains("0 of 2 items done, 2 unfinished")
                    .doesNotContain("failed");
            assertThat(rig.command("status", manifest()).out()).contains("0 of 2 items done, 0 failed, 2 unfinished");
            s3.behave();
            resumes();
            assertThat(s3.objects().get("out/a").content()).isEqualTo("va".getBytes());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"INT", "TERM"})
    @DisplayName("E2 a second signal writes UNEXPORTED.jsonl and is gone within 2 s; resume finishes")
    void secondSignal(String second) throws Exception {
        keepsBuffer = true;
        rig.input("a", "va").input("b", "vb");
        try (var s3 = ScriptedS3.start("bucket")) {
            s3.on(r -> r.isData("PUT"), (r, good) -> Answer.hang());
            rig.job(COPY, to(s3));
            var run = rig.startRun();
            eventually("both outputs are sent", () -> s3.count(r -> r.isData("PUT")) > 1);
            signal(run, "INT");
            eventually("it is told", () -> read("log-0.out").contains("SIGINT"));
            signal(run, second);
            var result = ended(run, Duration.ofSeconds(3));
            assertThat(result.exit()).as(result.all()).isEqualTo(130);
            assertThat(unexported()).as(result.all()).hasSize(2);
            assertThat(result.all())
                    .contains("2 outputs are not exported, listed in file://" + rig.records() + "/UNEXPORTED.jsonl")
                    .contains("data are kept in")
                    .contains("forebay resume");
            var status = rig.command("status", manifest());
            assertThat(status.exit()).as(status.all()).isEqualTo(75);
            assertThat(status.out()).contains("2 outputs not exported, 4 B, as UNEXPORTED.jsonl in the records says");
            s3.behave();
            resumes();
            assertThat(rig.command("status", manifest()).out()).contains("0 outputs not exported");
            assertThat(s3.objects().get("out/b").content()).isEqualTo("vb".getBytes());
        }
    }

    @Test
    @DisplayName(
            "E2 a second signal when nothing waits to be exported: no list is claimed, where the data are is told; resume finishes")
    void secondSignalWithoutList() throws Exception {
        keepsBuffer = true;
        rig.input("a", "v");
        var go = rig.home().resolve("go");
        rig.job("[ -e '" + go + "' ] && { " + COPY + "; exit; }; trap '' TERM; echo on > \""
                + rig.home().resolve("on") + "\"; while :; do sleep 0.1; done");
        var run = rig.startRun();
        eventually("the command runs", () -> Files.exists(rig.home().resolve("on")));
        signal(run, "INT");
        eventually("it is told", () -> read("log-0.out").contains("SIGINT"));
        signal(run, "INT");
        var result = ended(run, Duration.ofSeconds(3));
        assertThat(result.exit()).as(result.all()).isEqualTo(130);
        assertThat(result.all())
                .contains("no finished output waits to be exported, so none is listed; data are kept in")
                .contains("forebay resume");
        assertThat(rig.records().resolve("UNEXPORTED.jsonl")).doesNotExist();
        Files.createFile(go);
        keepsBuffer = false;
        resumes();
        assertThat(rig.published()).containsEntry("a", "v");
    }

    private String read(String file) {
        try {
            return Files.readString(rig.home().resolve(file));
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    @DisplayName("E3 the run deadline in mid-item: SIGTERM, what had ended is published, Always outputs too, exit 124")
    void deadlineInMidItem() throws Exception {
        rig.input("quick", "v").input("slow", "v");
        var told = rig.home().resolve("told");
        rig.job(
                "echo log > \"$FOREBAY_OUT/$FOREBAY_NAME.log\"; [ $FOREBAY_NAME = quick ] && { " + COPY
                        + "; exit 0; }; trap 'echo told > \"" + told
                        + "\"; exit 3' TERM; echo half > \"$FOREBAY_OUT/slow\"; while :; do sleep 0.1; done",
                """
                  outputs:
                  - {name: out, path: '[qs]*w', to: 'file://%1$s/', required: false}
                  - {name: quick, path: 'quick', to: 'file://%1$s/', required: false}
                  - {name: log, path: '*.log', to: 'file://%1$s/logs/', when: Always}
                  deadlines: {run: 10s, drain: 4s}
                """.stripTrailing().formatted(rig.results()));

        var result = ended(rig.startRun(), Duration.ofSeconds(30));

        assertThat(result.exit()).as(result.all()).isEqualTo(124);
        assertThat(told).exists();
        assertThat(rig.published()).containsOnlyKeys("quick", "logs/quick.log", "logs/slow.log");
        assertThat(result.out()).contains("deadline");
    }

    @Test
    @DisplayName(
            "E5 100 small outputs and a large one under a bandwidth cap, short drain: the small ones are published, the large one is listed")
    void smallestFirst() throws Exception {
        keepsBuffer = true;
        var gate = rig.home().resolve("gate");
        for (int i = 0; i < 100; i++) {
            rig.input("s%02d".formatted(i), "x");
        }
        rig.input("large", "x");
        var script =
                "n=100000; [ $FOREBAY_NAME = large ] && n=100000000; head -c $n /dev/zero | tr '\\0' x > \"$FOREBAY_OUT/$FOREBAY_NAME\"; touch \""
                        + gate + ".$FOREBAY_NAME\"";
        var rest = new String[] {"  workers: {slots: 101}", "  buffer: {tiers: [{medium: Memory, size: 512Mi}]}"};
        rig.job(
                script,
                rest[0],
                rest[1],
                "  deadlines: {run: 12s, drain: 8s}",
                "  stores: [{uri: 'file://" + rig.results() + "', writeBandwidth: 3Mi}]");

        var result = ended(rig.startRun(), Duration.ofSeconds(60));

        assertThat(result.exit()).as(result.all()).isEqualTo(124);
        assertThat(rig.published().keySet()).hasSize(100).doesNotContain("large");
        assertThat(unexported()).hasSize(1).first().asString().contains("large");
        rig.job(script, rest[0], rest[1]);
        resumes();
        assertThat(Files.size(rig.results().resolve("large"))).isEqualTo(100_000_000);
    }

    @Test
    @DisplayName(
            "E9 one destination's file system hangs: outputs to the other go on, exit 124 at the deadline, the rest is listed; resume finishes")
    void destinationHangs() throws Exception {
        var missing = FaultyFs.missing();
        assumeTrue(missing.isEmpty(), () -> "left out: " + missing.orElse(""));
        keepsBuffer = true;
        try (var fs = FaultyFs.mount(rig.home())) {
            for (int i = 0; i < 4; i++) {
                rig.input("good" + i, "v").input("hung" + i, "v");
            }
            var outputs = new String[] {
                "  outputs: [{name: good, path: 'good*', to: 'file://" + rig.results() + "/', required: false},"
                        + " {name: hung, path: 'hung*', to: 'file://" + fs.root() + "/', required: false}]"
            };
            fs.tell("hang create");
            rig.job(COPY, outputs[0], "  deadlines: {run: 10s, drain: 3s}", "  workers: {slots: 2}");

            var result = ended(rig.startRun(), Duration.ofSeconds(35));

            assertThat(result.exit()).as(result.all()).isEqualTo(124);
            assertThat(rig.published()).containsOnlyKeys("good0", "good1", "good2", "good3");
            assertThat(unexported()).as(result.all()).hasSize(4).allMatch(l -> l.contains("hung"));
            fs.tell("clear");
            rig.job(COPY, outputs[0]);
            resumes();
            assertThat(fs.backing().resolve("hung2")).exists();
        }
    }

    @Test
    @DisplayName("E9 the file system of the records hangs too: exit 124 all the same, and told where the data are kept")
    void recordsHang() throws Exception {
        var missing = FaultyFs.missing();
        assumeTrue(missing.isEmpty(), () -> "left out: " + missing.orElse(""));
        keepsBuffer = true;
        try (var fs = FaultyFs.mount(rig.home())) {
            rig.input("a", "v");
            var outputs = "  outputs: [{name: out, path: '**', to: 'file://" + fs.root() + "/'}]";
            rig.job(
                    "echo on > \"" + rig.home().resolve("on") + "\"; sleep 2; " + COPY,
                    outputs,
                    "  deadlines: {run: 10s, drain: 3s}");
            var run = rig.startRun();
            eventually("the command runs", () -> Files.exists(rig.home().resolve("on")));
            for (var op : List.of("create", "write", "fsync", "rename", "open")) {
                fs.tell("hang " + op);
            }
            var result = ended(run, Duration.ofSeconds(45));
            assertThat(result.exit()).as(result.all()).isEqualTo(124);
            assertThat(result.all()).contains("kept in").contains("forebay resume");
            fs.tell("clear");
        }
    }
}
