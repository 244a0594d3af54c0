package io.forebay.sidecar.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.api.value.Bytes;
import io.forebay.sidecar.os.FileTree;
import io.forebay.sidecar.os.Posix;
import io.forebay.sidecar.os.RealFolders;
import io.forebay.sidecar.store.Crc32c;
import io.forebay.sidecar.store.FileMeta;
import io.forebay.sidecar.store.Store;
import io.forebay.sidecar.store.StoreException.Kind;
import io.forebay.sidecar.store.Version;
import io.forebay.testing.FaultyStore;
import io.forebay.testing.MemoryStore;
import io.forebay.testing.PacedStore;
import io.forebay.testing.Wait;
import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many files at once, and speed relative to one at a time. */
@Timeout(120)
@Tag("alone")
class LoadTest {
    /** Repeats after 256 bytes. */
    private static final byte[] PATTERN = new byte[ChunkPool.LARGE + 256];

    static {
        for (int i = 0; i < PATTERN.length; i++) {
            PATTERN[i] = (byte) (i * 31);
        }
    }

    private final MemoryStore memory = new MemoryStore(1 << 20, 0);
    private String folder;

    @BeforeEach
    void create() throws Exception {
        folder = RealFolders.create(RealFolders.parents().toList().getLast());
    }

    @AfterEach
    void delete() throws Exception {
        FileTree.delete(folder);
    }

    private EngineFixture fixture(long poolBytes) {
        return new EngineFixture(Path.of(folder), EngineFixture.CALM, poolBytes, PosixBufferFile.OPENER);
    }

    private static int descriptors() {
        return new File("/proc/self/fd").list().length;
    }

    private static <T> void all(List<Callable<T>> calls) throws Exception {
        try (var threads = Executors.newThreadPerTaskExecutor(Thread.ofVirtual().factory())) {
            var results = new ArrayList<Future<T>>();
            for (var call : calls) {
                results.add(threads.submit(call));
            }
            for (var result : results) {
                result.get();
            }
        }
    }

    private List<Version.S3> objects(int count, int size) {
        var versions = new ArrayList<Version.S3>();
        for (int i = 0; i < count; i++) {
            int seed = i;
            versions.add(memory.generated(
                    "f" + i, size, (offset, to) -> to.put(PATTERN, (int) ((offset + seed) & 255), to.remaining())));
        }
        return versions;
    }

    private static void requireRight(EngineFixture fixture, int file, int size) throws Exception {
        var bytes = fixture.bytes("f" + file);
        assertThat(bytes).hasSize(size);
        for (int at = 0; at < size; at++) {
            if (bytes[at] != PATTERN[(at + file) & 255]) {
                throw new AssertionError("f" + file + " differs at " + at);
            }
        }
    }

    @Test
    @DisplayName("M2 M8 10,000 files at once from a store with faults: whole, within pool, threads and descriptors")
    void tenThousandFilesAtOnce() throws Exception {
        var store = new FaultyStore(memory)
                .failing("read", n -> n % 97 == 0, Kind.TRANSIENT)
                .cutting(n -> n % 89 == 0, 3_000);
        var files = objects(10_000, 4_096);
        int before = descriptors();
        var most = new AtomicInteger();
        try (var fixture = fixture(4 << 20)) {
            var calls = new ArrayList<Callable<Object>>();
            for (var file : files) {
                calls.add(() -> {
                    fixture.engine.fetch(store, file, FileMeta.UNKNOWN, fixture.path(file.key()));
                    if (Integer.parseInt(file.key().substring(1)) % 100 == 0) {
                        most.accumulateAndGet(descriptors(), Math::max);
                    }
                    return true;
                });
            }
            all(calls);
            assertThat(fixture.counters.filesFetched()).isEqualTo(10_000);
            assertThat(fixture.counters.retries()).isGreaterThan(150);
            assertThat(fixture.pool.allocatedBytes()).isLessThanOrEqualTo(4 << 20);
            assertThat(fixture.pool.lentBytes()).isZero();
            assertThat(store.mostAtOnce("read")).isLessThanOrEqualTo(StoreLimits.MOST_REQUESTS);
            assertThat(most.get() - before).isLessThan(2 * Lane.OPEN_FILES + 40);
            for (int i = 0; i < 10_000; i += 371) {
                requireRight(fixture, i, 4_096);
            }
        }
        Wait.until("no descriptor is left open", () -> descriptors() <= before + 20);
    }

