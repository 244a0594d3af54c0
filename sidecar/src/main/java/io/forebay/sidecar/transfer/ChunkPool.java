package io.forebay.sidecar.transfer;

import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * All memory that transfers may use: a fixed number of direct blocks of 1 MiB, allocated when first needed and kept. A block is
 * lent whole, or in 16 slots of 64 KiB for tiny files. The budget is never exceeded; who finds it used up waits, first come,
 * first served over both sizes, so that small requests cannot starve large ones. Thread-safe.
 *
 * <p>Slots are taken from the fullest block that has one, and blocks from the one used last (still in the CPU's cache).
 */
public final class ChunkPool implements AutoCloseable {
    /** Large enough that a system call's cost vanishes, small enough that some stay in a CPU's second-level cache. */
    public static final int LARGE = 1 << 20;

    /** Holds a tiny file whole. */
    public static final int SMALL = 1 << 16;

    private static final int SLOTS = LARGE / SMALL;
    private static final long PAGE = 4096;

    private final int maxBlocks;
    private final ReentrantLock lock = new ReentrantLock();
    /** All below is guarded by {@link #lock}. */
    private final ArrayDeque<Block> free = new ArrayDeque<>();

    private final List<Block> partlyLent = new ArrayList<>();
    private final ArrayDeque<Waiter> waiters = new ArrayDeque<>();
    private int allocated;
    private long lentBytes;
    private boolean closed;

    /** @param budgetBytes most memory ever held; at least one block, rounded down to whole blocks */
    public ChunkPool(long budgetBytes) {
        long blocks = budgetBytes / LARGE;
        if (blocks < 1 || blocks > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("a chunk pool needs at least " + LARGE + " bytes, not " + budgetBytes);
        }
        this.maxBlocks = (int) blocks;
    }

    /** 1 MiB of memory. */
    static final class Block {
        private final Arena arena = Arena.ofShared();
        private final ByteBuffer bytes = arena.allocate(LARGE, PAGE).asByteBuffer();
        /** Bit i: slot i is lent. */
        private int slots;
    }

    private final class Waiter {
        final boolean large;
        final Condition ready = lock.newCondition();

        @Nullable
        Chunk chunk;

        Waiter(boolean large) {
            this.large = large;
        }
    }

    /** The size of the chunk that {@link #acquire} gives for so many bytes. */
    public static int sizeFor(long wantedBytes) {
        return wantedBytes <= SMALL ? SMALL : LARGE;
    }

    public long budgetBytes() {
        return (long) maxBlocks * LARGE;
    }

    /**
     * Waits for a chunk: 64 KiB if that holds {@code wantedBytes}, else 1 MiB.
     *
     * @throws IllegalStateException the pool is closed
     */
    public Chunk acquire(long wantedBytes) throws InterruptedException {
        boolean large = sizeFor(wantedBytes) == LARGE;
        lock.lockInterruptibly();
        try {
            if (waiters.isEmpty()) {
                var chunk = take(large);
                if (chunk != null) {
                    return chunk;
                }
            }
            var waiter = new Waiter(large);
            waiters.add(waiter);
            try {
                while (waiter.chunk == null) {
                    requireOpen();
                    waiter.ready.await();
                }
                return waiter.chunk;
            } catch (InterruptedException | RuntimeException e) {
                waiters.remove(waiter);
                if (waiter.chunk != null) {
                    putBack(waiter.chunk);
                }
                serve();
                throw e;
            }
        } finally {
            lock.unlock();
        }
    }

    /** As {@link #acquire}, without waiting; empty also while others wait. */
    public Optional<Chunk> tryAcquire(long wantedBytes) {
        lock.lock();
        try {
            return waiters.isEmpty() ? Optional.ofNullable(take(sizeFor(wantedBytes) == LARGE)) : Optional.empty();
        } finally {
            lock.unlock();
        }
    }

    /** Bytes on loan now. */
    public long lentBytes() {
        lock.lock();
        try {
            return lentBytes;
        } finally {
            lock.unlock();
        }
    }

    /** Bytes allocated so far; never more than the budget. */
    public long allocatedBytes() {
        lock.lock();
        try {
            return (long) allocated * LARGE;
        } finally {
            lock.unlock();
        }
    }

    void giveBack(Chunk chunk) {
        lock.lock();
        try {
            putBack(chunk);
            serve();
        } finally {
            lock.unlock();
        }
    }

    /** Frees what is not on loan; the rest is freed as it comes back. Who waits gets an IllegalStateException. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            waiters.forEach(w -> w.ready.signal());
            while (!free.isEmpty()) {
                discard(free.pop());
            }
        } finally {
            lock.unlock();
        }
    }

    private @Nullable Chunk take(boolean large) {
        requireOpen();
        if (!large) {
            var block = fullest();
            if (block != null) {
                return slotOf(block);
            }
        }
        var block = free.poll();
        if (block == null) {
            if (allocated == maxBlocks) {
                return null;
            }
            block = new Block();
            allocated++;
        }
        if (!large) {
            partlyLent.add(block);
            return slotOf(block);
        }
        lentBytes += LARGE;
        return new Chunk(this, block, -1, block.bytes.duplicate());
    }

    private Chunk slotOf(Block block) {
        int slot = Integer.numberOfTrailingZeros(~block.slots);
        block.slots |= 1 << slot;
        lentBytes += SMALL;
        return new Chunk(this, block, slot, block.bytes.slice(slot * SMALL, SMALL));
    }

    private @Nullable Block fullest() {
        Block best = null;
        for (var block : partlyLent) {
            int lent = Integer.bitCount(block.slots);
            if (lent < SLOTS && (best == null || lent > Integer.bitCount(best.slots))) {
                best = block;
            }
        }
        return best;
    }

    private void putBack(Chunk chunk) {
        var block = chunk.block();
        lentBytes -= chunk.size();
        if (chunk.slot() >= 0) {
            block.slots &= ~(1 << chunk.slot());
            if (block.slots != 0) {
                return;
            }
            partlyLent.remove(block);
        }
        if (closed) {
            discard(block);
        } else {
            free.push(block);
        }
    }

    private void discard(Block block) {
        allocated--;
        block.arena.close();
    }

    private void serve() {
        while (!closed && !waiters.isEmpty()) {
            var chunk = take(waiters.peek().large);
            if (chunk == null) {
                return;
            }
            var waiter = waiters.poll();
            waiter.chunk = chunk;
            waiter.ready.signal();
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("the chunk pool is closed");
        }
    }
}
