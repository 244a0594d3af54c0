package io.forebay.rig;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.api.v1alpha1.Phase;
import io.forebay.message.JobEnd;
import io.forebay.message.JobProgress;
import io.forebay.message.MessageJson;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** {@code --termination-message} and {@code /status}: how a job stands and how it ended, as the operator reads it. */
class TerminationMessageIT extends ApartTest {
    private Path file;

    @BeforeEach
    void file() throws IOException {
        file = Files.writeString(rig.home().resolve("termination-log"), "");
        apart.lease("3s");
    }

    private Process coordinator(String... more) throws IOException {
        var all = new ArrayList<>(List.of("--termination-message", file.toString()));
        all.addAll(List.of(more));
        return apart.coordinator(all.toArray(String[]::new));
    }

    private JobEnd message() throws IOException {
        var json = Files.readAllBytes(file);
        assertThat(json.length).isBetween(2, 2048);
        return MessageJson.MAPPER.readValue(json, JobEnd.class);
    }

    private JobEnd endOf(Process coordinator, int code, Phase phase, String reason) throws Exception {
        var result = rig.await(coordinator);
        assertThat(result.exit()).as(result.all()).isEqualTo(code);
        var end = message();
        assertThat(end.exitCode()).isEqualTo(code);
        assertThat(end.phase()).isEqualTo(phase);
        assertThat(end.reason()).as(end.message()).isEqualTo(reason);
        return end;
    }

    private JobProgress status() {
        try {
            var answer = apart.get("/status", ApartRig.TOKEN);
            assertThat(answer).startsWith("200\n");
            return MessageJson.MAPPER.readValue(answer.substring(4), JobProgress.class);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    @DisplayName("X1 an end in which all is durable: counts and bytes")
    void durable() throws Exception {
        items(4);
        rig.job(script(waitIf("a", "go")), "  workers: {slots: 2}");
        var coordinator = coordinator();
        awaiting("it has planned", () -> status().items() == 4);
        assertThat(status().totalFiles()).isEqualTo(4);
        assertThat(status().end()).isNull();
        assertThat(status().records()).isEqualTo("file://" + rig.results() + "/.forebay/" + rig.name() + "/");
        var a = worker("a");
        awaiting("its worker is there", () -> status().workers() == 1 && status().running() > 0);
        touch("go");
        var end = endOf(coordinator, 0, Phase.SUCCEEDED, "Durable");
        assertThat(rig.await(a).exit()).isZero();
        assertThat(end.items().total()).isEqualTo(4);
        assertThat(end.items().done()).isEqualTo(4);
        assertThat(end.data().filesPlanned()).isEqualTo(4);
        assertThat(end.data().filesFlushed()).isEqualTo(4);
        assertThat(end.data().bytesStaged()).isEqualTo(4 * "value 0".length());
        assertThat(end.unexported()).isZero();
    }

    @Test
    @DisplayName("X1 a step that fails: which item, and why, in status and message, whatever its name")
    void stepFailed() throws Exception {
        items(2);
        rig.input("odd \u00e9\"\n\\ name", "x");
        rig.job(
                script("case $FOREBAY_NAME in odd*) echo 'no such atlas'; exit 3;; esac; " + waitIf("a", "go")),
                "  workers: {slots: 4}",
                "  retry: {item: 1}");
        var coordinator = coordinator();
        var a = worker("a");
        awaiting("it has failed", () -> status().failed() == 1);
        assertThat(status().errors()).hasSize(1);
        assertThat(status().errors().getFirst())
                .startsWith("odd \u00e9\"\\u000a\\ name: StepFailed: ")
                .doesNotContain("\n")
                .hasSizeLessThanOrEqualTo(300);
        assertThat(status().itemRetries()).isEqualTo(1);
        touch("go");
        var end = endOf(coordinator, 1, Phase.FAILED, "StepFailed");
        assertThat(rig.await(a).exit()).isZero();
        assertThat(end.message()).contains("a step failed").contains("1 failed, first odd \u00e9");
        assertThat(end.items().failed()).isEqualTo(1);
        assertThat(end.items().retries()).isEqualTo(1);
    }

    @Test
    @DisplayName("X1 refused before anything began: manifest, token, inputs, address")
    void refused() throws Exception {
        items(1);
        rig.job(script(""));
        var manifest = Files.readString(apart.manifest());
        Files.writeString(apart.manifest(), "kind: PipelineJob\n");
        assertThat(endOf(coordinator(), 64, Phase.FAILED, "Refused").message()).contains("is refused");
        Files.writeString(apart.manifest(), manifest.replace("/in/\"", "/nowhere/\""));
        assertThat(endOf(coordinator(), 65, Phase.FAILED, "NotFound").message()).contains("nowhere");
        Files.writeString(apart.manifest(), manifest);
        var elsewhere = rig.start(
                "coordinator",
                apart.manifest().toString(),
                "--token-file",
                apart.tokenFile().toString(),
                "--listen",
                "no-such-host.invalid:0",
                "--termination-message",
                file.toString());
        assertThat(endOf(elsewhere, 64, Phase.FAILED, "Refused").message()).contains("cannot listen on");
        Files.writeString(apart.tokenFile(), "");
        assertThat(endOf(coordinator(), 64, Phase.FAILED, "Refused").message()).contains("holds no token");
    }

    @Test
    @DisplayName("E2 cancelled by SIGINT")
    void cancelled() throws Exception {
        items(2);
        rig.job(script(waitIf("a", "never")));
        var coordinator = coordinator();
        var a = worker("a");
        awaiting("it computes", () -> ranBy("a").size() == 2);
        signal(coordinator, "INT");
        endOf(coordinator, 130, Phase.CANCELLED, "Cancelled");
        rig.await(a);
    }

    @Test
    @DisplayName("E2 a second signal ends at once and is told as well")
    void cancelledTwice() throws Exception {
        items(2);
        rig.job(script(waitIf("a", "never")));
        var coordinator = coordinator();
        var a = worker("a");
        awaiting("it computes", () -> ranBy("a").size() == 2);
        signal(a, "STOP"); // it does not hear of the end, so that there is time for the second signal
        signal(coordinator, "TERM");
        awaiting("it drains", () -> apart.printed().contains("SIGTERM: cancelling"));
        signal(coordinator, "TERM");
        assertThat(endOf(coordinator, 143, Phase.CANCELLED, "Cancelled").message())
                .contains("second signal");
        keepsBuffer = true; // of a worker that is killed
        kill(a);
    }

    @Test
    @DisplayName("E3 the deadline")
    void deadline() throws Exception {
        items(1);
        rig.job(script(waitIf("a", "never")), "  deadlines: {run: 3s, drain: 1s}");
        var coordinator = coordinator();
        var a = worker("a");
        endOf(coordinator, 124, Phase.FAILED, "Deadline");
        rig.await(a);
    }

    @Test
    @DisplayName("K4 a coordinator that steps down says that the job goes on")
    void steppedDown() throws Exception {
        items(1);
        rig.job(script(""));
        var coordinator = coordinator("--run-id", "1", "--on-sigterm=step-down");
        awaiting("it has planned", () -> status().items() == 1);
        signal(coordinator, "TERM");
        assertThat(endOf(coordinator, 75, Phase.RUNNING, "SteppedDown").message())
                .contains("Start it again");
    }
}
