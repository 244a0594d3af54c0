package io.forebay.sidecar.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.sidecar.os.FileTree;
import io.forebay.sidecar.os.RealFolders;
import io.forebay.sidecar.store.FileMeta;
import io.forebay.sidecar.store.Store;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.StoreException.Kind;
import io.forebay.testing.FaultyStore;
import io.forebay.testing.MemoryStore;
import io.forebay.testing.Wait;
import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** All faults at once, by chance, while callers come and are interrupted; afterwards only invariants count. The seed is printed. */
@Timeout(120)
class ChaosTest {
    private static final int FILES = 150;

    private static IntPredicate sometimes(Random random, double share) {
        return n -> {
            synchronized (random) {
                return random.nextDouble() < share;
            }
        };
    }

    /** Each holds memory until it is released: so many that some is left for the others. */
    private static IntPredicate atMost(int times, IntPredicate which) {
        var left = new AtomicInteger(times);
        return n -> which.test(n) && left.getAndDecrement() > 0;
    }

    @Test
    @DisplayName("C9 R6 whatever goes wrong: right bytes or an error, and nothing is held afterwards")
    void endsInRightBytesOrAnError() throws Exception {
        long seed = ThreadLocalRandom.current().nextLong();
        System.out.println("ChaosTest seed " + seed);
        var random = new Random(seed);
        var folder = RealFolders.create(RealFolders.parents().toList().getLast());
        int before = descriptors();
        var release = new CountDownLatch(1);
        var memory = new MemoryStore(1 << 20, 3_000);
        var store = new FaultyStore(memory)
                .failing("read", sometimes(random, 0.05), Kind.TRANSIENT)
                .failing("read", sometimes(random, 0.01), Kind.CREDENTIALS)
                .cutting(sometimes(random, 0.05), 50_000)
                .endingEarly(sometimes(random, 0.02), 70_000)
                .flipping("read", sometimes(random, 0.03), 1_000)
                .hanging("read", sometimes(random, 0.01), release)
                .hangingHard("read", atMost(3, sometimes(random, 0.01)), release)
                .failing("open", sometimes(random, 0.03), Kind.TRANSIENT)
                .failing("write", sometimes(random, 0.05), Kind.TRANSIENT)
                .flipping("write", sometimes(random, 0.03), 1_000)
                .hanging("write", sometimes(random, 0.01), release)
                .failing("seal", sometimes(random, 0.05), Kind.TRANSIENT)
                .failing("publish", sometimes(random, 0.05), Kind.TRANSIENT);
        var whole = new AtomicInteger();
        try (var fixture = new EngineFixture(Path.of(folder), EngineFixture.QUICK, 8 << 20, PosixBufferFile.OPENER);
                var threads =
                        Executors.newThreadPerTaskExecutor(Thread.ofVirtual().factory())) {
            var results = new ArrayList<Future<Boolean>>();
            for (int i = 0; i < FILES; i++) {
                var content = EngineFixture.random(
                        random.nextInt(10) < 7 ? random.nextInt(100_000) : random.nextInt(4 << 20), i);
                var name = "f" + i;
                results.add(threads.submit(roundTrip(fixture, memory, store, name, content, whole)));
            }
            // some callers are told to stop in the midst of it
            for (int i = 0; i < FILES; i += 10) {
                Thread.onSpinWait();
                results.get(i).cancel(true);
            }
            for (var result : results) {
                if (!result.isCancelled()) {
                    result.get();
                }
            }
            release.countDown();
            Wait.until("all chunks are back", () -> fixture.pool.lentBytes() == 0);
            Wait.until("all requests have ended", () -> fixture.engine.running(store) == 0);
            Wait.until("all staged writes are closed", () -> store.openWrites() == 0);
            assertThat(whole.get()).as("nearly all get through").isGreaterThan(FILES / 2);
            assertThat(fixture.counters.filesFetched()).isGreaterThanOrEqualTo(whole.get());
        } finally {
            release.countDown();
            FileTree.delete(folder);
        }
        Wait.until("no descriptor is left open", Duration.ofSeconds(20), () -> descriptors() <= before + 12);
    }

    private static int descriptors() {
        return new File("/proc/self/fd").list().length;
    }

    /** In, out, published: the bytes are right at each place, or an exception says that they are not. */
    private static Callable<Boolean> roundTrip(
            EngineFixture fixture, MemoryStore memory, Store store, String name, byte[] content, AtomicInteger whole) {
        return () -> {
            long crc = EngineFixture.crc(content);
            try {
                var fetched =
                        fixture.engine.fetch(store, memory.with(name, content), FileMeta.UNKNOWN, fixture.path(name));
                assertThat(fetched.crc32c()).isEqualTo(crc);
                assertThat(fixture.bytes(name)).isEqualTo(content);
                var out = "out/" + name;
                var staged = fixture.engine.stage(store, fixture.stub(memory, out, content.length), fixture.path(name));
                assertThat(staged.crc32c()).isEqualTo(crc);
                assertThat(memory.content(out))
                        .as("invisible until it is published")
                        .isNull();
                assertThat(fixture.engine.publish(store, staged, fixture.path(name)))
                        .isEqualTo(Store.PublishOutcome.PUBLISHED);
                assertThat(memory.content(out)).isEqualTo(content);
                whole.incrementAndGet();
                return true;
            } catch (StoreException e) {
                assertThat(e.kind().worthRetrying()).as(e.getMessage()).isTrue();
                return false;
            }
        };
    }
}
