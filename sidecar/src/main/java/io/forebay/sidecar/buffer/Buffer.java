package io.forebay.sidecar.buffer;

import java.util.List;
import java.util.Optional;

/** Space for items, on tiers. Thread-safe. */
public interface Buffer extends AutoCloseable {

    /**
     * Waits until a tier has room for the item and gives it a folder of its own. First come, first served, so that a large item
     * is not starved by small ones.
     *
     * @param inputBytes sum of its inputs, exact
     * @param fromTier first tier that may be taken (0: the fastest)
     * @throws NeverFitsException no tier from {@code fromTier} on is large enough even when empty
     */
    ItemSpace admit(long item, int generation, int attempt, long inputBytes, int fromTier)
            throws NeverFitsException, InterruptedException;

    /** As admit, without waiting. */
    Optional<ItemSpace> tryAdmit(long item, int generation, int attempt, long inputBytes, int fromTier)
            throws NeverFitsException;

    /** Space for the inputs that all items share; kept until the buffer is closed. */
    ItemSpace admitShared(String input, long bytes) throws NeverFitsException, InterruptedException;

    /** Takes up the folder of an item that an earlier life of this worker left, as its journal says. */
    Optional<ItemSpace> adopt(long item, int generation, int attempt, int tier, long inputBytes);

    /** What an item with these inputs is expected to write (work + outputs), bytes: declared, else learned, else 3 times the inputs. */
    long expectedGrowth(long inputBytes);

    /** What an item wrote at most: teaches {@link #expectedGrowth}. */
    void learned(long inputBytes, long peakGrowthBytes);

    List<TierUse> use();

    /** Told when an item must leave its tier. */
    void onOvergrown(OvergrownListener listener);

    @Override
    void close();

    /**
     * One item's folder in one tier. Given back by {@link #discard} (all is gone), or {@link #retire} (inputs stay as clean
     * data, evictable); nothing else releases it.
     */
    interface ItemSpace {
        int tier();

        /** Absolute folders, existing: in/ (inputs), work/, out/. */
        String in();

        String work();

        String out();

        /** Whether it wrote while its tier was below its floor: its results are not to be trusted (tools ignore ENOSPC). */
        boolean distrusted();

        /** Bytes in work/ and out/ now, as allocated. */
        long growth();

        /** Empties work/ and out/, for the next attempt. */
        void empty();

        void discard();

        void retire();
    }

    record TierUse(
            int tier, String medium, String root, long sizeBytes, long reservedBytes, long usedBytes, long evictions) {}

    /** @see Buffer#onOvergrown */
    interface OvergrownListener {
        /** Stop this item now and run it again from {@code nextTier}; -1: there is none, it has failed (BufferFull). */
        void overgrown(long item, int generation, int attempt, int nextTier, String message);
    }

    /** No tier is large enough. */
    final class NeverFitsException extends Exception {
        private static final long serialVersionUID = 1L;

        public NeverFitsException(String message) {
            super(message);
        }
    }
}
