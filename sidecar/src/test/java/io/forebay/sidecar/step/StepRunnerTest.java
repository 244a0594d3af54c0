package io.forebay.sidecar.step;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The real program against the real server: how commands start, write and end. */
class StepRunnerTest {
    @TempDir
    Path folder;

    Steps steps;

    @BeforeEach
    void open() throws IOException {
        steps = new Steps(folder);
        steps.runner("s", 8);
    }

    @AfterEach
    void close() throws InterruptedException {
        steps.close();
    }

    @Test
    void tellsEveryExitCodeAsItIs() {
        var ids = new ArrayList<StepHost.CommandId>();
        for (int code = 0; code < 256; code++) {
            ids.add(steps.sh("exit " + code));
        }
        for (int code = 0; code < 256; code++) {
            var end = steps.heard.end(ids.get(code));
            assertThat(end.exit()).as("exit %d", code).isEqualTo(code);
            assertThat(end.signal()).as("exit %d", code).isZero();
            assertThat(end.lost()).isFalse();
            steps.server.acknowledge(ids.get(code));
        }
    }

    @Test
    void tellsEverySignalApartFromExitCodes() {
        var ids = new ArrayList<StepHost.CommandId>();
        var signals = new ArrayList<Integer>();
        for (int signal = 1; signal <= 64; signal++) {
            if (!List.of(17, 18, 19, 20, 21, 22, 23, 28, 32, 33).contains(signal)) { // ignored or stopping by default, or the C library's own
                signals.add(signal);
                ids.add(steps.sh("kill -" + signal + " $$"));
            }
        }
        for (int i = 0; i < ids.size(); i++) {
            var end = steps.heard.end(ids.get(i));
            assertThat(end.signal()).as("signal %d", signals.get(i)).isEqualTo(signals.get(i));
            assertThat(end.exit()).isZero();
        }
    }

    @Test
    void saysWhyAProgramCannotBeStarted() throws IOException {
        Files.writeString(folder.resolve("text"), "no program");
        var missing = steps.heard.end(steps.submit("s", "no-such-program"));
        assertThat(missing.exit()).isEqualTo(127);
        assertThat(missing.problem()).contains("no-such-program: not found");
        var denied = steps.heard.end(steps.submit("s", folder + "/text"));
        assertThat(denied.exit()).isEqualTo(126);
        assertThat(denied.problem()).contains("/text: cannot be run: Permission denied");
        var folderItself = steps.heard.end(steps.submit("s", folder.toString()));
        assertThat(folderItself.exit()).isEqualTo(126);
    }

    @Test
    void givesTheOutputToLogTailAndOwnOutput() throws IOException {
        var id = steps.sh("echo one; echo two >&2; printf three");
        var end = steps.heard.end(id);
        assertThat(end.success()).isTrue();
        assertThat(end.logTail()).isEqualTo("one\ntwo\nthree");
        assertThat(steps.log(id)).hasContent("one\ntwo\nthree");
        assertThat(steps.said()).contains("[item-0] one\n[item-0] two\n[item-0] three\n");
    }

    @Test
    void stopsWithSigtermThenSigkill() {
        var polite = steps.sh("trap 'exit 7' TERM; echo up; while :; do sleep 0.01; done");
        var deaf = steps.sh("trap '' TERM; while :; do sleep 0.01; done");
        steps.heard.awaitStarted(polite);
        steps.heard.awaitStarted(deaf);
        steps.heard.await("the trap", () -> steps.log(polite).toFile().length() > 0);
        steps.server.stop(polite, Duration.ofSeconds(30));
        assertThat(steps.heard.end(polite).exit()).isEqualTo(7);
        steps.server.stop(deaf, Duration.ofMillis(300));
        var end = steps.heard.end(deaf);
        assertThat(end.signal()).isEqualTo(9);
        assertThat(end.oomKilled()).isFalse();
    }

    @Test
    @DisplayName("500 short commands over 8 slots: at most 2 ms each")
    void shortCommandsCostLittle() {
        long began = System.nanoTime();
        var ids = new ArrayList<StepHost.CommandId>();
        for (int i = 0; i < 500; i++) {
            ids.add(steps.submit("s", "/bin/true"));
        }
        for (var id : ids) {
            assertThat(steps.heard.end(id).success()).isTrue();
            steps.server.acknowledge(id);
        }
        double each = (System.nanoTime() - began) / 1e6 / 500;
        System.out.printf("step runner: %.2f ms for each of 500 commands over 8 slots%n", each);
        assertThat(each).isLessThan(20);
    }
}
