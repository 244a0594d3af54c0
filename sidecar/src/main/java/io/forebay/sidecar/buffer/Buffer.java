package io.forebay.sidecar.buffer;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Space for items, on tiers. Thread-safe. */
public interface Buffer extends AutoCloseable {

    /**
     * Waits until a tier has room for the item and gives it a folder of its own. First come, first served, so that a large item
     * is not starved by small ones.
     *
     * @param inputBytes sum of the {@link #footprint} of its inputs
     * @param fromTier first tier that may be taken (0: the fastest)
     * @throws NeverFitsException no tier from {@code fromTier} on is large enough even when empty
     * @throws NoRoomException what could not be exported leaves no room for it in this run, or what is not ours has left none for too long
     */
    ItemSpace admit(long item, int generation, int attempt, long inputBytes, int fromTier)
            throws NeverFitsException, NoRoomException, InterruptedException;

    /** As admit, without waiting. */
    Optional<ItemSpace> tryAdmit(long item, int generation, int attempt, long inputBytes, int fromTier)
            throws NeverFitsException, NoRoomException;

    /**
     * Space for the inputs that all items share; kept until the buffer is closed. After a restart it is the same folder, since
     * steps that ran on may be reading there: {@link ItemSpace#inputsKept} says whether it is whole.
     */
    ItemSpace admitShared(String input, long bytes) throws NeverFitsException, NoRoomException, InterruptedException;

    /** What admissions wait for, in words, if it is nothing of ours and has been so for at least this long. */
    Optional<String> blocked(Duration atLeast);

    /** Takes up the folder of an item that an earlier life of this worker left, as its journal says. @param mark of its {@link ItemSpace#mark} */
    Optional<ItemSpace> adopt(long item, int generation, int attempt, int tier, String mark, long inputBytes);

    /** What an item with these inputs is expected to write (work + outputs), bytes: declared, else learned, else 3 times the inputs. */
    long expectedGrowth(long inputBytes);

    /** What an item wrote at most: teaches {@link #expectedGrowth}. */
    void learned(long inputBytes, long peakGrowthBytes);

    List<TierUse> use();

    /** A folder of this tier gave an I/O error other than no space (EIO, EROFS...). Two of them close it for a while. */
    void tierFailed(int tier, IOException cause);

    /** What a file of this size takes on a tier: whole pages. */
    static long footprint(long size) {
        return (size + 4095) & ~4095L;
    }

    /** Told when an item must leave its tier. */
    void onOvergrown(OvergrownListener listener);

    @Override
    void close();

    /**
     * One item's folder in one tier. Given back by {@link #discard} (all is gone), or {@link #retire} (inputs stay as clean
     * data, evictable); nothing else releases it. {@link #strand} keeps it until the buffer is closed.
     */
    interface ItemSpace {
        int tier();

        /** What tells its folder from all that other attempts ever had. Together with the tier it finds the folder again after a restart. */
        String mark();

        /** Absolute folder of all that is this space's; no other attempt, before or after, has the same. */
        String path();

        /** Absolute folders, existing: in/ (inputs), work/, out/. */
        String in();

        String work();

        String out();

        /** Whether it wrote while its tier was below its floor: its results are not to be trusted (tools ignore ENOSPC). */
        boolean distrusted();

        /**
         * Told before the first process starts that may write here (true), and after the last one has ended (false). Until it
         * is told the item counts as one that may write at any time, and is distrusted when its tier was too full.
         */
        void running(boolean mayWrite);

        /**
         * Whether in/ already holds something: of an item that was retired and is admitted again (all its inputs), or adopted (the
         * journal knows how far it came), or shared inputs that {@link #inputsComplete} was said of in an earlier life.
         */
        boolean inputsKept();

        /** Remembers across a restart that in/ is whole. For shared inputs: of items the journal knows it. */
        void inputsComplete();

        /** Bytes in work/ and out/ now, as allocated. */
        long growth();

        /**
         * Empties work/ and out/, for an attempt that begins again where nothing of it can run any more: the machine was restarted. It is trusted
         * again. @throws java.io.UncheckedIOException it cannot be done
         */
        void empty();

        void discard();

        void retire();

        /**
         * What is in out/ could not be exported and must not be lost: it stays, as long as this buffer is open nobody waits for its room,
         * and no more is reserved for it than it uses.
         *
         * @param computed all steps have succeeded: in/ and work/ are needed no more, and go
         */
        void strand(boolean computed);
    }

    /** @param strandedBytes part of usedBytes and of reservedBytes: what could not be exported */
    record TierUse(
            int tier,
            String medium,
            String root,
            long sizeBytes,
            long reservedBytes,
            long usedBytes,
            long strandedBytes,
            long evictions) {}

    /** @see Buffer#onOvergrown */
    interface OvergrownListener {
        /**
         * Stop this item now and run it again from {@code nextTier}, which is its own if that would hold it but for what is not ours or cannot
         * be exported; -1: there is none, it has failed (BufferFull).
         *
         * @param message a sentence whose subject, in front of it, is the item: the buffer does not know the item's name
         */
        void overgrown(long item, int generation, int attempt, int nextTier, String message);
    }

    /** No tier is large enough. */
    final class NeverFitsException extends Exception {
        private static final long serialVersionUID = 1L;

        public NeverFitsException(String message) {
            super(message);
        }
    }

    /** A tier would be large enough, but not in this run. */
    final class NoRoomException extends Exception {
        private static final long serialVersionUID = 1L;

        public NoRoomException(String message) {
            super(message);
        }
    }
}
