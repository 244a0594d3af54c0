package io.forebay.sidecar.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.api.value.Bytes;
import io.forebay.sidecar.os.Posix;
import io.forebay.sidecar.store.FileMeta;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.StoreException.Kind;
import io.forebay.testing.FaultyStore;
import io.forebay.testing.MemoryStore;
import io.forebay.testing.Wait;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class FetchTest {
    private static final FileMeta META = new FileMeta(0640, 1_700_000_000_123_456_789L, null);

    @TempDir
    Path folder;

    private final MemoryStore memory = new MemoryStore();
    private EngineFixture fixture;

    @BeforeEach
    void open() {
        fixture = new EngineFixture(folder);
    }

    /** From now on stalls are noticed soon. */
    private void becomeQuick() {
        fixture.close();
        fixture = new EngineFixture(folder, EngineFixture.QUICK, 16L << 20, PosixBufferFile.OPENER);
    }

    @AfterEach
    void givesAllBack() {
        Wait.until("all chunks are back", () -> fixture.pool.lentBytes() == 0);
        fixture.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 10_240, 65_536, 65_537, 2_097_152, 2_097_153, 9_000_001})
    void bringsFilesOfAnySizeWholeWithModeAndTime(int size) throws Exception {
        var content = EngineFixture.random(size, size);
        var fetched = fixture.engine.fetch(memory, memory.with("a", content), META, fixture.path("a"));

        assertThat(fixture.bytes("a")).isEqualTo(content);
        assertThat(fetched.size()).isEqualTo(size);
        assertThat(fetched.crc32c()).isEqualTo(EngineFixture.crc(content));
        assertThat(fetched.verified()).isTrue();
        var stat = Posix.stat(fixture.path("a"));
        assertThat(stat.permissions()).isEqualTo(0640);
        assertThat(stat.mtimeNanos()).isEqualTo(META.mtimeNanos());
        assertThat(fixture.counters.bytesFetched()).isEqualTo(size);
        assertThat(fixture.counters.filesFetched()).isEqualTo(1);
    }

    @Test
    void whatTheStoreTellsOfModeAndTimeWinsOverTheListing() throws Exception {
        var version = memory.with("a", new byte[3], new FileMeta(0750, 42_000_000_000L, null));
        fixture.engine.fetch(memory, version, META, fixture.path("a"));
        var stat = Posix.stat(fixture.path("a"));
        assertThat(stat.permissions()).isEqualTo(0750);
        assertThat(stat.mtimeNanos()).isEqualTo(42_000_000_000L);
    }

    @Test
    void partsOfOneFileOverlap() throws Exception {
        var store = new FaultyStore(memory).waiting("read", Duration.ofMillis(100));
        fixture.engine.fetch(store, memory.with("a", EngineFixture.random(8 << 20, 1)), META, fixture.path("a"));
        assertThat(store.mostAtOnce("read")).isGreaterThan(3);
    }

    @Test
    @DisplayName("I5 a body that ends early is read on from where it ended, counted, and nothing short is ready")
    void readsOnWhereABodyEnded() throws Exception {
        var content = EngineFixture.random(3 << 20, 1);
        var store = new FaultyStore(memory).cutting(n -> n == 1, 700_000).endingEarly(n -> n == 2, 200_000);
        fixture.engine.fetch(store, memory.with("a", content), META, fixture.path("a"));
        assertThat(fixture.bytes("a")).isEqualTo(content);
        assertThat(fixture.counters.retries()).isEqualTo(2);
        assertThat(memory.bytesRead.get()).as("Z5 fetched at most 1.1 times").isLessThan(content.length * 11L / 10);
        assertThat(fixture.counters.bytesFetched()).isEqualTo(content.length);
    }

    @Test
    @DisplayName("I5 a flipped bit is found by the checksum of the whole, and the file read again")
    void findsAFlippedBit() throws Exception {
        var content = EngineFixture.random(5 << 20, 1);
        var store = new FaultyStore(memory).flipping("read", n -> n == 2, 12_345);
        var fetched = fixture.engine.fetch(store, memory.with("a", content), META, fixture.path("a"));
        assertThat(fixture.bytes("a")).isEqualTo(content);
        assertThat(fetched.verified()).isTrue();
        assertThat(fixture.counters.corruptions()).isEqualTo(1);
        assertThat(fixture.counters.bytesFetched()).isEqualTo(content.length);
    }

    @Test
    @DisplayName("I5 wrong bytes are found also where the first answer broke off and the checksum came with it")
    void asksForTheChecksumAgain() throws Exception {
        var content = EngineFixture.random(900_000, 1);
        var store = new FaultyStore(memory).cutting(n -> n == 1, 500_000).flipping("read", n -> n == 1, 300);
        var fetched = fixture.engine.fetch(store, memory.with("a", content), META, fixture.path("a"));
        assertThat(fixture.bytes("a")).isEqualTo(content);
        assertThat(fetched.verified()).isTrue();
        assertThat(fixture.counters.corruptions()).isEqualTo(1);
    }

    @Test
    void bytesThatAreAlwaysWrongFailAfterFourTries() {
        var store = new FaultyStore(memory).flipping("read", n -> true, 5);
        assertThatThrownBy(() -> fixture.engine.fetch(store, memory.with("a", new byte[100]), META, fixture.path("a")))
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.CORRUPT))
                .hasMessageContaining("tried 4 times");
        assertThat(store.calls("read")).isEqualTo(4);
        assertThat(fixture.counters.bytesFetched()).isZero();
        assertThat(fixture.counters.filesFetched()).isZero();
    }

    @Test
    void saysSoWhereTheStoreHasNoChecksum() throws Exception {
        memory.withoutChecksums();
        assertThat(fixture.engine
                        .fetch(memory, memory.with("a", new byte[9]), META, fixture.path("a"))
                        .verified())
                .isFalse();
    }

    @Test
    @DisplayName("I5 one hanging request of many is overtaken by a second one")
    void overtakesAHangingRequest() throws Exception {
        becomeQuick();
        var content = EngineFixture.random(10 << 20, 1);
        var never = new CountDownLatch(1);
        var store = new FaultyStore(memory).hanging("read", n -> n == 3, never);
        long begun = System.nanoTime();
        fixture.engine.fetch(store, memory.with("a", content), META, fixture.path("a"));
        assertThat(Duration.ofNanos(System.nanoTime() - begun))
                .isLessThan(EngineFixture.QUICK.readStallAfter().plusSeconds(3));
        assertThat(fixture.bytes("a")).isEqualTo(content);
        assertThat(fixture.counters.hedges()).isEqualTo(1);
        assertThat(fixture.counters.retries()).isZero();
    }

    @Test
    @DisplayName("I5 a request that hangs in the kernel is overtaken too, and what it delivers later is not taken")
    void aRequestThatCannotBeInterruptedIsLeftBehind() throws Exception {
        becomeQuick();
        var content = EngineFixture.random(5 << 20, 1);
        var release = new CountDownLatch(1);
        var store = new FaultyStore(memory).hangingHard("read", n -> n == 2, release);
        fixture.engine.fetch(store, memory.with("a", content), META, fixture.path("a"));
        assertThat(fixture.bytes("a")).isEqualTo(content);
        assertThat(store.running("read")).isEqualTo(1);
        Files.write(folder.resolve("a"), new byte[] {1}); // as a step may do
        release.countDown();
        Wait.until("the request has come back", () -> store.running("read") == 0);
        assertThat(fixture.bytes("a")).containsExactly(1);
    }

    @Test
    void whenAllRequestsHangItFailsAsTransient() {
        var store = new FaultyStore(memory).hanging("read", n -> true, new CountDownLatch(1));
        var config = withTries(2);
        try (var patient = new EngineFixture(folder, config, 8 << 20, PosixBufferFile.OPENER)) {
            assertThatThrownBy(
                            () -> patient.engine.fetch(store, memory.with("a", new byte[100]), META, fixture.path("a")))
                    .isInstanceOfSatisfying(
                            StoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.TRANSIENT));
            Wait.until("all requests have ended", () -> store.running("read") == 0);
        }
    }

    private static TransferConfig withTries(int tries) {
        var q = EngineFixture.QUICK;
        return new TransferConfig(
                q.splitAbove(),
                q.smallestPart(),
                q.largestPart(),
                q.hedgeAfter(),
                Duration.ofMillis(600),
                q.writeStallAfter(),
                q.interruptGrace(),
                q.restages(),
                new Retry.Policy(
                        tries, 4, 3, Duration.ofMillis(1), Duration.ofMillis(8), Duration.ZERO, Duration.ofMinutes(1)));
    }

    @ParameterizedTest
    @DisplayName("R6 what will not change is tried once")
    @ValueSource(strings = {"DENIED", "NOT_FOUND", "CHANGED", "PERMANENT"})
    void triesPermanentFailuresOnce(String kind) {
        var store = new FaultyStore(memory).failing("read", n -> true, Kind.valueOf(kind));
        assertThatThrownBy(() -> fixture.engine.fetch(store, memory.with("a", new byte[100]), META, fixture.path("a")))
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.valueOf(kind)));
        assertThat(store.calls("read")).isEqualTo(1);
    }

    @Test
    @DisplayName("R6 credentials that expired are tried again")
    void triesExpiredCredentialsAgain() throws Exception {
        var store = new FaultyStore(memory).failing("read", 1, Kind.CREDENTIALS);
        fixture.engine.fetch(store, memory.with("a", new byte[100]), META, fixture.path("a"));
        assertThat(store.calls("read")).isEqualTo(2);
    }

    @Test
    void oneFailedPartEndsTheOthers() {
        var store = new FaultyStore(memory)
                .failing("read", 4, Kind.DENIED)
                .hanging("read", n -> n != 4, new CountDownLatch(1));
        assertThatThrownBy(() -> fixture.engine.fetch(
                        store, memory.with("a", EngineFixture.random(16 << 20, 1)), META, fixture.path("a")))
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.DENIED));
        Wait.until("all requests have ended", () -> store.running("read") == 0);
    }

    @Test
    void anInterruptedCallerIsFreeAtOnceEvenIfTheStoreHangsInTheKernel() throws Exception {
        var release = new CountDownLatch(1);
        var store = new FaultyStore(memory).hangingHard("read", n -> true, release);
        var version = memory.with("a", EngineFixture.random(16 << 20, 1));
        var outcome = new AtomicReference<Throwable>();
        var caller = Thread.ofVirtual().start(() -> {
            try {
                fixture.engine.fetch(store, version, META, fixture.path("a"));
            } catch (Throwable e) {
                outcome.set(e);
            }
        });
        Wait.until("requests run", () -> store.running("read") >= 4);
        caller.interrupt();
        assertThat(caller.join(Duration.ofSeconds(2))).isTrue();
        assertThat(outcome.get()).isInstanceOf(InterruptedException.class);
        release.countDown();
    }

    @Test
    void zerosTakeNoSpace() throws Exception {
        var content = new byte[6 << 20];
        Arrays.fill(content, 3 << 20, (3 << 20) + 100, (byte) 7);
        content[content.length - 1] = 1;
        fixture.engine.fetch(memory, memory.with("a", content), META, fixture.path("a"));
        assertThat(fixture.bytes("a")).isEqualTo(content);
        assertThat(Posix.stat(fixture.path("a")).allocatedBytes()).isLessThanOrEqualTo(256 << 10);
    }

    @Test
    void zerosAreWrittenWhereAWrongPieceMayLie() throws Exception {
        // The store itself finds the first answer corrupt, after it gave it out.
        var zeros = new byte[1 << 20];
        var version = memory.with("a", zeros);
        var store =
                new FaultyStore(memory).flipping("read", n -> n == 1, 70_000).failingAfter("read", 1, Kind.CORRUPT);
        fixture.engine.fetch(store, version, META, fixture.path("a"));
        assertThat(fixture.bytes("a")).isEqualTo(zeros);
        assertThat(store.calls("read")).isEqualTo(2);
    }

    @Test
    void anOlderFileOfThatNameIsReplacedNotOverwritten() throws Exception {
        Files.write(folder.resolve("a"), new byte[] {9, 9, 9});
        try (var reader = Files.newByteChannel(folder.resolve("a"))) {
            fixture.engine.fetch(memory, memory.with("a", new byte[1]), META, fixture.path("a"));
            assertThat(reader.size()).isEqualTo(3);
        }
        assertThat(fixture.bytes("a")).containsExactly(0);
    }

    @Test
    @DisplayName("Z6 a bandwidth limit holds over the whole transfer")
    void keepsTheBandwidth() throws Exception {
        long rate = 20_000_000;
        fixture.engine.limit(
                memory, new StoreLimits(java.util.Optional.of(Bytes.of(rate)), java.util.Optional.empty(), 8, 8, true));
        var content = EngineFixture.random(20_000_000, 1);
        long begun = System.nanoTime();
        fixture.engine.fetch(memory, memory.with("a", content), META, fixture.path("a"));
        double seconds = (System.nanoTime() - begun) / 1e9;
        assertThat(content.length / seconds).isLessThan(rate * 1.45); // a quarter second's worth and a piece in advance
        assertThat(seconds)
                .as("nor much below it, on a machine that others use too")
                .isLessThan(10);
    }
}
