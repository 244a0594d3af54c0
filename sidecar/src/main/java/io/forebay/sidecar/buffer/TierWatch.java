package io.forebay.sidecar.buffer;

import io.forebay.api.value.Bytes;
import io.forebay.sidecar.buffer.Ledger.State;
import io.forebay.sidecar.os.FileSystemInfo;
import io.forebay.sidecar.os.PosixException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * Looks at what is really used, with two threads. One asks the file systems how much is free, so often that no tier gets from
 * where it is to its floor unseen; below the floor it distrusts all who may write. The other walks the items' folders, each
 * twice a second but never for more than a tenth of the time, and at once when a tier runs low; then it lets clean data go and names the item
 * that must leave ({@link Pressure}). It also tries closed tiers again ({@link TierHealth}).
 */
final class TierWatch implements AutoCloseable {
    private static final long WALK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long URGENT_WALK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    /** Share of its time that an item's walks may take: 1 in so many. */
    private static final int WALK_SHARE = 10;

    private static final int URGENT_WALK_SHARE = 2;

    private final TieredBuffer buffer;
    private final Spaces spaces;
    private final List<TierFolder> folders;
    private final LongSupplier clock;
    private final List<AtomicBoolean> urgent = new ArrayList<>();
    private final Thread looker =
            Thread.ofPlatform().name("buffer-look").daemon().unstarted(this::lookLoop);
    private final Thread walker =
            Thread.ofPlatform().name("buffer-walk").daemon().unstarted(this::walkLoop);
    private volatile boolean closed;

    TierWatch(TieredBuffer buffer, Spaces spaces, List<TierFolder> folders, LongSupplier clock) {
        this.buffer = buffer;
        this.spaces = spaces;
        this.folders = folders;
        this.clock = clock;
        folders.forEach(f -> urgent.add(new AtomicBoolean()));
    }

    void start() {
        for (int t = 0; t < folders.size(); t++) {
            look(t);
        }
        looker.start();
        walker.start();
    }

    // ---- free space

    private void lookLoop() {
        guarded(() -> {
            long wait = Long.MAX_VALUE;
            for (int t = 0; t < folders.size() && !closed; t++) {
                wait = Math.min(wait, look(t));
            }
            LockSupport.parkNanos(wait);
        });
    }

    /** Again and again until it is closed. What was not foreseen is told to the process, and does not leave the tiers unwatched. */
    private void guarded(Runnable round) {
        while (!closed) {
            try {
                round.run();
            } catch (RuntimeException e) {
                var thread = Thread.currentThread();
                thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
                LockSupport.parkNanos(WALK_NANOS);
            }
        }
    }

    /** Now, for those who would be refused for what was seen a moment ago. */
    void lookAtAll() {
        for (int t = 0; t < folders.size(); t++) {
            look(t);
        }
    }

    /** @return nanoseconds until the next look */
    private long look(int tier) {
        FileSystemInfo fs;
        try {
            fs = folders.get(tier).statfs();
        } catch (PosixException e) {
            buffer.tierFailed(tier, e);
            return WALK_NANOS;
        }
        boolean low = spaces.see(view -> {
            var ledger = view.ledger();
            long floor = ledger.limits(tier).floorBytes();
            ledger.setAvailable(tier, ledger.observedBytes(tier) + fs.freeBytes() - floor);
            if (isTooFull(fs, floor)) {
                for (var folder : view.folders()) {
                    if (folder.tier() == tier
                            && folder.mayWrite
                            && folder.claim().state() == State.LIVE) {
                        folder.distrusted = true;
                    }
                }
            }
            return Math.min(fs.freeBytes(), ledger.limits(tier).sizeBytes() - ledger.observedBytes(tier)) < 2 * floor;
        });
        buffer.settle();
        if (low) {
            urgent.get(tier).set(true);
            LockSupport.unpark(walker);
        }
        return Pressure.nextLookNanos(fs.freeBytes(), floor(tier));
    }

    private long floor(int tier) {
        return spaces.see(view -> view.ledger().limits(tier).floorBytes());
    }

