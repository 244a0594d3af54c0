package io.forebay.sidecar.buffer;

import io.forebay.api.value.Bytes;
import io.forebay.sidecar.buffer.ItemFolder.Owner;
import io.forebay.sidecar.buffer.ItemFolder.Place;
import io.forebay.sidecar.buffer.Ledger.Claim;
import io.forebay.sidecar.buffer.Ledger.State;
import io.forebay.sidecar.os.Errno;
import io.forebay.sidecar.os.FileTree;
import io.forebay.sidecar.os.PosixException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A buffer on real folders. {@link Spaces} decides, {@link TierWatch} looks at what is really used, {@link Trash} removes; this
 * class does what they say to the folders.
 *
 * <p>After a restart: {@link #open} the same roots, {@link #adopt} each item that the journal names, then {@link
 * #adoptionDone} (the first admit says it too); what was not adopted is removed then, shared inputs excepted.
 */
public final class TieredBuffer implements Buffer {
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final List<TierConfig> tiers;
    private final List<TierFolder> folders;
    private final List<Trash> trashes = new ArrayList<>();
    private final BufferOptions options;
    private final Spaces spaces;
    private final TierWatch watch;
    private final List<String> remarks;
    /** Found at open and not yet adopted. */
    private final Set<Place> leftovers = ConcurrentHashMap.newKeySet();

    private volatile OvergrownListener listener = (item, generation, attempt, nextTier, message) -> {};

    private TieredBuffer(
            List<TierConfig> tiers,
            List<TierFolder> folders,
            List<Ledger.Limits> limits,
            BufferOptions options,
            List<String> remarks) {
        this.tiers = tiers;
        this.folders = folders;
        this.options = options;
        this.remarks = List.copyOf(remarks);
        this.spaces = new Spaces(limits, options);
        for (int t = 0; t < tiers.size(); t++) {
            int tier = t;
            trashes.add(new Trash(folders.get(t), Integer.toString(t), e -> removalFailed(tier, e)));
        }
        this.watch = new TierWatch(this, spaces, folders, options.clock());
    }

    /**
     * Takes the tiers' folders; makes those that are missing.
     *
     * @param wished fastest first
     * @throws IOException a folder cannot be had, is another process's, or its file system has less than the minimum free
     */
    public static TieredBuffer open(List<TierConfig> wished, BufferOptions options) throws IOException {
        var folders = new ArrayList<TierFolder>();
        try {
            var limits = new ArrayList<Ledger.Limits>();
            var remarks = new ArrayList<String>();
            for (var tier : wished) {
                var folder = TierFolder.open(tier.root(), options.group());
                folders.add(folder);
                limits.add(tier.limits(sizeToBeHad(tier, folder, remarks)));
            }
            var buffer = new TieredBuffer(List.copyOf(wished), folders, limits, options, remarks);
            buffer.findLeftovers();
            buffer.watch.start();
            return buffer;
        } catch (IOException | RuntimeException | Error e) {
            folders.forEach(TieredBuffer::leave);
            throw e;
        }
    }

    /** Nothing was begun: what was made for it goes, what was there stays. */
    private static void leave(TierFolder folder) {
        try (folder) {
            folder.removeIfEmpty();
        } catch (PosixException e) {
            // Empty folders; the next start finds them again.
        }
    }

    private static long sizeToBeHad(TierConfig tier, TierFolder folder, List<String> remarks) throws IOException {
        long wished = tier.size().value();
        var fs = folder.statfs();
        if (fs.freeBytes() >= wished) {
            return wished;
        }
        long there = fs.freeBytes() + FileTree.usage(tier.root()).bytes();
        if (there >= wished) {
            return wished;
        }
        if (there < TierConfig.MIN_SIZE.value()) {
            throw new IOException("buffer tier " + tier.label() + " should have "
                    + tier.size().human() + ", its file system has only "
                    + Bytes.of(there).human() + " free; a tier needs " + TierConfig.MIN_SIZE.human()
                    + " at least. Free space there, or name another folder");
        }
        remarks.add(
                "buffer tier " + tier.label() + " should have " + tier.size().human() + "; its file system has only "
                        + Bytes.of(there).human() + " free: that is its size now");
        return there;
    }

    /** What people should know: tiers that are smaller than wished. */
    public List<String> remarks() {
        return remarks;
    }

    // ---- admission

    @Override
    public ItemSpace admit(long item, int generation, int attempt, long inputBytes, int fromTier)
            throws NeverFitsException, NoRoomException, InterruptedException {
        while (true) {
            var space = place(Owner.item(item, generation, attempt), inputBytes, fromTier, true);
            if (space.isPresent()) {
                return space.get();
            }
        }
    }

    @Override
    public Optional<ItemSpace> tryAdmit(long item, int generation, int attempt, long inputBytes, int fromTier)
            throws NeverFitsException, NoRoomException {
        try {
            return place(Owner.item(item, generation, attempt), inputBytes, fromTier, false);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    @Override
    public ItemSpace admitShared(String input, long bytes)
            throws NeverFitsException, NoRoomException, InterruptedException {
        var owner = Owner.shared(input);
        for (int t = 0; t < tiers.size(); t++) {
            if (leftovers.remove(new Place(t, owner.folderName()))) {
                var found = takeUp(owner, t, bytes);
                if (found.isPresent()) {
                    return found.get();
                }
            }
        }
        while (true) {
            var space = place(owner, bytes, 0, true);
            if (space.isPresent()) {
                return space.get();
            }
        }
    }

    /** Empty: not now (without waiting), or the folder could not be made and its claim was given back. */
    private Optional<ItemSpace> place(Owner owner, long inputBytes, int fromTier, boolean wait)
            throws NeverFitsException, NoRoomException, InterruptedException {
        adoptionDone();
        var revived = revive(owner, inputBytes, fromTier);
        if (revived != null) {
            return Optional.of(revived);
        }
        if (isInUse(owner)) {
            // The coordinator leases an item again as soon as it hears of the failure; what the attempt before had is
            // let go a moment later.
            pauseForSpace(wait);
            return Optional.empty();
        }
        if (spaces.isBlockedForTooLong()) {
            watch.lookAtAll();
        }
        var claim = request(owner, inputBytes, fromTier);
        try {
            if (!spaces.awaitGrant(claim, wait)) {
                return Optional.empty();
            }
        } catch (NoRoomException e) {
            if (wantsLessNow(owner, claim, inputBytes)) {
                return Optional.empty();
            }
            throw e;
        } finally {
            change(view -> {}); // a claim that was withdrawn made room for others
        }
        var folder = new ItemFolder(this, owner, folders.get(claim.tier()), claim, inputBytes, false);
        try {
            change(view -> view.enter(folder));
            folder.folder().make(owner.folderName());
            return Optional.of(folder);
        } catch (PosixException e) {
            change(view -> {
                view.letLeave(folder);
                view.ledger().leave(claim);
                view.ledger().gone(claim);
            });
            tierFailed(claim.tier(), e);
            pauseForSpace(wait);
            return Optional.empty();
        }
    }

    /** What others wrote was learned while it waited. */
    private boolean wantsLessNow(Owner owner, Claim claim, long inputBytes) {
        return !owner.isShared()
                && spaces.see(view -> inputBytes + wantedGrowth(view, owner, inputBytes)) < claim.wantedBytes();
    }

    private boolean isInUse(Owner owner) {
        return !owner.isShared() && spaces.see(view -> view.ofItem(owner) != null);
    }

    private static void pauseForSpace(boolean wait) throws InterruptedException {
        if (wait) {
            TimeUnit.NANOSECONDS.sleep(RETRY_NANOS);
        }
    }

    private Claim request(Owner owner, long inputBytes, int fromTier) throws NeverFitsException {
        var failure = new NeverFitsException[1];
        var claims = new Claim[1];
        change(view -> {
            spaces.refuseIfClosed();
            try {
                claims[0] = owner.isShared()
                        ? view.ledger().requestPermanent(inputBytes)
                        : view.ledger()
                                .request(
                                        leastBytes(inputBytes),
                                        inputBytes + wantedGrowth(view, owner, inputBytes),
                                        fromTier);
            } catch (NeverFitsException e) {
                failure[0] = e;
            }
        });
        if (failure[0] != null) {
            throw failure[0];
        }
        return claims[0];
    }

    private long leastBytes(long inputBytes) {
        return inputBytes + options.declaredGrowthBytes().orElse(0);
    }

    private long wantedGrowth(Spaces.View view, Owner owner, long inputBytes) {
        long expected =
                options.declaredGrowthBytes().orElseGet(() -> view.estimate().expect(inputBytes));
        long outgrown = view.outgrown(owner.item());
        // What was seen when it was stopped is less than what it needs.
        return Math.max(expected, outgrown + outgrown / 2);
    }

    /** Clean data of an earlier attempt: taken into use again, or out of the way. */
    private @Nullable ItemFolder revive(Owner owner, long inputBytes, int fromTier) {
        if (owner.isShared()) {
            return null;
        }
        var former = new ItemFolder[1];
        var result = new ItemFolder[1];
        change(view -> {
            var clean = view.ofItem(owner);
            if (clean == null || clean.claim().state() != State.CLEAN) {
                return;
            }
            long wanted = inputBytes + wantedGrowth(view, owner, inputBytes);
            if (clean.tier() < fromTier || !view.ledger().revive(clean.claim(), wanted)) {
                view.ledger().evictThis(clean.claim());
                return;
            }
            view.forget(clean);
            former[0] = clean;
            result[0] = new ItemFolder(this, owner, clean.folder(), clean.claim(), inputBytes, true);
            result[0].inBytes = clean.inBytes;
            view.enter(result[0]);
        });
        if (result[0] == null) {
            return null;
        }
        return movedInto(result[0], former[0]) ? result[0] : null;
    }

    /** Its inputs move, for a path is never an attempt's twice. @return false: it could not be done, and the data are gone */
    private boolean movedInto(ItemFolder next, ItemFolder former) {
        var was = former.owner().folderName();
        try {
            next.folder().makeWithInputsOf(was, next.owner().folderName());
            return true;
        } catch (PosixException e) {
            tierFailed(next.tier(), e);
            discard(next);
            return false;
        } finally {
            trashes.get(next.tier()).move(was, () -> {});
        }
    }

    // ---- restart

    private void findLeftovers() throws IOException {
        for (int t = 0; t < folders.size(); t++) {
            for (var name : folders.get(t).list(TierFolder.TRASH)) {
                trashLeftover(t, name, false);
            }
            for (var part : List.of(TierFolder.ITEMS, TierFolder.SHARED)) {
                for (var name : folders.get(t).list(part)) {
                    leftovers.add(new Place(t, name));
                }
            }
        }
    }

    @Override
    public Optional<ItemSpace> adopt(long item, int generation, int attempt, int tier, String mark, long inputBytes) {
        if (!Owner.isMark(mark)) {
            return Optional.empty();
        }
        var owner = Owner.item(item, generation, attempt, mark);
        return tier >= 0 && tier < tiers.size() && leftovers.remove(new Place(tier, owner.folderName()))
                ? takeUp(owner, tier, inputBytes)
                : Optional.empty();
    }

    private Optional<ItemSpace> takeUp(Owner owner, int tier, long inputBytes) {
        var folder = folders.get(tier);
        boolean whole;
        try {
            folder.make(owner.folderName());
            whole = !owner.isShared() || ItemFolder.isComplete(folder, owner);
        } catch (PosixException e) {
            tierFailed(tier, e);
            leftovers.add(new Place(tier, owner.folderName()));
            return Optional.empty();
        }
        long bytes = FileTree.usage(folder.path(owner.folderName())).bytes();
        var taken = new ItemFolder[1];
        change(view -> {
            spaces.refuseIfClosed();
            long reserved = owner.isShared() ? inputBytes : inputBytes + wantedGrowth(view, owner, inputBytes);
            reserved = Math.min(reserved, view.ledger().mostIn(tier));
            var claim = view.ledger().adopt(tier, reserved, bytes, owner.isShared());
            taken[0] = new ItemFolder(this, owner, folder, claim, inputBytes, whole);
            view.enter(taken[0]);
        });
        return Optional.of(taken[0]);
    }

    /** All that the journal names has been adopted: the rest is removed. Shared inputs stay until they are asked for, or the end. */
    public synchronized void adoptionDone() {
        if (leftovers.isEmpty()) {
            return;
        }
        for (var place : List.copyOf(leftovers)) {
            if (place.name().startsWith(TierFolder.ITEMS + "/") && leftovers.remove(place)) {
                trashLeftover(place.tier(), place.name(), true);
            }
        }
    }

    private void trashLeftover(int tier, String name, boolean rename) {
        long bytes = FileTree.usage(folders.get(tier).path(name)).bytes();
        var claim = bookLeaving(tier, bytes);
        Runnable gone = () -> change(view -> view.ledger().gone(claim));
        if (rename) {
            trashes.get(tier).move(name, gone);
        } else {
            trashes.get(tier).remove(name, gone);
        }
    }

    /** Bytes that are there and on their way out. */
    private Claim bookLeaving(int tier, long bytes) {
        var claims = new Claim[1];
        change(view -> {
            claims[0] = view.ledger().adopt(tier, 0, bytes, false);
            view.ledger().leave(claims[0]);
        });
        return claims[0];
    }

    // ---- items

    boolean isDistrusted(ItemFolder folder) {
        watch.lookAt(folder.tier(), folder);
        return spaces.see(view -> folder.distrusted);
    }

    void setMayWrite(ItemFolder folder, boolean mayWrite) {
        spaces.see(view -> {
            if (!folder.told && !folder.stopped) {
                folder.distrusted = false; // nothing of it has run yet
            }
            folder.told = true;
            folder.mayWrite = mayWrite;
            return view;
        });
    }

    long lookNow(ItemFolder folder) {
        return watch.walk(folder).growthBytes();
    }

    void empty(ItemFolder folder) {
        try {
            setAside(folder, "work");
            setAside(folder, "out");
            folder.folder().make(folder.owner().folderName());
        } catch (PosixException e) {
            tierFailed(folder.tier(), e);
            throw new UncheckedIOException("the folder of " + folder.owner() + " cannot be emptied", e);
        }
        change(view -> {
            folder.distrusted = false;
            folder.stopped = false;
            folder.mayWrite = true;
            folder.told = false;
            folder.growthBytes = 0;
            view.ledger().observe(folder.claim(), folder.inBytes);
        });
    }

    private void setAside(ItemFolder folder, String part) throws PosixException {
        var path = folder.owner().folderName() + "/" + part;
        long bytes = FileTree.usage(folder.folder().path(path)).bytes();
        String trash;
        try {
            trash = folder.folder().toTrash(path);
        } catch (PosixException e) {
            if (e.is(Errno.ENOENT)) {
                return;
            }
            throw e;
        }
        var claim = bookLeaving(folder.tier(), bytes);
        trashes.get(folder.tier())
                .remove(trash, () -> change(view -> view.ledger().gone(claim)));
    }

    void discard(ItemFolder folder) {
        change(view -> {
            if (!folder.released) {
                if (!folder.stopped) {
                    view.forgetOutgrown(folder.owner().item());
                }
                view.ledger().evictThis(folder.claim());
            }
        });
    }

    void retire(ItemFolder folder) {
        if (folder.owner().isShared()) {
            throw new IllegalStateException("shared inputs are kept until the buffer is closed");
        }
        try {
            setAside(folder, "work");
            setAside(folder, "out");
            folder.folder().make(folder.owner().folderName());
        } catch (PosixException e) {
            tierFailed(folder.tier(), e);
            discard(folder);
            return;
        }
        var seen = folder.look(0);
        change(view -> {
            if (!folder.released) {
                folder.released = true;
                folder.inBytes = seen.inBytes();
                folder.growthBytes = 0;
                view.forgetOutgrown(folder.owner().item());
                view.ledger().observe(folder.claim(), seen.bytes());
                view.ledger().retire(folder.claim());
            }
        });
    }

    void strand(ItemFolder folder, boolean computed) {
        try {
            if (computed) {
                setAside(folder, "work");
                setAside(folder, "in");
                folder.folder().make(folder.owner().folderName());
            }
        } catch (PosixException e) {
            // It uses more than it must; that is all.
            tierFailed(folder.tier(), e);
        }
        var seen = folder.look(0);
        change(view -> {
            if (!folder.released) {
                folder.mayWrite = false;
                folder.inBytes = seen.inBytes();
                folder.growthBytes = seen.growthBytes();
                view.ledger().observe(folder.claim(), seen.bytes());
                view.ledger().strand(folder.claim());
            }
        });
    }

    @Override
    public Optional<String> blocked(Duration atLeast) {
        return spaces.blocked(atLeast);
    }

    private void change(Consumer<Spaces.View> action) {
        move(spaces.change(action));
    }

    /** After something changed that may let others in. */
    void settle() {
        change(view -> {});
    }

    void move(List<ItemFolder> out) {
        for (var folder : out) {
            trashes.get(folder.tier())
                    .move(
                            folder.owner().folderName(),
                            () -> change(view -> view.ledger().gone(folder.claim())));
        }
    }

    // ---- the rest

    @Override
    public long expectedGrowth(long inputBytes) {
        return options.declaredGrowthBytes()
                .orElseGet(() -> spaces.see(view -> view.estimate().expect(inputBytes)));
    }

    @Override
    public void learned(long inputBytes, long peakGrowthBytes) {
        change(view -> view.estimate().learned(inputBytes, peakGrowthBytes));
    }

    @Override
    public void onOvergrown(OvergrownListener told) {
        this.listener = told;
    }

    OvergrownListener listener() {
        return listener;
    }

    TierConfig tier(int index) {
        return tiers.get(index);
    }

    @Override
    public void tierFailed(int tier, IOException cause) {
        if (cause instanceof PosixException p && (p.is(Errno.ENOSPC) || p.is(Errno.EDQUOT))) {
            return; // full is not broken
        }
        watch.tierFailed(tier, cause);
    }

    /** What a step left may be beyond our permissions: that is no fault of the tier. */
    private void removalFailed(int tier, PosixException cause) {
        if (!cause.is(Errno.EACCES) && !cause.is(Errno.EPERM) && !cause.is(Errno.EBUSY)) {
            tierFailed(tier, cause);
        }
    }

    /** Admissions that wait now. */
    public int waiting() {
        return spaces.see(view -> view.ledger().waitingClaims());
    }

    @Override
    public List<TierUse> use() {
        return spaces.see(view -> {
            var all = new ArrayList<TierUse>();
            for (int t = 0; t < tiers.size(); t++) {
                var ledger = view.ledger();
                all.add(new TierUse(
                        t,
                        tiers.get(t).mediumName(),
                        tiers.get(t).root(),
                        ledger.limits(t).sizeBytes(),
                        ledger.liveBytes(t) + ledger.strandedBytes(t),
                        ledger.observedBytes(t) + ledger.leavingBytes(t),
                        ledger.strandedBytes(t),
                        ledger.evictions(t)));
            }
            return all;
        });
    }

    /** Nothing is kept: all folders are removed. Those who wait get an IllegalStateException. */
    @Override
    public void close() {
        close(false);
    }

    /** @param keep leaves the items' folders and shared inputs for {@code forebay resume}; the lock is given back */
    public void close(boolean keep) {
        if (spaces.see(Spaces.View::close)) {
            return;
        }
        change(view -> {});
        watch.close();
        for (int t = 0; t < folders.size(); t++) {
            if (!keep) {
                removeAll(t);
            }
            trashes.get(t).close();
        }
        for (var folder : folders) {
            try (folder) {
                if (!keep) {
                    folder.removeIfEmpty();
                }
            } catch (PosixException e) {
                // What cannot be removed stays; the next sweep tries again.
            }
        }
    }

    private void removeAll(int tier) {
        for (var part : List.of(TierFolder.ITEMS, TierFolder.SHARED, TierFolder.TRASH)) {
            try {
                folders.get(tier).list(part).forEach(name -> trashes.get(tier).remove(name, () -> {}));
            } catch (PosixException e) {
                // As above.
            }
        }
    }
}
