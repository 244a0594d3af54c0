package io.forebay.sidecar.buffer;

import io.forebay.sidecar.buffer.Ledger.Claim;
import io.forebay.sidecar.os.BootId;
import io.forebay.sidecar.os.FileTree;
import io.forebay.sidecar.os.PosixException;
import java.io.UncheckedIOException;
import java.security.SecureRandom;
import java.util.regex.Pattern;

/** One item's folder, or a shared input's. What changes is guarded by the lock of {@link Spaces}. */
final class ItemFolder implements Buffer.ItemSpace {
    /** Below shared/INPUT: says that in/ is whole. */
    /** Followed by the machine's life: the inputs themselves are not synced. */
    private static final String COMPLETE = "/complete-";

    /**
     * Whose it is.
     *
     * @param input name of a shared input; empty: an item
     * @param mark of an item's: random, so that no two attempts ever have the same path. What has outlived its attempt, unseen by
     *     whoever ends commands, goes on writing to the path that it was told: nobody looks there any more
     */
    record Owner(long item, int generation, int attempt, String input, String mark) {
        private static final SecureRandom RANDOM = new SecureRandom();
        private static final Pattern MARK = Pattern.compile("[0-9a-z]{1,32}");

        static Owner item(long item, int generation, int attempt) {
            return item(item, generation, attempt, Long.toUnsignedString(RANDOM.nextLong(), Character.MAX_RADIX));
        }

        /** @param mark as it was given once */
        static Owner item(long item, int generation, int attempt, String mark) {
            if (!isMark(mark)) {
                throw new IllegalArgumentException("not the mark of an item's folder: '" + mark + "'");
            }
            return new Owner(item, generation, attempt, "", mark);
        }

        static boolean isMark(String text) {
            return MARK.matcher(text).matches();
        }

        static Owner shared(String input) {
            if (input.isEmpty() || input.indexOf('/') >= 0 || input.indexOf('\0') >= 0 || input.startsWith(".")) {
                throw new IllegalArgumentException("not the name of an input: '" + input + "'");
            }
            return new Owner(-1, 0, 0, input, "");
        }

        boolean isShared() {
            return !input.isEmpty();
        }

        /** Of its folder below the root. */
        String folderName() {
            return isShared()
                    ? TierFolder.SHARED + "/" + input
                    : TierFolder.ITEMS + "/" + item + "." + generation + "." + mark;
        }

        @Override
        public String toString() {
            return isShared() ? "shared input " + input : "item " + item;
        }
    }

    private final TieredBuffer buffer;
    private final Owner owner;
    private final TierFolder folder;
    private final Claim claim;
    private final int tier;
    private final long inputBytes;
    private final boolean kept;

    // Guarded by the lock of Spaces.
    boolean distrusted;
    boolean stopped;
    boolean mayWrite = true;
    /** Whether running() was ever said. */
    boolean told;

    boolean released;
    /** As last seen. */
    long inBytes;

    long growthBytes;
    long walkedNanos;
    long walkCostNanos;

    ItemFolder(TieredBuffer buffer, Owner owner, TierFolder folder, Claim claim, long inputBytes, boolean kept) {
        this.buffer = buffer;
        this.owner = owner;
        this.folder = folder;
        this.claim = claim;
        this.tier = claim.tier();
        this.inputBytes = inputBytes;
        this.kept = kept;
    }

    Owner owner() {
        return owner;
    }

    Claim claim() {
        return claim;
    }

    TierFolder folder() {
        return folder;
    }

    Place place() {
        return new Place(tier, owner.folderName());
    }

    /** A name on a tier. */
    record Place(int tier, String name) {}

    /** What a walk saw. */
    record Seen(long inBytes, long growthBytes) {
        long bytes() {
            return inBytes + growthBytes;
        }
    }

    /** Blocks. @param knownInBytes what in/ was last seen to have: once it is whole it does not change, and is not walked again */
    Seen look(long knownInBytes) {
        long in = knownInBytes >= inputBytes && inputBytes > 0
                ? knownInBytes
                : FileTree.usage(in()).bytes();
        return new Seen(
                in, FileTree.usage(work()).bytes() + FileTree.usage(out()).bytes());
    }

    @Override
    public int tier() {
        return tier;
    }

    @Override
    public String mark() {
        return owner.mark();
    }

    @Override
    public String path() {
        return folder.path(owner.folderName());
    }

    @Override
    public String in() {
        return path() + "/in";
    }

    @Override
    public String work() {
        return path() + "/work";
    }

    @Override
    public String out() {
        return path() + "/out";
    }

    @Override
    public boolean distrusted() {
        return buffer.isDistrusted(this);
    }

    @Override
    public void running(boolean mayWriteNow) {
        buffer.setMayWrite(this, mayWriteNow);
    }

    @Override
    public boolean inputsKept() {
        return kept;
    }

    @Override
    public void inputsComplete() {
        try {
            folder.mark(owner.folderName() + COMPLETE + BootId.now());
        } catch (PosixException e) {
            buffer.tierFailed(tier, e);
            throw new UncheckedIOException(e);
        }
    }

    static boolean isComplete(TierFolder folder, Owner owner) throws PosixException {
        var life = BootId.now();
        return !life.isEmpty() && folder.isMarked(owner.folderName() + COMPLETE + life);
    }

    @Override
    public long growth() {
        return buffer.lookNow(this);
    }

    @Override
    public void empty() {
        buffer.empty(this);
    }

    @Override
    public void discard() {
        buffer.discard(this);
    }

    @Override
    public void retire() {
        buffer.retire(this);
    }

    @Override
    public void strand(boolean computed) {
        buffer.strand(this, computed);
    }
}
