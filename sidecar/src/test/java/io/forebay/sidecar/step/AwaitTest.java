package io.forebay.sidecar.step;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The sidecar container's postStart: the next container is started when it has ended. */
class AwaitTest {
    @TempDir
    Path folder;

    Steps steps;

    @BeforeEach
    void noEngine() throws IOException {
        steps = new Steps(folder);
        steps.crash(); // its socket is there, and nobody listens
    }

    @AfterEach
    void close() throws InterruptedException {
        steps.close();
    }

    private Process await(String... args) throws IOException {
        var command = new ArrayList<>(List.of(RunnerProgram.program().toString(), "await"));
        command.addAll(List.of(args));
        return steps.start(command);
    }

    private Process await() throws IOException {
        return await("--socket", steps.socket.path().toString(), "--ended", folder + "/ended");
    }

    private static void endsWithZero(Process await) throws InterruptedException {
        assertThat(await.waitFor(10, TimeUnit.SECONDS)).isTrue();
        assertThat(await.exitValue()).isZero();
    }

    @Test
    @DisplayName("K1 the next container starts when the engine listens")
    void waitsForTheSocket() throws Exception {
        var await = await();
        assertThat(await.waitFor(300, TimeUnit.MILLISECONDS)).isFalse();
        Files.delete(steps.socket.path());
        assertThat(await.waitFor(300, TimeUnit.MILLISECONDS)).isFalse();
        steps.open();
        endsWithZero(await);
        endsWithZero(await());
        assertThat(steps.notes).as("the engine takes no offence").isEmpty();
    }

    @Test
    @DisplayName("K1 the next container starts when the engine has ended for good, for commit has to tell it")
    void orForTheEnd() throws Exception {
        var await = await();
        assertThat(await.waitFor(300, TimeUnit.MILLISECONDS)).isFalse();
        Files.writeString(folder.resolve("ended"), "64\n");
        endsWithZero(await);
    }

    @Test
    void needsBoth() throws Exception {
        assertThat(await("--socket", "s").waitFor()).isEqualTo(64);
        assertThat(await("--ended", "e").waitFor()).isEqualTo(64);
        assertThat(await("--socket", "s", "--ended").waitFor()).isEqualTo(64);
        assertThat(await("--ended", "e", "--sockets", "s").waitFor()).isEqualTo(64);
        assertThat(steps.said()).contains("usage: await");
    }
}
