package io.forebay.sidecar.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.testing.Wait;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ChunkPoolTest {
    private static final long MIB = 1 << 20;

    @Test
    void allocatesNothingBeforeItIsNeededAndLendsAlignedMemory() throws Exception {
        try (var pool = new ChunkPool(4 * MIB)) {
            assertThat(pool.allocatedBytes()).isZero();
            try (var large = pool.acquire(MIB);
                    var small = pool.acquire(10_000)) {
                assertThat(large.size()).isEqualTo(ChunkPool.LARGE);
                assertThat(small.size()).isEqualTo(ChunkPool.SMALL);
                assertThat(MemorySegment.ofBuffer(large.bytes()).address() % 4096)
                        .isZero();
                assertThat(MemorySegment.ofBuffer(small.bytes()).address() % 4096)
                        .isZero();
                assertThat(pool.allocatedBytes()).isEqualTo(2 * MIB);
            }
            assertThat(pool.lentBytes()).isZero();
            assertThat(pool.allocatedBytes()).as("kept").isEqualTo(2 * MIB);
        }
    }

    @Test
    void sixteenTinyFilesShareOneBlock() throws Exception {
        try (var pool = new ChunkPool(MIB)) {
            List<Chunk> chunks = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                chunks.add(pool.acquire(1));
            }
            assertThat(pool.allocatedBytes()).isEqualTo(MIB);
            assertThat(pool.tryAcquire(1)).isEmpty();
            for (int i = 0; i < 16; i++) {
                chunks.get(i).bytes().putInt(0, i);
            }
            for (int i = 0; i < 16; i++) {
                assertThat(chunks.get(i).bytes().getInt(0)).isEqualTo(i);
            }
            chunks.forEach(Chunk::close);
            assertThat(pool.tryAcquire(MIB)).isPresent();
        }
    }

    /** Whatever is taken and given back: the ledger is right, and the budget holds. */
    @Property(tries = 300)
    void neverLendsMoreThanTheBudget(@ForAll @Size(max = 200) List<@IntRange(min = -8, max = 40) Integer> steps) {
        try (var pool = new ChunkPool(3 * MIB)) {
            List<Chunk> lent = new ArrayList<>();
            for (int step : steps) {
                if (step < 0 && !lent.isEmpty()) {
                    lent.remove(-step % lent.size()).close();
                } else {
                    pool.tryAcquire(step % 4 == 0 ? MIB : 100).ifPresent(lent::add);
                }
                long sum = lent.stream().mapToLong(Chunk::size).sum();
                assertThat(pool.lentBytes()).isEqualTo(sum);
                assertThat(pool.allocatedBytes()).isLessThanOrEqualTo(3 * MIB);
                assertThat(distinct(lent)).isTrue();
            }
            lent.forEach(Chunk::close);
            lent.forEach(Chunk::close); // a second time: nothing
            assertThat(pool.lentBytes()).isZero();
        }
    }

    private static boolean distinct(List<Chunk> chunks) {
        var sorted = chunks.stream()
                .map(c -> MemorySegment.ofBuffer(c.bytes()))
                .sorted((a, b) -> Long.compare(a.address(), b.address()))
                .toList();
        for (int i = 1; i < sorted.size(); i++) {
            if (sorted.get(i - 1).address() + sorted.get(i - 1).byteSize()
                    > sorted.get(i).address()) {
                return false;
            }
        }
        return true;
    }

    @Test
    void servesInOrderOfArrivalOverBothSizes() throws Exception {
        try (var pool = new ChunkPool(MIB)) {
            var first = pool.acquire(1);
            var order = new ConcurrentLinkedQueue<String>();
            var large = Thread.ofVirtual().start(() -> take(pool, MIB, "large", order));
            Wait.until("large waits", () -> large.getState() == Thread.State.WAITING);
            var small = Thread.ofVirtual().start(() -> take(pool, 1, "small", order));
            Wait.until("small waits behind it", () -> small.getState() == Thread.State.WAITING);
            first.close();
            large.join();
            small.join();
            assertThat(order).containsExactly("large", "small");
        }
    }

    private static void take(ChunkPool pool, long bytes, String name, ConcurrentLinkedQueue<String> order) {
        try (var chunk = pool.acquire(bytes)) {
            order.add(name);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void oneWhoIsInterruptedWhileWaitingHoldsNothingAndLetsOthersPass() throws Exception {
        try (var pool = new ChunkPool(MIB)) {
            var first = pool.acquire(1);
            var outcome = new AtomicReference<Throwable>();
            var large = Thread.ofVirtual().start(() -> {
                try {
                    pool.acquire(MIB).close();
                } catch (InterruptedException e) {
                    outcome.set(e);
                }
            });
            Wait.until("large waits", () -> large.getState() == Thread.State.WAITING);
            var order = new ConcurrentLinkedQueue<String>();
            var small = Thread.ofVirtual().start(() -> take(pool, 1, "small", order));
            Wait.until("small waits behind it", () -> small.getState() == Thread.State.WAITING);
            large.interrupt();
            large.join();
            small.join();
            assertThat(outcome.get()).isInstanceOf(InterruptedException.class);
            assertThat(order).containsExactly("small");
            first.close();
            assertThat(pool.lentBytes()).isZero();
        }
    }

    @Test
    void manyAtOnceNeverExceedItNorStarve() throws Exception {
        try (var pool = new ChunkPool(4 * MIB)) {
            var held = new AtomicLong();
            var most = new AtomicLong();
            var served = new AtomicInteger();
            List<Thread> threads = new ArrayList<>();
            for (int t = 0; t < 64; t++) {
                var random = new Random(t);
                threads.add(Thread.ofVirtual().start(() -> {
                    for (int i = 0; i < 200; i++) {
                        try (var chunk = pool.acquire(random.nextInt(4) == 0 ? MIB : 1000)) {
                            most.accumulateAndGet(held.addAndGet(chunk.size()), Math::max);
                            Thread.yield();
                            held.addAndGet(-chunk.size());
                            served.incrementAndGet();
                        } catch (InterruptedException e) {
                            return;
                        }
                    }
                }));
            }
            for (var thread : threads) {
                thread.join();
            }
            assertThat(served.get()).isEqualTo(64 * 200);
            assertThat(most.get()).isLessThanOrEqualTo(4 * MIB);
            assertThat(pool.lentBytes()).isZero();
        }
    }

    @Test
    void closingItFreesWaitersAndWhatComesBackLater() throws Exception {
        var pool = new ChunkPool(MIB);
        var chunk = pool.acquire(MIB);
        var outcome = new AtomicReference<Throwable>();
        var waiter = Thread.ofVirtual().start(() -> {
            try {
                pool.acquire(1);
            } catch (Throwable e) {
                outcome.set(e);
            }
        });
        Wait.until("it waits", () -> waiter.getState() == Thread.State.WAITING);
        pool.close();
        waiter.join();
        assertThat(outcome.get()).isInstanceOf(IllegalStateException.class);
        assertThat(pool.allocatedBytes()).isEqualTo(MIB);
        chunk.close();
        assertThat(pool.allocatedBytes()).isZero();
        assertThatThrownBy(() -> pool.acquire(1)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aBudgetBelowOneBlockIsRefused() {
        assertThatThrownBy(() -> new ChunkPool(1000)).hasMessageContaining("1000");
    }
}
