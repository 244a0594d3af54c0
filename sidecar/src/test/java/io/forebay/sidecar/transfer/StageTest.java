package io.forebay.sidecar.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.sidecar.store.Crc32c;
import io.forebay.sidecar.store.StagedFile;
import io.forebay.sidecar.store.Store;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.StoreException.Kind;
import io.forebay.sidecar.transfer.Transfers.BufferIoException;
import io.forebay.testing.FaultyStore;
import io.forebay.testing.MemoryStore;
import io.forebay.testing.Wait;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
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
class StageTest {
    @TempDir
    Path folder;

    private final MemoryStore memory = new MemoryStore(1 << 20, 0);
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

    private byte[] file(int size) throws Exception {
        var content = EngineFixture.random(size, size);
        Files.write(folder.resolve("a"), content);
        return content;
    }

    private StagedFile stage(Store store, int size) throws Exception {
        return fixture.engine.stage(store, fixture.stub(store, "a", size), fixture.path("a"));
    }

    private void publish(StagedFile staged) throws Exception {
        assertThat(memory.publish(staged, new Store.InlineSource.Absent())).isEqualTo(Store.PublishOutcome.PUBLISHED);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 65_537, 1_048_576, 1_500_000, 2_097_153, 7_000_001})
    void stagesFilesOfAnySizeInvisibly(int size) throws Exception {
        var content = file(size);
        var staged = stage(memory, size);
        assertThat(memory.keys()).isEmpty();
        assertThat(staged.size()).isEqualTo(size);
        assertThat(staged.crc32c()).isEqualTo(EngineFixture.crc(content));
        publish(staged);
        assertThat(memory.content("a")).isEqualTo(content);
        assertThat(fixture.counters.bytesStaged()).isEqualTo(size);
        assertThat(fixture.counters.filesStaged()).isEqualTo(1);
    }

    @Test
    void smallOnesStayInTheBufferUntilTheCommit() throws Exception {
        var inline = new MemoryStore(1 << 20, 5_000);
        var content = file(4_000);
        var staged = stage(inline, 4_000);
        assertThat(staged.stub().kind()).isEqualTo(StagedFile.Kind.INLINE);
        assertThat(staged.crc32c()).isEqualTo(EngineFixture.crc(content));
        assertThat(inline.staged()).isEmpty();
    }

    @Test
    void smallOnesAreSentAtTheCommitWithinTheLimits() throws Exception {
        var inline = new MemoryStore(1 << 20, 5_000);
        var content = file(4_000);
        var staged = stage(inline, 4_000);
        var store = new FaultyStore(inline).failing("publish", 1, Kind.TRANSIENT);
        assertThat(fixture.engine.publish(store, staged, fixture.path("a"))).isEqualTo(Store.PublishOutcome.PUBLISHED);
        assertThat(inline.content("a")).isEqualTo(content);
        assertThat(fixture.counters.bytesStaged()).isEqualTo(4_000);
        assertThat(fixture.counters.retries()).isEqualTo(1);
        assertThat(fixture.engine.publish(inline, staged, null)).as("again").isEqualTo(Store.PublishOutcome.PUBLISHED);
    }

    @Test
    @DisplayName("C10 a small one whose buffer died is lost, and said to be")
    void smallOnesMayBeLost() throws Exception {
        var inline = new MemoryStore(1 << 20, 5_000);
        file(4_000);
        var staged = stage(inline, 4_000);
        assertThat(fixture.engine.publish(inline, staged, null)).isEqualTo(Store.PublishOutcome.LOST);
        assertThatThrownBy(() -> fixture.engine.publish(inline, staged, fixture.path("gone")))
                .isInstanceOf(BufferIoException.class);
    }

    @Test
    void publishesWhatWaitsAtTheStore() throws Exception {
        var content = file(5 << 20);
        var staged = stage(memory, 5 << 20);
        assertThat(fixture.engine.publish(memory, staged, null)).isEqualTo(Store.PublishOutcome.PUBLISHED);
        assertThat(memory.content("a")).isEqualTo(content);
    }

    @Test
    @DisplayName("C6 parts that the store has from before a crash are compared, not sent, and count as staged")
    void partsThatAreThereAreOnlyLookedAt() throws Exception {
        file(5 << 20);
        var store = new FaultyStore(memory).peeking("write", n -> n <= 3);
        var staged = stage(store, 5 << 20);
        assertThat(staged.crc32c()).isEqualTo(EngineFixture.crc(fixture.bytes("a")));
        assertThat(fixture.counters.bytesStaged()).isEqualTo(5 << 20);
    }

    @Test
    void partsOfOneFileOverlap() throws Exception {
        file(8 << 20);
        var store = new FaultyStore(memory).waiting("write", Duration.ofMillis(100));
        stage(store, 8 << 20);
        assertThat(store.mostAtOnce("write")).isGreaterThan(3);
    }

    @ParameterizedTest
    @DisplayName("D5 a bit flipped or an end cut off in every 10th part: found, sent again, the right bytes staged")
    @ValueSource(ints = {10_000, 20 << 20})
    void findsWrongBytesOnTheirWay(int size) throws Exception {
        var content = file(size);
        var store = new FaultyStore(memory)
                .flipping("write", n -> n % 10 == 1, 3_000)
                .failing("write", n -> n % 10 == 5, Kind.TRANSIENT);
        publish(stage(store, size));
        assertThat(memory.content("a")).isEqualTo(content);
        assertThat(fixture.counters.corruptions()).isPositive();
        assertThat(fixture.counters.bytesStaged()).isEqualTo(size);
    }

    @ParameterizedTest
    @DisplayName("D5 a bit flipped in every upload: fails, nothing is sealed")
    @ValueSource(ints = {10_000, 5 << 20})
    void neverSealsWrongBytes(int size) throws Exception {
        file(size);
        var store = new FaultyStore(memory).flipping("write", n -> true, 3_000);
        assertThatThrownBy(() -> stage(store, size))
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.CORRUPT));
        assertThat(store.calls("seal")).isZero();
        assertThat(memory.keys()).isEmpty();
        assertThat(fixture.counters.bytesStaged()).isZero();
    }

    @ParameterizedTest
    @DisplayName("C8 an I/O error at the seal: the file is staged anew, not only sealed anew")
    @ValueSource(ints = {10_000, 5 << 20})
    void aFailedSealBeginsAnew(int size) throws Exception {
        var content = file(size);
        var store = new FaultyStore(memory).failing("seal", 1, Kind.TRANSIENT);
        publish(stage(store, size));
        assertThat(memory.content("a")).isEqualTo(content);
        assertThat(store.calls("open")).isEqualTo(2);
        assertThat(store.calls("write")).isEqualTo(2 * Math.max(1, size >> 20));
        assertThat(fixture.counters.bytesStaged()).isEqualTo(size);
    }

    @Test
    void aSealThatFailsForEverEndsAfterThreeNewBeginnings() throws Exception {
        file(5 << 20);
        var store = new FaultyStore(memory).failing("seal", n -> true, Kind.TRANSIENT);
        assertThatThrownBy(() -> stage(store, 5 << 20)).isInstanceOf(StoreException.class);
        assertThat(store.calls("seal")).isEqualTo(4);
        assertThat(fixture.counters.filesStaged()).isZero();
    }

    @ParameterizedTest
    @DisplayName("D2 a full destination is told as it is, after one try")
    @ValueSource(ints = {10_000, 5 << 20})
    void passesOnThatThereIsNoSpace(int size) throws Exception {
        file(size);
        var store = new FaultyStore(memory).failing("write", n -> n == 1, Kind.NO_SPACE);
        assertThatThrownBy(() -> stage(store, size))
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.NO_SPACE));
    }

    @ParameterizedTest
    @ValueSource(ints = {10_000, 5 << 20})
    void aSourceThatBecameShorterIsTheBuffersFault(int size) throws Exception {
        file(size - 5);
        assertThatThrownBy(() -> stage(memory, size))
                .isInstanceOf(BufferIoException.class)
                .hasMessageContaining("ends at byte " + (size - 5));
        assertThat(memory.keys()).isEmpty();
    }

    @Test
    void aSourceThatIsGoneIsTheBuffersFaultAlsoWhenItIsEmpty() {
        assertThatThrownBy(() -> stage(memory, 0))
                .isInstanceOf(BufferIoException.class)
                .hasMessageContaining("ENOENT");
    }

    @Test
    void aWriteThatStallsIsGivenUpAndMadeAgain() throws Exception {
        becomeQuick();
        var content = file(5 << 20);
        var store = new FaultyStore(memory).hanging("write", n -> n == 2, new CountDownLatch(1));
        publish(stage(store, 5 << 20));
        assertThat(memory.content("a")).isEqualTo(content);
        assertThat(fixture.counters.retries()).isEqualTo(1);
    }

    @Test
    void noPartIsWrittenTwiceAtOnce() throws Exception {
        becomeQuick();
        file(10_000);
        var release = new CountDownLatch(1);
        var store = new FaultyStore(memory).hangingHard("write", n -> n == 1, release);
        var done = new AtomicReference<StagedFile>();
        var caller = Thread.ofVirtual().start(() -> {
            try {
                done.set(stage(store, 10_000));
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
        Wait.until(
                "it was told to give up",
                () -> caller.getState() == Thread.State.TIMED_WAITING && store.calls("write") == 1);
        assertThat(caller.join(Duration.ofSeconds(3)))
                .as("still waits for the first try")
                .isFalse();
        assertThat(store.calls("write")).isEqualTo(1);
        release.countDown();
        caller.join();
        assertThat(done.get()).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(ints = {10_000, 16 << 20})
    void anInterruptedCallerIsFreeWithinTheGraceEvenIfTheStoreHangsInTheKernel(int size) throws Exception {
        file(size);
        var release = new CountDownLatch(1);
        var store = new FaultyStore(memory).hangingHard("write", n -> true, release);
        var outcome = new AtomicReference<Throwable>();
        var caller = Thread.ofVirtual().start(() -> {
            try {
                stage(store, size);
            } catch (Throwable e) {
                outcome.set(e);
            }
        });
        Wait.until("requests run", () -> store.running("write") >= 1);
        caller.interrupt();
        assertThat(caller.join(Duration.ofSeconds(3))).isTrue();
        assertThat(outcome.get()).isInstanceOf(InterruptedException.class);
        release.countDown();
    }

    @Test
    void aStagedWriteThatComesAfterItsCallerHasLeftIsClosed() throws Exception {
        file(5 << 20);
        var release = new CountDownLatch(1);
        var store = new FaultyStore(memory).hangingHard("open", n -> true, release);
        var caller = Thread.ofVirtual().start(() -> {
            try {
                stage(store, 5 << 20);
            } catch (Exception e) {
                Thread.currentThread().interrupt();
            }
        });
        Wait.until("it opens", () -> store.running("open") == 1);
        caller.interrupt();
        caller.join();
        assertThat(store.openWrites()).isZero();
        release.countDown();
        Wait.until("it was opened and closed", () -> store.calls("close") == 1 && store.openWrites() == 0);
    }

    @Test
    @DisplayName("N7 a sparse file's checksum needs no reading of its holes")
    void checksumsAHugeSparseFileQuickly() throws Exception {
        long size = 200L << 30;
        try (var sparse = new RandomAccessFile(folder.resolve("a").toFile(), "rw")) {
            sparse.setLength(size);
            sparse.seek(100L << 30);
            sparse.write(EngineFixture.random(100_000, 1));
        }
        long expected = Crc32c.combine(
                Crc32c.combine(Crc32c.zeros(100L << 30), EngineFixture.crc(EngineFixture.random(100_000, 1)), 100_000),
                Crc32c.zeros((100L << 30) - 100_000),
                (100L << 30) - 100_000);
        assertThat(fixture.engine.checksum(fixture.path("a"))).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 100_000, 20_000_001})
    void checksumsFiles(int size) throws Exception {
        assertThat(EngineFixture.crc(file(size))).isEqualTo(fixture.engine.checksum(fixture.path("a")));
    }

    @Test
    void otherOperationsAreTriedAgainToo() throws Exception {
        memory.with("k", new byte[3]);
        var store = new FaultyStore(memory).failing("stat", n -> n <= 3, Kind.TRANSIENT);
        assertThat(fixture.engine
                        .retrying("stat of k", () -> store.stat("k"))
                        .version()
                        .size())
                .isEqualTo(3);
        assertThat(fixture.counters.retries()).isEqualTo(3);
        assertThatThrownBy(() -> fixture.engine.retrying("stat of x", () -> store.stat("x")))
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.NOT_FOUND));
    }
}
