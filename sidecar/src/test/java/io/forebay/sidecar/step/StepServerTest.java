package io.forebay.sidecar.step;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.sidecar.step.StepHost.CommandId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The server's decisions, against runners that do what no real one would. */
class StepServerTest {
    @TempDir
    Path folder;

    Steps steps;

    @BeforeEach
    void open() throws IOException {
        steps = new Steps(folder, o -> o.withLostAfter(Duration.ofMillis(300)));
    }

    @AfterEach
    void close() throws InterruptedException {
        steps.close();
    }

    private FakeRunner runner(String instance) throws Exception {
        return FakeRunner.welcomed(steps.socket, "s", "s", 2, instance);
    }

    private CommandId submit() {
        return steps.submit("s", "true");
    }

    @Test
    void sendsNoMoreThanItHasSlotsFor() throws Exception {
        var ids = List.of(submit(), submit(), submit());
        try (var r = runner("a").announced()) {
            assertThat(r.expectId(Protocol.WORK)).isEqualTo(ids.get(0));
            assertThat(r.expectId(Protocol.WORK)).isEqualTo(ids.get(1));
            steps.server.acknowledge(ids.get(2)); // means nothing yet
            r.end(ids.get(1), 0, 0);
            assertThat(r.expectId(Protocol.WORK)).isEqualTo(ids.get(2));
        }
    }

    @Test
    void sendsNothingBeforeTheRunnerHasSaidWhatItHas() throws Exception {
        var id = submit();
        var other = submit();
        try (var r = runner("a")) {
            r.send(Protocol.RUNNING, id).announced();
            assertThat(r.expectId(Protocol.WORK)).isEqualTo(other);
            steps.heard.awaitReattached(id);
            assertThat(steps.heard.reattached()).containsExactly(id);
        }
    }

    @Test
    void sendsAgainWhatWasLostWithTheConnection() throws Exception {
        var first = submit();
        var second = submit();
        try (var r = runner("a").announced()) {
            r.expectId(Protocol.WORK);
            r.expectId(Protocol.WORK);
            r.send(Protocol.STARTED, second);
            steps.heard.awaitStarted(second);
        }
        try (var r = welcomedAgain("a")) {
            r.send(Protocol.RUNNING, second).announced();
            assertThat(r.expectId(Protocol.WORK)).isEqualTo(first);
            assertThat(steps.heard.endCount()).isZero();
        }
    }

    /** The server has to notice first that the old connection is gone. */
    private FakeRunner welcomedAgain(String instance) throws Exception {
        while (true) {
            var r = new FakeRunner(steps.socket);
            r.send(FakeRunner.hello(Steps.TOKEN, "s", "s", 2, instance));
            if (r.read().type == Protocol.WELCOME) {
                return r;
            }
            r.close();
        }
    }

    @Test
    void takesASuccessorInTheSeatForTheDeathOfTheFormer() throws Exception {
        var id = submit();
        try (var r = runner("a").announced()) {
            r.expectId(Protocol.WORK);
            r.send(Protocol.STARTED, id);
            steps.heard.awaitStarted(id);
        }
        try (var r = welcomedAgain("b").announced()) {
            assertThat(steps.heard.end(id).lost()).isTrue();
            assertThat(r).isNotNull();
        }
    }

    @Test
    void fencesWhatItHasToldAsLost() throws Exception {
        var id = submit();
        try (var r = runner("a").announced()) {
            r.expectId(Protocol.WORK);
            r.send(Protocol.STARTED, id);
        }
        assertThat(steps.heard.end(id).lost()).isTrue();
        try (var r = welcomedAgain("a")) {
            r.send(Protocol.RUNNING, id).announced();
            var stop = r.expect(Protocol.STOP);
            assertThat(stop.id()).isEqualTo(id);
            assertThat(stop.u32()).isZero();
            r.end(id, 0, 0);
            assertThat(r.expectId(Protocol.ACK)).isEqualTo(id);
            r.send(Protocol.FORGOTTEN, id);
        }
        assertThat(steps.heard.ends(id)).hasSize(1);
        assertThat(steps.heard.reattached()).isEmpty();
    }

    @Test
    void acknowledgesAgainWhenTheRunnerHadNotHeardIt() throws Exception {
        var id = submit();
        try (var r = runner("a").announced()) {
            r.expectId(Protocol.WORK);
            r.end(id, 4, 0);
            steps.heard.end(id);
            steps.server.acknowledge(id);
            r.expectId(Protocol.ACK);
        }
        try (var r = welcomedAgain("a")) {
            r.end(id, 4, 0).announced();
            assertThat(r.expectId(Protocol.ACK)).isEqualTo(id);
        }
        assertThat(steps.heard.ends(id)).hasSize(1);
    }

    @Test
    void runsElsewhereWhatARunnerDidNotBegin() throws Exception {
        var id = submit();
        try (var r = runner("a").announced();
                var s = FakeRunner.welcomed(steps.socket, "t", "s", 1, "b")) {
            r.expectId(Protocol.WORK);
            s.announced();
            r.send(new FrameWriter(Protocol.LEAVING));
            r.end(id, 0, Protocol.END_LOST | Protocol.END_UNSTARTED);
            assertThat(r.expectId(Protocol.ACK)).isEqualTo(id);
            assertThat(s.expectId(Protocol.WORK)).isEqualTo(id);
            assertThat(steps.heard.endCount()).isZero();
        }
    }