    @Test
    @DisplayName("M1 500 files in parts at once need no more than the pool, and all make progress")
    void fiveHundredLargeFilesAtOnce() throws Exception {
        var files = objects(500, 2_200_000);
        try (var fixture = fixture(4 << 20)) {
            var calls = new ArrayList<Callable<Object>>();
            for (var file : files) {
                calls.add(() -> fixture.engine.fetch(memory, file, FileMeta.UNKNOWN, fixture.path(file.key())));
            }
            all(calls);
            assertThat(fixture.pool.allocatedBytes()).isLessThanOrEqualTo(4 << 20);
            for (int i = 0; i < 500; i += 61) {
                requireRight(fixture, i, 2_200_000);
            }
        }
    }

    @Test
    @DisplayName("Z2 small files at 20 ms latency come at least 20 times as fast as one at a time")
    void hidesLatency() throws Exception {
        int count = 3_000;
        var files = objects(count, 10_240);
        var store = new PacedStore(memory, 20, 1e9, 1e9);
        double best = 0;
        try (var fixture = fixture(16 << 20)) {
            for (int round = 0; round < 4 && best <= 20; round++) { // the first one warms up
                double one = seconds(fixture, store, files.getFirst(), 50);
                long begun = System.nanoTime();
                var calls = new ArrayList<Callable<Object>>();
                for (var file : files) {
                    calls.add(() -> fixture.engine.fetch(store, file, FileMeta.UNKNOWN, fixture.path(file.key())));
                }
                all(calls);
                best = Math.max(best, count * one / ((System.nanoTime() - begun) / 1e9));
            }
            assertThat(best).isGreaterThan(20);
            assertThat(memory.reads.get() % (count + 50))
                    .as("Z5 one request each")
                    .isZero();
        }
    }

    /** For one fetch, in a row of so many. */
    private static double seconds(EngineFixture fixture, Store store, Version version, int times) throws Exception {
        long begun = System.nanoTime();
        for (int i = 0; i < times; i++) {
            fixture.engine.fetch(store, version, FileMeta.UNKNOWN, fixture.path("one"));
        }
        return (System.nanoTime() - begun) / 1e9 / times;
    }

    @Test
    @DisplayName("Z4 16 streams are at least 8 times as fast as one where each connection is limited")
    void addsUpConnections() throws Exception {
        int size = 96 << 20;
        var version = memory.generated("big", size, (offset, to) -> to.position(to.limit()));
        double one = seconds(version, 1);
        double sixteen = seconds(version, 16);
        assertThat(one / sixteen).isGreaterThan(8);
    }

    private double seconds(Version version, int streams) throws Exception {
        var store = new PacedStore(memory, 50, 40e6, 550e6);
        try (var fixture = fixture(40 << 20)) {
            fixture.engine.limit(store, new StoreLimits(Optional.empty(), Optional.empty(), streams, 1, false));
            long begun = System.nanoTime();
            fixture.engine.fetch(store, version, FileMeta.UNKNOWN, fixture.path("big" + streams));
            return (System.nanoTime() - begun) / 1e9;
        }
    }

    @Test
    @DisplayName("Z6 4 writers allowed: never more than 4 requests at the store")
    void neverMoreWritersThanAllowed() throws Exception {
        var store = new FaultyStore(memory).waiting("write", Duration.ofMillis(5));
        try (var fixture = fixture(16 << 20)) {
            fixture.engine.limit(store, new StoreLimits(Optional.empty(), Optional.empty(), 64, 4, true));
            var most = new AtomicInteger();
            var calls = new ArrayList<Callable<Object>>();
            for (var file : objects(40, 300_000)) {
                fixture.engine.fetch(memory, file, FileMeta.UNKNOWN, fixture.path(file.key()));
                calls.add(() -> {
                    var stub = fixture.stub(store, "out/" + file.key(), 300_000);
                    var staged = fixture.engine.stage(store, stub, fixture.path(file.key()));
                    most.accumulateAndGet(fixture.engine.running(store), Math::max);
                    return staged;
                });
            }
            for (var file : objects(3, 5_000_000)) {
                fixture.engine.fetch(memory, file, FileMeta.UNKNOWN, fixture.path(file.key()));
                calls.add(() -> fixture.engine.stage(
                        store, fixture.stub(store, "out/big" + file.key(), 5_000_000), fixture.path(file.key())));
            }
            all(calls);
            assertThat(store.mostAtOnce("write")).isLessThanOrEqualTo(4);
            assertThat(most.get()).isLessThanOrEqualTo(4);
            assertThat(fixture.counters.filesStaged()).isEqualTo(43);
        }
    }

