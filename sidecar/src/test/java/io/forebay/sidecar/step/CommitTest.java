package io.forebay.sidecar.step;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
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

    private Process commit() throws IOException {
        return steps.start(List.of(
                RunnerProgram.program().toString(),
                "commit",
                "--socket",
                steps.socket.path().toString(),
                "--token-file",
                "-"));
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
        java.nio.file.Files.delete(steps.socket.path());
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
}
