package io.forebay.sidecar.step;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The container whose exit code is the pod's. */
class CommitTest {
    @TempDir
    Path folder;

    final AtomicInteger drains = new AtomicInteger();
    CommitGate gate = new CommitGate(drains::incrementAndGet);
    Steps steps;

    @AfterEach
    void close() throws InterruptedException {
        if (steps != null) {
            steps.close();
        }
    }

    private Process commit(String... more) throws IOException {
        var command = new ArrayList<>(List.of(
                RunnerProgram.program().toString(),
                "commit",
                "--socket",
                steps.socket.path().toString(),
                "--token-file",
                "-"));
        command.addAll(List.of(more));
        return steps.start(command);
    }

    private Path ended() {
        return folder.resolve("ended");
    }

    /** No engine listens; it has ended, or is started again. */
    private void noEngine() throws IOException {
        steps = new Steps(folder, o -> o.withGate(gate));
        steps.crash();
    }

    @Test
    void exitsWithTheAnswerWheneverItComes() throws Exception {
        steps = new Steps(folder, o -> o.withGate(gate));
        var early = commit();
        assertThat(early.waitFor(300, TimeUnit.MILLISECONDS)).isFalse();
        assertThat(gate.delivered()).isNotDone();
        gate.answer(74);
        gate.answer(0); // the first one counts
        assertThat(early.waitFor()).isEqualTo(74);
        gate.delivered().get(10, TimeUnit.SECONDS);
        assertThat(commit().waitFor()).isEqualTo(74);
    }

    @Test
    void waitsAcrossEnginesThatDieAndPassesOnThatItIsBeingEnded() throws Exception {
        steps = new Steps(folder, o -> o.withGate(gate));
        var commit = commit();
        assertThat(commit.waitFor(200, TimeUnit.MILLISECONDS)).isFalse();
        steps.crash();
        commit.destroy();
        assertThat(commit.waitFor(300, TimeUnit.MILLISECONDS)).isFalse();
        assertThat(drains).hasValue(0);
        gate = new CommitGate(drains::incrementAndGet);
        steps.open();
        steps.heard.await("the request to drain", () -> drains.get() == 1);
        commit.destroy();
        commit.destroy();
        assertThat(commit.waitFor(200, TimeUnit.MILLISECONDS)).isFalse();
        gate.answer(143);
        assertThat(commit.waitFor()).isEqualTo(143);
        assertThat(drains).hasValue(1);
    }

    @Test
    void waitsForASocketThatIsNotThereYet() throws Exception {
        steps = new Steps(folder, o -> o.withGate(gate));
        steps.crash();
        Files.delete(steps.socket.path());
        var commit = commit();
        assertThat(commit.waitFor(300, TimeUnit.MILLISECONDS)).isFalse();
        gate.answer(0);
        steps.open();
        assertThat(commit.waitFor()).isZero();
        assertThat(steps.said()).contains("commit: waiting for the engine at").contains("No such file");
    }

    @Test
    void answersAreExitCodes() {
        assertThatThrownBy(() -> gate.answer(256)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> gate.answer(-1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    @DisplayName("K1 the pod ends with the code of an engine that ended for good, also before it ever listened")
    void endsWithTheCodeOfAnEngineThatHasEnded() throws Exception {
        noEngine();
        Files.delete(steps.socket.path());
        for (int code : new int[] {64, 75, 143, 0}) {
            Files.writeString(ended(), code + "\n");
            var commit = commit("--ended", ended().toString());
            assertThat(commit.waitFor(10, TimeUnit.SECONDS)).isTrue();
            assertThat(commit.exitValue()).isEqualTo(code);
        }
        assertThat(steps.said()).contains("the engine has ended with 75, see the log of its container");
    }

    @Test
    void waitsForTheFileAsLongAsAnEngineMayComeBack() throws Exception {
        noEngine();
        var commit = commit("--ended", ended().toString());
        assertThat(commit.waitFor(300, TimeUnit.MILLISECONDS)).isFalse();
        Files.writeString(folder.resolve("ended.new"), "65\n");
        Files.move(folder.resolve("ended.new"), ended());
        assertThat(commit.waitFor(10, TimeUnit.SECONDS)).isTrue();
        assertThat(commit.exitValue()).isEqualTo(65);
    }

    @Test
    @DisplayName("K1 what the engine answers counts, whatever an earlier life of it has left in the file")
    void anEngineThatListensIsAsked() throws Exception {
        steps = new Steps(folder, o -> o.withGate(gate));
        Files.writeString(ended(), "0\n");
        var commit = commit("--ended", ended().toString());
        assertThat(commit.waitFor(300, TimeUnit.MILLISECONDS)).isFalse();
        gate.answer(74);
        assertThat(commit.waitFor()).isEqualTo(74);
    }

    @Test
    void aFileThatHoldsNoCodeIsNoSuccess() throws Exception {
        noEngine();
        for (var text : List.of("", "\n", "-1", "256", "0x0", "0 ", "all is well", "00000000000000000000")) {
            Files.writeString(ended(), text);
            assertThat(commit("--ended", ended().toString()).waitFor()).as(text).isEqualTo(70);
        }
        Files.delete(ended());
        Files.createDirectory(ended());
        assertThat(commit("--ended", ended().toString()).waitFor()).isEqualTo(70);
        assertThat(steps.said()).contains("holds no exit code").contains("Is a directory");
    }
}
