package io.forebay.sidecar.buffer;

import java.util.List;
import java.util.Optional;

/**
 * What to do about a tier that fills up beyond what was reserved: pure, from one sample of it.
 *
 * <p>A tier is low when less than twice its floor is free: then clean data leaves, and the item furthest above its
 * reservation is stopped. Below the floor any item may be stopped, since something else fills the tier. What is being removed, or was
 * stopped already, counts as free.
 */
final class Pressure {
    private Pressure() {}

    /** Fastest writing that is reckoned with: above what one node's memory took in our measurements (FACTS: 6.2 GiB/s on huge pages). */
    private static final long FASTEST_BYTES_PER_SECOND = 8L << 30;

    private static final long SHORTEST_NANOS = 4_000_000;
    private static final long LONGEST_NANOS = 250_000_000;

    /**
     * @param sizeBytes of the tier
     * @param floorBytes kept free
     * @param usedBytes by all that is ours, as last seen
     * @param freeBytes of the file system below
     * @param cleanBytes may be evicted
     * @param leavingBytes are being removed
     */
    record Sample(
            long sizeBytes,
            long floorBytes,
            long usedBytes,
            long freeBytes,
            long cleanBytes,
            long leavingBytes,
            List<ItemSample> items) {
        Sample {
            items = List.copyOf(items);
        }

        /** By its size or by the file system below, whichever is less. */
        long free() {
            return Math.min(sizeBytes - usedBytes, freeBytes);
        }
    }

    /** @param stopped it was told to leave already */
    record ItemSample(long reservedBytes, long usedBytes, boolean stopped) {
        long excess() {
            return usedBytes - reservedBytes;
        }
    }

    /**
     * @param evictBytes of clean data that should leave
     * @param stop index of the item to stop now
     */
    record Decision(long evictBytes, Optional<Integer> stop) {
        static final Decision NONE = new Decision(0, Optional.empty());
    }

    static Decision decide(Sample s) {
        long low = 2 * s.floorBytes();
        long soon = s.free() + s.leavingBytes();
        for (var item : s.items()) {
            soon += item.stopped() ? item.usedBytes() : 0;
        }
        long evict = Math.clamp(low - soon, 0, s.cleanBytes());
        soon += evict;
        if (soon >= low) {
            return new Decision(evict, Optional.empty());
        }
        var furthest = best(s.items(), true);
        if (furthest.isPresent()) {
            return new Decision(evict, furthest);
        }
        return new Decision(evict, soon < s.floorBytes() ? best(s.items(), false) : Optional.empty());
    }

    /** @param above furthest above its reservation; else the largest */
    private static Optional<Integer> best(List<ItemSample> items, boolean above) {
        int best = -1;
        long most = 0;
        for (int i = 0; i < items.size(); i++) {
            long bytes = above ? items.get(i).excess() : items.get(i).usedBytes();
            if (!items.get(i).stopped() && bytes > most) {
                best = i;
                most = bytes;
            }
        }
        return best < 0 ? Optional.empty() : Optional.of(best);
    }

    /** Whether writers may meet ENOSPC: then none of them is believed. */
    static boolean belowFloor(long freeBytes, long floorBytes) {
        return freeBytes < floorBytes;
    }

    /** Until the next look at a tier: it cannot get from here to its floor unseen. */
    static long nextLookNanos(long freeBytes, long floorBytes) {
        double seconds = (double) (freeBytes - floorBytes) / FASTEST_BYTES_PER_SECOND;
        return Math.clamp((long) (seconds * 1e9), SHORTEST_NANOS, LONGEST_NANOS);
    }
}
