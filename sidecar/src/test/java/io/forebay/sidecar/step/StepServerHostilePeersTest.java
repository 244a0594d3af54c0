package io.forebay.sidecar.step;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever connects, the engine lives on and serves its own runner. Seeds are printed; -Dforebay.seed repeats one. */
class StepServerHostilePeersTest {
    @TempDir
    Path folder;

    Steps steps;
    final long seed = Long.getLong("forebay.seed", System.nanoTime());
    final Random random = new Random(seed);

    @BeforeEach
    void open() throws IOException {
        System.out.println("StepServerHostilePeersTest seed " + seed);
        steps = new Steps(folder, o -> o.withLostAfter(Duration.ofMillis(300)));
    }

    @AfterEach
    void close() throws InterruptedException {
        steps.close();
    }

    private SocketChannel connect() throws IOException {
        return SocketChannel.open(UnixDomainSocketAddress.of(steps.socket.path()));
    }

    private void stillServes() throws Exception {
        try (var r = FakeRunner.welcomed(steps.socket, "good-" + random.nextInt(), "g", 1, "i")
                .announced()) {
            var id = steps.submit("g", "true");
            assertThat(r.expectId(Protocol.WORK)).isEqualTo(id);
            r.end(id, 6, 0);
            assertThat(steps.heard.end(id).exit()).isEqualTo(6);
        }
    }

    /** Descriptors of this process; those of closed connections go at once. */
    private static int descriptors() {
        return Processes.descriptors(ProcessHandle.current().pid());
    }

    @Test
    void garbageCutShortOrEndlessIsCutOff() throws Exception {
        int before = descriptors();
        for (int i = 0; i < 300; i++) {
            try (var c = connect()) {
                var bytes = new byte[random.nextInt(1, 3000)];
                random.nextBytes(bytes);
                if (random.nextBoolean()) { // a believable length
                    ByteBuffer.wrap(bytes.length < 4 ? bytes = new byte[4] : bytes)
                            .putInt(random.nextInt(1, 2000));
                }
                c.write(ByteBuffer.wrap(bytes));
            } catch (IOException e) {
                // Cut off while we wrote.
            }
        }
        stillServes();
        steps.heard.await("no descriptors left", () -> descriptors() <= before + 5);
    }

    @Test
    void mutatedFramesOfARunnerThatHasTheTokenDoNoHarm() throws Exception {
        var id = new StepHost.CommandId(5, 1, 1, "s");
        for (int i = 0; i < 400; i++) {
            try (var r = new FakeRunner(steps.socket)) {
                r.raw(mutated(
                        FakeRunner.hello(
                                Steps.TOKEN,
                                "seat" + random.nextInt(3),
                                "s",
                                1 + random.nextInt(4),
                                "i" + random.nextInt(2)),
                        10));
                for (int n = random.nextInt(8); n > 0; n--) {
                    r.raw(mutated(any(id), 4));
                }
            } catch (IOException e) {
                // Cut off while we wrote.
            }
        }
        stillServes();
    }

    private FrameWriter any(StepHost.CommandId id) {
        int type = 0x80 + random.nextInt(16);
        var frame = new FrameWriter(type);
        return switch (type) {
            case Protocol.RUNNING, Protocol.STARTED, Protocol.FORGOTTEN -> frame.id(id);
            case Protocol.END ->
                frame.id(id)
                        .u8(random.nextInt(256))
                        .u8(random.nextInt(256))
                        .u8(random.nextInt(8))
                        .u64(1)
                        .u64(2)
                        .u64(3)
                        .u64(4)
                        .text("x")
                        .text("");
            case Protocol.OUTPUT -> frame.id(id).u64(random.nextLong()).data(new byte[random.nextInt(5000)]);
            case Protocol.LEASE_ANSWER ->
                frame.u64(random.nextInt(5)).u8(random.nextInt(4)).text("");
            case Protocol.DONE -> frame.u64(random.nextInt(5)).u64(1).text("");
            case Protocol.NOTE -> frame.text("note " + random.nextInt());
            default -> frame;
        };
    }

    /** One time in {@code odds}. */
    private ByteBuffer mutated(FrameWriter frame, int odds) {
        var bytes = frame.frame();
        if (random.nextInt(odds) != 0) {
            return bytes;
        }
        switch (random.nextInt(4)) {
            case 0 -> bytes.put(random.nextInt(bytes.limit()), (byte) random.nextInt());
            case 1 -> bytes.putInt(0, random.nextInt());
            case 2 -> bytes.limit(random.nextInt(bytes.limit() + 1));
            default -> {
                int at = random.nextInt(bytes.limit());
                if (at + 4 <= bytes.limit()) {
                    bytes.putInt(at, random.nextInt(-2, 100_000));
                }
            }
        }
        return bytes;
    }

    @Test
    @DisplayName("a length of 4 GiB, of 0, or of more than a HELLO costs nothing")
    void lyingLengths() throws Exception {
        for (long length : new long[] {0xFFFF_FFFFL, 0x7FFF_FFFFL, 0, Protocol.MAX_FRAME, Protocol.MAX_HELLO + 1}) {
            try (var c = connect()) {
                c.write(ByteBuffer.allocate(4).putInt((int) length).flip());
                assertThat(c.read(ByteBuffer.allocate(10))).as("%d", length).isEqualTo(-1);
            }
        }
        stillServes();
    }

    @Test
    void whoSaysNothingIsCutOffAfterFiveSeconds() throws Exception {
        long began = System.nanoTime();
        try (var silent = connect();
                var slow = connect()) {
            slow.write(ByteBuffer.wrap(new byte[] {0, 0, 0, 100, (byte) Protocol.HELLO}));
            assertThat(silent.read(ByteBuffer.allocate(10))).isEqualTo(-1);
            assertThat(slow.read(ByteBuffer.allocate(10))).isEqualTo(-1);
        }
        assertThat(Duration.ofNanos(System.nanoTime() - began))
                .isBetween(Duration.ofMillis(4500), Duration.ofSeconds(30));
        stillServes();
    }

    @Test
    @DisplayName("10,000 connections that say nothing keep neither descriptors nor the runner's place")
    void tenThousandConnections() throws Exception {
        int before = descriptors();
        List<SocketChannel> mine = new ArrayList<>();
        int most = 0;
        try {
            for (int i = 0; i < 10_000; i++) {
                mine.add(connect());
                if (mine.size() > 200) {
                    mine.removeFirst().close();
                }
                if (i % 1000 == 0) {
                    stillServes();
                    most = Math.max(most, descriptors() - before - mine.size());
                }
            }
        } finally {
            for (var c : mine) {
                c.close();
            }
        }
        assertThat(most).as("descriptors of the server's").isLessThan(150);
        steps.heard.await("no descriptors left", () -> descriptors() <= before + 5);
    }

    @Test
    void aRunnerThatNeverReadsIsCutOff() throws Exception {
        try (var r = FakeRunner.welcomed(steps.socket, "s", "s", 1, "deaf").announced()) {
            var id = steps.submit("s", "true");
            assertThat(r.expectId(Protocol.WORK)).isEqualTo(id);
            var path = "/" + "x".repeat(100_000);
            var last = steps.server.isUnwritten(id, path);
            for (int i = 0; i < 300; i++) {
                last = steps.server.isUnwritten(id, path);
            }
            assertThat(last.get()).isFalse();
            assertThat(steps.heard.end(id).lost()).isTrue();
        }
        stillServes();
    }
}