    @Test
    void waitsForAcknowledgementsWhenTooManyAreMissing() throws Exception {
        try (var r = FakeRunner.welcomed(steps.socket, "s", "s", 1, "a").announced()) {
            var first = submit();
            var id = first;
            for (int i = 0; i < Protocol.MAX_UNACKNOWLEDGED; i++) {
                assertThat(r.expectId(Protocol.WORK)).isEqualTo(id);
                r.end(id, 0, 0);
                steps.heard.end(id);
                id = submit();
            }
            steps.server.acknowledge(first);
            assertThat(r.expectId(Protocol.ACK)).isEqualTo(first);
            r.send(Protocol.FORGOTTEN, first);
            assertThat(r.expectId(Protocol.WORK)).isEqualTo(id);
        }
    }

    @Test
    void stopsWhatIsReattachedIfThatWasAsked() throws Exception {
        var id = steps.id("s");
        steps.server.recover(List.of(id));
        steps.server.stop(id, Duration.ofSeconds(7));
        try (var r = runner("a")) {
            r.send(Protocol.RUNNING, id).announced();
            var stop = r.expect(Protocol.STOP);
            assertThat(stop.id()).isEqualTo(id);
            assertThat(stop.u32()).isEqualTo(7000);
        }
    }

    @Test
    void aQuestionAboutALeaseIsNoWhenItsRunnerGoes() throws Exception {
        var id = submit();
        assertThat(steps.server.isUnwritten(id, "/x").get()).isFalse();
        var r = runner("a").announced();
        r.expectId(Protocol.WORK);
        var yes = steps.server.isUnwritten(id, "/\udcff");
        var ask = r.expect(Protocol.LEASE);
        long request = ask.u64();
        assertThat(ask.text()).isEqualTo("/\udcff");
        var open = steps.server.isUnwritten(id, "/y");
        r.expect(Protocol.LEASE);
        r.send(new FrameWriter(Protocol.LEASE_ANSWER).u64(request).u8(1).text(""));
        assertThat(yes.get()).isTrue();
        r.close();
        assertThat(open.get()).isFalse();
        assertThat(steps.server.isUnwritten(id, "/nul\0").get()).isFalse();
    }

    @Test
    void anOrderToClearUpIsGivenAgainToWhoeverComes() throws Exception {
        var id = steps.id("s");
        var cleaned = steps.server.clean(id, List.of("/a", "/b"));
        var r = runner("a").announced();
        r.expect(Protocol.CLEAN);
        r.close();
        try (var again = welcomedAgain("b").announced()) {
            var ask = again.expect(Protocol.CLEAN);
            long request = ask.u64();
            assertThat(ask.list()).containsExactly("/a", "/b");
            again.send(new FrameWriter(Protocol.DONE).u64(request + 7).u64(0).text("not asked"));
            again.send(new FrameWriter(Protocol.DONE).u64(request).u64(3).text(""));
            cleaned.get();
            var opened = steps.server.handOver(id, List.of("/a"), "/m");
            long second = again.expect(Protocol.HANDOVER).u64();
            again.send(new FrameWriter(Protocol.DONE).u64(second).u64(3).text("cannot open /a: Permission denied"));
            assertThatThrownBy(opened::get)
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(IOException.class)
                    .hasMessageContaining("the step runner cannot open /a: Permission denied");
        }
        var never = steps.server.clean(id, List.of("/c"));
        steps.server.close();
        assertThatThrownBy(never::get).hasMessageContaining("closed");
        assertThatThrownBy(() -> steps.server.clean(id, List.of("/c")).get()).hasMessageContaining("closed");
    }

    @Test
    void closingTellsTheEndOfEverything() throws Exception {
        var queued = submit();
        var expected = steps.id("t");
        steps.server.recover(List.of(expected));
        steps.server.close();
        assertThat(steps.heard.end(queued).lost()).isTrue();
        assertThat(steps.heard.end(expected).lost()).isTrue();
        assertThat(steps.socket.path()).doesNotExist();
    }

    @Test
    void anotherVersionIsRefusedForGood() throws Exception {
        try (var r = new FakeRunner(steps.socket)) {
            r.send(new FrameWriter(Protocol.HELLO)
                    .u32(Protocol.MAGIC)
                    .u16(Protocol.VERSION + 1)
                    .text("something else"));
            var refused = r.expect(Protocol.REFUSED);
            assertThat(refused.u8()).isEqualTo(Protocol.REFUSED_FOR_GOOD);
            assertThat(refused.text()).contains("version " + (Protocol.VERSION + 1));
            assertThat(r.closedByPeer()).isTrue();
        }
    }

    @Test
    void theSocketIsForOwnerAndGroupAndMayHaveALongPath() throws Exception {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(steps.socket.path())))
                .isEqualTo("rw-rw----");
        var deep = Files.createDirectories(folder.resolve("x".repeat(100)).resolve("y".repeat(100)));
        try (var far = new Steps(deep)) {
            var runner = far.runner("s", 1);
            assertThat(far.run("exit 5").exit()).isEqualTo(5);
            assertThat(runner.isAlive()).isTrue();
        }
    }

    @Test
    void aListenerThatFailsDoesNotStopTheOthersEvents() throws Exception {
        var heard = new Heard();
        var broken = new StepHost.Listener() {
            @Override
            public void started(CommandId id) {
                throw new IllegalStateException("broken");
            }

            @Override
            public void ended(CommandId id, StepHost.End end) {
                heard.ended(id, end);
            }

            @Override
            public void reattached(List<CommandId> running) {}
        };
        var socket = new SocketPath(folder.resolve("other.sock"));
        var id = new CommandId(1, 1, 1, "s");
        try (var server = StepServer.open(StepServer.Options.of(socket, Steps.TOKEN), broken);
                var r = FakeRunner.welcomed(socket, "s", "s", 1, "a").announced()) {
            server.submit(steps.command(id, "true"));
            r.expectId(Protocol.WORK);
            r.send(Protocol.STARTED, id).end(id, 3, 0);
            assertThat(heard.end(id).exit()).isEqualTo(3);
            r.close();
        }
    }
}