    /** Writers may have met ENOSPC: no bytes, or no file more can be made. */
    private static boolean isTooFull(FileSystemInfo fs, long floorBytes) {
        return Pressure.belowFloor(fs.freeBytes(), floorBytes) || fs.freeInodes() == 0;
    }

    /** A look for one item's sake, which has just stopped writing. */
    void lookAt(int tier, ItemFolder folder) {
        try {
            var fs = folders.get(tier).statfs();
            spaces.see(view -> {
                if (isTooFull(fs, view.ledger().limits(tier).floorBytes())) {
                    folder.distrusted = true;
                }
                return folder.distrusted;
            });
        } catch (PosixException e) {
            buffer.tierFailed(tier, e);
            spaces.see(view -> folder.distrusted = true);
        }
    }

    // ---- use by items

    private void walkLoop() {
        guarded(() -> {
            for (var folder : due(clock.getAsLong())) {
                if (closed) {
                    return;
                }
                walk(folder);
            }
            for (int t = 0; t < folders.size(); t++) {
                urgent.get(t).set(false);
                relieve(t);
                tryClosed(t);
            }
            boolean hurry = urgent.stream().anyMatch(AtomicBoolean::get);
            LockSupport.parkNanos(hurry ? URGENT_WALK_NANOS : WALK_NANOS / 5);
        });
    }

    private List<ItemFolder> due(long now) {
        return spaces.see(view -> {
            var due = new ArrayList<ItemFolder>();
            for (var folder : view.folders()) {
                if (folder.claim().state() != State.LIVE) {
                    continue;
                }
                boolean hurry = urgent.get(folder.tier()).get();
                long every = hurry
                        ? Math.max(URGENT_WALK_NANOS, URGENT_WALK_SHARE * folder.walkCostNanos)
                        : Math.max(WALK_NANOS, WALK_SHARE * folder.walkCostNanos);
                if (folder.walkedNanos == 0 || now - folder.walkedNanos >= every) {
                    due.add(folder);
                }
            }
            return due;
        });
    }

    ItemFolder.Seen walk(ItemFolder folder) {
        long start = clock.getAsLong();
        var seen = folder.look(spaces.see(view -> folder.inBytes));
        long end = clock.getAsLong();
        buffer.move(spaces.change(view -> {
            folder.walkedNanos = end;
            folder.walkCostNanos = end - start;
            if (!folder.released) {
                folder.inBytes = seen.inBytes();
                folder.growthBytes = seen.growthBytes();
                view.ledger().observe(folder.claim(), seen.bytes());
            }
        }));
        return seen;
    }

    /** Lets clean data go, and names the item that must leave. */
    private void relieve(int tier) {
        FileSystemInfo fs;
        try {
            fs = folders.get(tier).statfs();
        } catch (PosixException e) {
            return; // the other thread sees it too, and tells
        }
        var stopped = new ArrayList<Stopped>();
        buffer.move(spaces.change(view -> {
            var ledger = view.ledger();
            var items = new ArrayList<ItemFolder>();
            var samples = new ArrayList<Pressure.ItemSample>();
            for (var folder : view.folders()) {
                var claim = folder.claim();
                if (folder.tier() == tier && claim.state() == State.LIVE && !claim.permanent()) {
                    items.add(folder);
                    samples.add(new Pressure.ItemSample(claim.reservedBytes(), claim.observedBytes(), folder.stopped));
                }
            }
            var limits = ledger.limits(tier);
            long used = ledger.observedBytes(tier) + ledger.leavingBytes(tier);
            var decision = Pressure.decide(new Pressure.Sample(
                    limits.sizeBytes(),
                    limits.floorBytes(),
                    used,
                    fs.freeBytes(),
                    ledger.cleanBytes(tier),
                    ledger.leavingBytes(tier),
                    samples));
            ledger.evict(tier, decision.evictBytes());
            decision.stop().ifPresent(i -> stopped.add(stop(view, items.get(i), fs.freeBytes())));
        }));
        stopped.forEach(this::tell);
    }

    /** @param nextTier that could hold it; -1: none @param freeBytes of the tier, when it was named */
    private record Stopped(ItemFolder folder, Ledger.Limits limits, long usedBytes, long freeBytes, int nextTier) {}