    @Test
    @DisplayName("Z6 requests that wait for their bandwidth are not taken for stalled")
    void waitsForBandwidthPatiently() throws Exception {
        var rate = Optional.of(Bytes.of(150_000));
        try (var fixture = new EngineFixture(Path.of(folder), EngineFixture.QUICK, 16 << 20, PosixBufferFile.OPENER)) {
            fixture.engine.limit(memory, new StoreLimits(rate, rate, 16, 16, false));
            var fetches = new ArrayList<Callable<Object>>();
            var stages = new ArrayList<Callable<Object>>();
            for (var file : objects(20, 20_000)) {
                fetches.add(() -> fixture.engine.fetch(memory, file, FileMeta.UNKNOWN, fixture.path(file.key())));
                stages.add(() -> fixture.engine.stage(
                        memory, fixture.stub(memory, "out/" + file.key(), 20_000), fixture.path(file.key())));
            }
            all(fetches);
            all(stages);
            assertThat(fixture.counters.hedges()).isZero();
            assertThat(fixture.counters.retries()).isZero();
        }
    }

    @Test
    @DisplayName("E9 a store that hangs does not stop transfers with another one")
    void aHungStoreDoesNotStopOthers() throws Exception {
        var release = new CountDownLatch(1);
        var hung = new FaultyStore(memory).hangingHard("read", n -> true, release);
        var hungFiles = objects(200, 2_200_000);
        var others = new ArrayList<Version.S3>();
        for (int i = 0; i < 50; i++) {
            others.add(memory.with("o" + i, EngineFixture.random(1_500_000, i)));
        }
        try (var fixture = fixture(8 << 20)) {
            var stuck = new ArrayList<Thread>();
            for (var file : hungFiles) {
                stuck.add(Thread.ofVirtual().start(() -> {
                    try {
                        fixture.engine.fetch(hung, file, FileMeta.UNKNOWN, fixture.path(file.key()));
                    } catch (Exception e) {
                        Thread.currentThread().interrupt();
                    }
                }));
            }
            Wait.until("the hung store holds what it may", () -> hung.running("read") >= 4);
            var calls = new ArrayList<Callable<Object>>();
            for (var file : others) {
                calls.add(() -> fixture.engine.fetch(memory, file, FileMeta.UNKNOWN, fixture.path(file.key())));
            }
            all(calls);
            stuck.forEach(Thread::interrupt);
            for (var thread : stuck) {
                assertThat(thread.join(Duration.ofSeconds(5))).isTrue();
            }
            release.countDown();
            Wait.until("all chunks are back", () -> fixture.pool.lentBytes() == 0);
        }
    }

    @Test
    @DisplayName("I5 1 of 100 range requests hangs for ever: the fetch ends within 15 s")
    void oneHangingRangeDelaysLittle() throws Exception {
        var store = new FaultyStore(memory).hangingHard("read", n -> n == 50, new CountDownLatch(1));
        var version = objects(1, 100 << 20).getFirst();
        try (var fixture = fixture(32 << 20)) {
            long begun = System.nanoTime();
            fixture.engine.fetch(store, version, FileMeta.UNKNOWN, fixture.path("f0"));
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(15));
            assertThat(fixture.counters.hedges()).isEqualTo(1);
            requireRight(fixture, 0, 100 << 20);
            assertThat(memory.bytesRead.get()).as("Z5").isLessThan((100 << 20) * 11L / 10);
        }
    }

    @Test
    @DisplayName("M2 a sparse file of 20 GiB takes neither memory nor space")
    void aHugeSparseFile() throws Exception {
        long size = 20L << 30;
        var version = memory.generated("sparse", size, (offset, to) -> {
            to.position(to.limit()); // new chunks are zeros, and nothing else is put into these
        });
        try (var fixture = fixture(8 << 20)) {
            var fetched = fixture.engine.fetch(memory, version, FileMeta.UNKNOWN, fixture.path("sparse"));
            assertThat(fetched.crc32c()).isEqualTo(Crc32c.zeros(size));
            assertThat(Posix.stat(fixture.path("sparse")).allocatedBytes()).isZero();
            assertThat(fixture.engine.checksum(fixture.path("sparse"))).isEqualTo(Crc32c.zeros(size));
        }
    }

    @Test
    void stagesManySmallFilesQuickly() throws Exception {
        Store store = memory;
        try (var fixture = fixture(16 << 20)) {
            var files = objects(2_000, 10);
            var fetches = new ArrayList<Callable<Object>>();
            var stages = new ArrayList<Callable<Object>>();
            for (var file : files) {
                fetches.add(() -> fixture.engine.fetch(store, file, FileMeta.UNKNOWN, fixture.path(file.key())));
                stages.add(() -> fixture.engine.stage(
                        store, fixture.stub(store, "out/" + file.key(), 10), fixture.path(file.key())));
            }
            all(fetches);
            long begun = System.nanoTime();
            all(stages);
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(10));
        }
    }
}
