package io.forebay.sidecar.buffer;

import io.forebay.sidecar.buffer.Buffer.NeverFitsException;
import io.forebay.sidecar.buffer.Buffer.NoRoomException;
import io.forebay.sidecar.buffer.ItemFolder.Owner;
import io.forebay.sidecar.buffer.ItemFolder.Place;
import io.forebay.sidecar.buffer.Ledger.Claim;
import io.forebay.sidecar.buffer.Ledger.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * All that changes in a buffer, behind one lock: ledger, folders by name, what was learned, which tiers are closed. No I/O and no
 * callbacks under the lock: what has to be moved out of the way comes out of {@link #change} and is moved by whoever
 * called.
 */
final class Spaces {
    /** Items that outgrew a tier are remembered, to be given more the next time; more of them than ever run at once. */
    private static final int REMEMBERED = 10_000;

    private static final long NOT = Long.MIN_VALUE;
    private static final long LOOK_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ReentrantLock lock = new ReentrantLock();
    private final BufferOptions options;

    // All below: guarded by lock.
    private final Ledger ledger;
    private final GrowthEstimate estimate = new GrowthEstimate();
    private final Map<Place, ItemFolder> folders = new LinkedHashMap<>();
    private final Map<Claim, ItemFolder> byClaim = new HashMap<>();
    /** Of an item at most one is in use, or clean; those on their way to the trash are not here. */
    private final Map<Item, ItemFolder> byItem = new HashMap<>();

    private final Map<Long, Long> outgrown = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Long> eldest) {
            return size() > REMEMBERED;
        }
    };
    private final List<TierHealth> health = new ArrayList<>();
    private final String[] closedBecause;
    private boolean closed;
    /** Since when nothing of ours is in the way of what waits, and still nothing was granted; {@link #NOT}: it is not so. */
    private long blockedSince = NOT;
    /** One condition for each who waits: waking all for each grant would cost the square of their number. */
    private final Map<Claim, Condition> waiters = new HashMap<>();

    /** Its attempts follow each other. */
    private record Item(long item, int generation) {
        static Item of(Owner owner) {
            return new Item(owner.item(), owner.generation());
        }
    }

    Spaces(List<Ledger.Limits> tiers, BufferOptions options) {
        this.ledger = new Ledger(tiers);
        this.options = options;
        for (int t = 0; t < tiers.size(); t++) {
            health.add(new TierHealth());
        }
        this.closedBecause = new String[tiers.size()];
    }

    /** What a change needs to see and to change. */
    final class View {
        private View() {}

        Ledger ledger() {
            return ledger;
        }

        GrowthEstimate estimate() {
            return estimate;
        }

        Iterable<ItemFolder> folders() {
            return folders.values();
        }

        /** Of the same item, whichever attempt has it; null: none, or it is on its way out. */
        @Nullable
        ItemFolder ofItem(Owner owner) {
            return byItem.get(Item.of(owner));
        }

        TierHealth health(int tier) {
            return health.get(tier);
        }

        /** Closes or opens a tier for admission. @param why for those who wait; null: it is open */
        void setOpen(int tier, @Nullable String why) {
            ledger.setOpen(tier, why == null);
            closedBecause[tier] = why == null ? "" : why;
        }

        /** Bytes that the item was seen to need where it outgrew a tier; 0: it never did. */
        long outgrown(long item) {
            return outgrown.getOrDefault(item, 0L);
        }

        void hasOutgrown(long item, long bytes) {
            outgrown.merge(item, bytes, Math::max);
        }

        void forgetOutgrown(long item) {
            outgrown.remove(item);
        }

        void enter(ItemFolder folder) {
            if (folders.putIfAbsent(folder.place(), folder) != null) {
                throw new IllegalStateException(folder.owner() + " already has a folder on tier " + folder.tier());
            }
            byClaim.put(folder.claim(), folder);
            if (!folder.owner().isShared()) {
                byItem.put(Item.of(folder.owner()), folder);
            }
        }

        /** It is nobody's from now on. */
        void letLeave(ItemFolder folder) {
            folder.released = true;
            forget(folder);
        }

        /** What it holds goes on under another handle. */
        void forget(ItemFolder folder) {
            folders.remove(folder.place());
            byClaim.remove(folder.claim());
            byItem.remove(Item.of(folder.owner()), folder);
        }

        /** All who wait are told. @return whether it was closed already */
        boolean close() {
            boolean already = closed;
            closed = true;
            waiters.values().forEach(Condition::signal);
            return already;
        }
    }

    private final View view = new View();

    /** Changes something, decides what can be decided then, and wakes those who wait. @return folders to be moved to the trash now */
    List<ItemFolder> change(Consumer<View> action) {
        lock.lock();
        try {
            action.accept(view);
            return settle();
        } finally {
            lock.unlock();
        }
    }

    /** Sees, and changes nothing that others wait for. */
    <T> T see(java.util.function.Function<View, T> question) {
        lock.lock();
        try {
            return question.apply(view);
        } finally {
            lock.unlock();
        }
    }

    private List<ItemFolder> settle() {
        decide();
        var moves = new ArrayList<ItemFolder>();
        for (var claim : ledger.takeEvicted()) {
            var folder = byClaim.get(claim);
            if (folder != null) {
                view.letLeave(folder);
                moves.add(folder);
            }
        }
        return moves;
    }

    private void decide() {
        for (var claim : ledger.grant()) {
            wakeUp(claim);
            blockedSince = NOT;
        }
        if (ledger.anythingMayLeave()) {
            blockedSince = NOT;
        } else if (ledger.waitingClaims() > 0 && blockedSince == NOT) {
            blockedSince = options.clock().getAsLong();
        }
    }

    private void wakeUp(Claim claim) {
        var waiter = waiters.get(claim);
        if (waiter != null) {
            waiter.signal();
        }
    }

    void refuseIfClosed() {
        if (closed) {
            throw new IllegalStateException("the buffer is closed");
        }
    }

    /**
     * Waits until a claim is granted.
     *
     * @param wait false: only if it is so now
     * @return whether it is; if not, or after an exception, the claim has left the ledger
     */
    boolean awaitGrant(Claim claim, boolean wait) throws NeverFitsException, NoRoomException, InterruptedException {
        lock.lock();
        boolean granted = false;
        try {
            var mine = lock.newCondition();
            waiters.put(claim, mine);
            while (!isDecided(claim)) {
                refuseIfClosed();
                if (!wait) {
                    return false;
                }
                if (ledger.isNext(claim) && blockedForTooLong()) {
                    throw new NoRoomException(NoRoom.blocked(ledger, claim, closedBecause, options.patience()));
                }
                mine.awaitNanos(Math.min(LOOK_AGAIN_NANOS, options.patience().toNanos()));
            }
            if (claim.state() == State.REFUSED) {
                throwRefusal(claim);
            }
            granted = true;
            return true;
        } finally {
            waiters.remove(claim);
            if (!granted) {
                withdraw(claim);
                decide();
                ledger.next().ifPresent(this::wakeUp);
            }
            lock.unlock();
        }
    }

    private void throwRefusal(Claim claim) throws NeverFitsException, NoRoomException {
        if (ledger.isStrandedOut(claim)) {
            throw new NoRoomException(NoRoom.stranded(ledger, claim));
        }
        throw ledger.neverFits(claim);
    }

    /** As of the last look at the tiers. Who comes later need not wait for what others have waited for in vain. */
    boolean isBlockedForTooLong() {
        lock.lock();
        try {
            return blockedForTooLong();
        } finally {
            lock.unlock();
        }
    }

    private boolean blockedForTooLong() {
        return blockedSince != NOT
                && options.clock().getAsLong() - blockedSince
                        > options.patience().toNanos();
    }

    /** What is waited for, if it is nothing of ours and has been for so long; empty: no such thing. */
    Optional<String> blocked(Duration atLeast) {
        lock.lock();
        try {
            boolean told = blockedSince != NOT && options.clock().getAsLong() - blockedSince >= atLeast.toNanos();
            return told
                    ? ledger.next().map(claim -> NoRoom.waiting(ledger, claim, closedBecause, options.patience()))
                    : Optional.empty();
        } finally {
            lock.unlock();
        }
    }

    private static boolean isDecided(Claim claim) {
        return claim.state() == State.REFUSED || claim.state() == State.LIVE;
    }

    /** Takes back a claim that got no folder. */
    private void withdraw(Claim claim) {
        switch (claim.state()) {
            case WAITING -> ledger.cancel(claim);
            case LIVE -> {
                ledger.leave(claim);
                ledger.gone(claim);
            }
            case REFUSED, CANCELLED, STRANDED, CLEAN, LEAVING, GONE -> {}
        }
    }
}