    private static Stopped stop(Spaces.View view, ItemFolder folder, long fsFreeBytes) {
        folder.stopped = true;
        folder.distrusted = true;
        var ledger = view.ledger();
        long used = folder.claim().observedBytes();
        view.hasOutgrown(folder.owner().item(), folder.growthBytes);
        int next = -1;
        for (int t = folder.tier() + 1; t < ledger.tiers() && next < 0; t++) {
            next = ledger.mostIn(t) > used ? t : -1;
        }
        var limits = ledger.limits(folder.tier());
        long left = limits.sizeBytes() - ledger.observedBytes(folder.tier());
        return new Stopped(folder, limits, used, Math.max(0, Math.min(fsFreeBytes, left)), next);
    }

    private void tell(Stopped s) {
        var folder = s.folder();
        long inTheWay = s.nextTier() < 0 ? bytesInTheWay(folder.tier()) : 0;
        boolean again =
                inTheWay > 0 && s.freeBytes() + inTheWay >= 2 * s.limits().floorBytes();
        var message = "has outgrown buffer tier " + folder.tier() + " ("
                + s.limits().label() + ", "
                + Bytes.of(s.limits().sizeBytes()).human() + "): it uses "
                + Bytes.of(s.usedBytes()).human() + " (" + s.usedBytes() + " bytes) and may need more, "
                + Bytes.of(folder.claim().reservedBytes()).human() + " were reserved for it, "
                + Bytes.of(s.freeBytes()).human() + " are free. "
                + (again ? untilThereIsRoom(inTheWay) : elsewhere(s.nextTier()));
        var owner = folder.owner();
        int next = again ? folder.tier() : s.nextTier();
        buffer.listener().overgrown(owner.item(), owner.generation(), owner.attempt(), next, message);
    }

    private static String untilThereIsRoom(long inTheWay) {
        return Bytes.of(inTheWay).human() + " there are not this run's, or could not be exported."
                + " It is stopped, and runs again when there is room";
    }

    private String elsewhere(int next) {
        return next < 0
                ? "No lower tier could hold it. Give spec.buffer.tiers a larger tier"
                : "It is stopped and runs again on tier " + next + " ("
                        + spaces.see(view -> view.ledger().limits(next)).label() + ")";
    }

    /**
     * What of a tier's size others use, and outputs that could not be exported. The file system is asked before the folders are walked: what an
     * item writes meanwhile is not taken for others'.
     */
    private long bytesInTheWay(int tier) {
        try {
            long free = folders.get(tier).statfs().freeBytes();
            List<ItemFolder> live = spaces.see(view -> {
                var all = new ArrayList<ItemFolder>();
                view.folders().forEach(all::add);
                all.removeIf(f -> f.tier() != tier || f.claim().state() != State.LIVE);
                return all;
            });
            live.forEach(this::walk);
            return spaces.see(view -> {
                var ledger = view.ledger();
                long ours = ledger.observedBytes(tier) + ledger.leavingBytes(tier);
                long left = ledger.limits(tier).sizeBytes() - ours;
                return ledger.strandedBytes(tier) + Math.max(0, left - free);
            });
        } catch (PosixException e) {
            return 0;
        }
    }

    // ---- broken tiers

    void tierFailed(int tier, IOException cause) {
        spaces.see(view -> {
            if (view.health(tier).failed(clock.getAsLong())) {
                view.setOpen(tier, cause.getMessage() == null ? cause.toString() : cause.getMessage());
            }
            return view;
        });
    }

    private void tryClosed(int tier) {
        if (!spaces.see(view -> view.health(tier).isTrialDue(clock.getAsLong()))) {
            return;
        }
        IOException failure = null;
        try {
            folders.get(tier).probe();
        } catch (IOException e) {
            failure = e;
        }
        var result = failure;
        buffer.move(spaces.change(view -> {
            boolean open = view.health(tier).tried(result == null, clock.getAsLong());
            view.setOpen(tier, open || result == null ? null : String.valueOf(result.getMessage()));
        }));
    }

    @Override
    public void close() {
        closed = true;
        join(looker);
        join(walker);
    }

    private static void join(Thread thread) {
        LockSupport.unpark(thread);
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
