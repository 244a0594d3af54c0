package io.forebay.sidecar.buffer;

import io.forebay.api.value.Bytes;
import io.forebay.sidecar.buffer.Buffer.NeverFitsException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Who may use how many bytes of which tier. No I/O, no clock, no threads: {@link TieredBuffer} holds its lock around each call.
 *
 * <p>What counts against a tier: the reservation of each live claim, or what it was seen to use if that is more; what clean
 * and stranded claims use; what counted for a claim when it left, until it is gone (it may have written since it was last looked at). A reservation is taken by {@link #grant} (or {@link #adopt}), and
 * released by {@link #leave} then {@link #gone}, exactly once.
 *
 * <p>First come, first served: a claim that waits keeps all tiers that could ever hold it from those behind it. So a large
 * claim is not starved by small ones, and one that only a lower tier can hold does not hold up the upper tier.
 *
 * <p>No deadlock: a claim that waits holds nothing, and one that is granted needs no more; what is stranded for good is never waited
 * for: a claim that it leaves no room is refused.
 */
final class Ledger {
    /**
     * @param label for messages: medium and root
     * @param sizeBytes configured
     * @param highBytes sum up to which claims are granted; a single claim may go beyond, up to {@link #mostBytes}, if it is alone
     * @param floorBytes kept free always
     */
    record Limits(String label, long sizeBytes, long highBytes, long floorBytes) {
        Limits {
            if (floorBytes < 0 || highBytes <= 0 || sizeBytes <= floorBytes) {
                throw new IllegalArgumentException(
                        "no tier: size " + sizeBytes + ", high " + highBytes + ", floor " + floorBytes);
            }
        }

        long mostBytes() {
            return sizeBytes - floorBytes;
        }

        long usualBytes() {
            return Math.min(highBytes, mostBytes());
        }
    }

    enum State {
        WAITING,
        /** Waited for a place that somebody else has taken for good: see {@link Ledger#isStrandedOut}. */
        REFUSED,
        CANCELLED,
        LIVE,
        /** Holds what could not be exported, until the run ends. */
        STRANDED,
        CLEAN,
        LEAVING,
        GONE
    }

    /** A piece of a tier, or the wish for one. */
    static final class Claim {
        private final long leastBytes;
        private final long wantedBytes;
        private final int fromTier;
        private final boolean permanent;
        private State state = State.WAITING;
        private int tier = -1;
        private long reservedBytes;
        private long observedBytes;
        private long leavingBytes;

        private Claim(long leastBytes, long wantedBytes, int fromTier, boolean permanent) {
            this.leastBytes = leastBytes;
            this.wantedBytes = wantedBytes;
            this.fromTier = fromTier;
            this.permanent = permanent;
        }

        State state() {
            return state;
        }

        /** -1: not yet granted. */
        int tier() {
            return tier;
        }

        long wantedBytes() {
            return wantedBytes;
        }

        int fromTier() {
            return fromTier;
        }

        long reservedBytes() {
            return reservedBytes;
        }

        /** What it was last seen to use. */
        long observedBytes() {
            return observedBytes;
        }

        boolean permanent() {
            return permanent;
        }

        private long charge() {
            return switch (state) {
                case LIVE -> Math.max(reservedBytes, observedBytes);
                case CLEAN, STRANDED -> observedBytes;
                case LEAVING -> leavingBytes;
                case WAITING, REFUSED, CANCELLED, GONE -> 0;
            };
        }
    }

    private static final class Tier {
        final Limits limits;
        /** Sums of charges by state. */
        long live;

        long clean;
        long leaving;
        /** Part of live that stays for good. */
        long permanent;
        /** Not part of live. */
        long stranded;
        /** What live, stranded and clean claims were seen to use. */
        long observed;

        int liveItems;
        boolean open = true;
        long availableBytes = Long.MAX_VALUE;
        long evictions;
        /** Least recently used first. */
        final Deque<Claim> cleanClaims = new ArrayDeque<>();

        Tier(Limits limits) {
            this.limits = limits;
        }

        /** Largest claim that it can hold when all that is not permanent has left: in a run without a failure. */
        long most() {
            return Math.max(0, limits.mostBytes() - permanent);
        }

        /** As {@link #most}, in this run. */
        long room() {
            return Math.max(0, most() - stranded);
        }

        /** Up to which sum of charges a claim of this size may be granted now; negative: not now. */
        long limitFor(long bytes) {
            if (permanent + stranded + bytes <= limits.usualBytes()) {
                return limits.usualBytes();
            }
            return liveItems == 0 ? limits.mostBytes() : -1;
        }

        boolean couldTake(long bytes) {
            return open && live + stranded + bytes <= Math.min(limitFor(bytes), availableBytes);
        }

        boolean canTake(long bytes) {
            long all = live + stranded + clean + bytes;
            return open && all + leaving <= limitFor(bytes) && all <= availableBytes;
        }
    }

    private final List<Tier> tiers;
    private final List<Claim> waiting = new ArrayList<>();
    private final List<Claim> evicted = new ArrayList<>();

    Ledger(List<Limits> tiers) {
        if (tiers.isEmpty()) {
            throw new IllegalArgumentException("a buffer needs a tier");
        }
        this.tiers = tiers.stream().map(Tier::new).toList();
    }

    // ---- asking

    /**
     * Joins the queue.
     *
     * @param leastBytes below which it makes no sense (its inputs; with declared growth: all)
     * @param wantedBytes inputs and expected growth; where no tier can hold so much, it gets the largest tier alone
     * @throws NeverFitsException no tier from {@code fromTier} on can hold {@code leastBytes}
     */
    Claim request(long leastBytes, long wantedBytes, int fromTier) throws NeverFitsException {
        return enqueue(new Claim(leastBytes, Math.max(leastBytes, wantedBytes), fromTier, false));
    }

    /** Space that is kept until the end; what waits and can then never be held is refused. */
    Claim requestPermanent(long bytes) throws NeverFitsException {
        return enqueue(new Claim(bytes, bytes, 0, true));
    }

    private Claim enqueue(Claim claim) throws NeverFitsException {
        if (claim.leastBytes < 0 || claim.fromTier < 0) {
            throw new IllegalArgumentException("claim of " + claim.leastBytes + " bytes from tier " + claim.fromTier);
        }
        if (candidates(claim).isEmpty()) {
            throw neverFits(claim);
        }
        waiting.add(claim);
        return claim;
    }

    NeverFitsException neverFits(Claim claim) {
        var from = tiers.subList(Math.min(claim.fromTier, tiers.size()), tiers.size());
        var sizes = from.stream()
                .map(t -> t.limits.label() + " of "
                        + Bytes.of(t.limits.sizeBytes()).human() + " holds at most "
                        + Bytes.of(t.most()).human())
                .collect(Collectors.joining("; "));
        return new NeverFitsException(
                Bytes.of(claim.leastBytes).human() + " (" + claim.leastBytes + " bytes) are needed at once, and "
                        + (from.isEmpty()
                                ? "no tier is left below those it has outgrown"
                                : "no tier can hold them even when it is empty: " + sizes)
                        + ". Give spec.buffer.tiers a larger tier");
    }

    void cancel(Claim claim) {
        require(claim, State.WAITING);
        waiting.remove(claim);
        claim.state = State.CANCELLED;
    }

    /**
     * Decides as much of the queue as can be decided, in its order. What only stranded data are in the way of is refused. What had to be evicted for it is in {@link #takeEvicted};
     * those that wait for it are granted by a later call, after {@link #gone}.
     *
     * @return claims that are LIVE or REFUSED now
     */
    List<Claim> grant() {
        var decided = new ArrayList<Claim>();
        var kept = new BitSet();
        for (var it = waiting.iterator(); it.hasNext() && kept.cardinality() < tiers.size(); ) {
            var claim = it.next();
            var candidates = inThisRun(claim);
            if (candidates.isEmpty()) {
                claim.state = State.REFUSED;
            } else {
                place(claim, candidates, kept);
            }
            if (claim.state == State.WAITING) {
                candidates.forEach(kept::set);
            } else {
                it.remove();
                decided.add(claim);
            }
        }
        return decided;
    }

    private void place(Claim claim, List<Integer> candidates, BitSet kept) {
        for (int t : candidates) {
            var tier = tiers.get(t);
            long bytes = Math.min(claim.wantedBytes, tier.room());
            if (kept.get(t) || !tier.couldTake(bytes)) {
                continue;
            }
            evict(
                    t,
                    tier.live
                            + tier.stranded
                            + tier.clean
                            + bytes
                            - Math.min(tier.limitFor(bytes), tier.availableBytes));
            if (tier.canTake(bytes)) {
                makeLive(claim, t, bytes, 0);
            }
            return; // granted, or it waits for what leaves this tier
        }
    }

    /** Tiers that could ever hold it, best first. */
    private List<Integer> candidates(Claim claim) {
        var all = new ArrayList<Integer>();
        var largest = -1;
        for (int t = claim.fromTier; t < tiers.size(); t++) {
            long most = tiers.get(t).most();
            if (claim.wantedBytes <= most) {
                all.add(t);
            }
            if (claim.leastBytes <= most
                    && (largest < 0 || most > tiers.get(largest).most())) {
                largest = t;
            }
        }
        if (all.isEmpty() && largest >= 0) {
            all.add(largest);
        }
        return all;
    }

    /** Of the candidates those that what is stranded leaves room for. */
    private List<Integer> inThisRun(Claim claim) {
        return candidates(claim).stream()
                .filter(t -> {
                    var tier = tiers.get(t);
                    long bytes = claim.wantedBytes <= tier.most() ? claim.wantedBytes : claim.leastBytes;
                    return bytes <= tier.room();
                })
                .toList();
    }

    /** Of a refused claim: a tier could hold it, were it not for what is stranded there. */
    boolean isStrandedOut(Claim claim) {
        return !candidates(claim).isEmpty();
    }

    /** What an earlier life left: it is there, whether it fits or not. */
    Claim adopt(int tier, long reservedBytes, long observedBytes, boolean permanent) {
        var claim = new Claim(reservedBytes, reservedBytes, tier, permanent);
        makeLive(claim, tier, reservedBytes, observedBytes);
        return claim;
    }

    private void makeLive(Claim claim, int tier, long reservedBytes, long observedBytes) {
        claim.tier = tier;
        claim.reservedBytes = reservedBytes;
        claim.observedBytes = observedBytes;
        claim.state = State.LIVE;
        add(claim, 1);
    }

    // ---- living and leaving

    /** It was seen to use so much. */
    void observe(Claim claim, long usedBytes) {
        switch (claim.state) {
            case LIVE, STRANDED, CLEAN -> {
                add(claim, -1);
                claim.observedBytes = usedBytes;
                add(claim, 1);
            }
            case WAITING, REFUSED, CANCELLED, LEAVING, GONE -> {
                // Seen before it left.
            }
        }
    }

    /** What it uses now cannot be exported and must not be lost: it stays until the run ends, and nobody waits for it. */
    void strand(Claim claim) {
        require(claim, State.LIVE);
        add(claim, -1);
        claim.state = State.STRANDED;
        add(claim, 1);
    }

    /** Nothing of it is needed any more but what it uses now, until that is in somebody's way. */
    void retire(Claim claim) {
        require(claim, State.LIVE);
        add(claim, -1);
        claim.state = State.CLEAN;
        add(claim, 1);
        tiers.get(claim.tier).cleanClaims.addLast(claim);
    }

    /**
     * Takes clean data into use again, in its place.
     *
     * @return false: not now (others wait, or there is no room for its growth); it stays clean
     */
    boolean revive(Claim claim, long wantedBytes) {
        require(claim, State.CLEAN);
        var tier = tiers.get(claim.tier);
        long bytes = Math.max(wantedBytes, claim.observedBytes);
        if (!waiting.isEmpty() || !tier.canTake(bytes - claim.observedBytes)) {
            return false;
        }
        add(claim, -1);
        tier.cleanClaims.remove(claim);
        makeLive(claim, claim.tier, bytes, claim.observedBytes);
        return true;
    }

    /** It is being removed; its bytes count until {@link #gone}. */
    void leave(Claim claim) {
        if (claim.state != State.LIVE && claim.state != State.CLEAN) {
            throw new IllegalStateException("a claim that is " + claim.state + " cannot leave");
        }
        add(claim, -1);
        claim.leavingBytes = claim.charge();
        tiers.get(claim.tier).cleanClaims.remove(claim);
        claim.state = State.LEAVING;
        add(claim, 1);
    }

    void gone(Claim claim) {
        require(claim, State.LEAVING);
        add(claim, -1);
        claim.state = State.GONE;
    }

    /** Lets the least recently used clean claims of a tier leave until they amount to so many bytes. */
    void evict(int tier, long bytes) {
        var t = tiers.get(tier);
        long left = bytes;
        while (left > 0 && !t.cleanClaims.isEmpty()) {
            var victim = t.cleanClaims.getFirst();
            left -= victim.observedBytes;
            leave(victim);
            t.evictions++;
            evicted.add(victim);
        }
    }

    /** Lets one claim leave, as if others needed its place. */
    void evictThis(Claim claim) {
        leave(claim);
        evicted.add(claim);
    }

    /** Claims that left since the last call by evict and evictThis: to be removed, then {@link #gone}. */
    List<Claim> takeEvicted() {
        var all = List.copyOf(evicted);
        evicted.clear();
        return all;
    }

    // ---- the tiers

    /** A tier that is not open takes no new claims. */
    void setOpen(int tier, boolean open) {
        tiers.get(tier).open = open;
    }

    /** What the file system below can carry of ours, whatever the tier's size: others may fill it too. */
    void setAvailable(int tier, long bytes) {
        tiers.get(tier).availableBytes = bytes;
    }

    long availableBytes(int tier) {
        return tiers.get(tier).availableBytes;
    }

    Limits limits(int tier) {
        return tiers.get(tier).limits;
    }

    /** Largest claim that the tier can hold when all that is not permanent has left. */
    long mostIn(int tier) {
        return tiers.get(tier).most();
    }

    /** As {@link #mostIn}, when what is stranded there stays. */
    long roomIn(int tier) {
        return tiers.get(tier).room();
    }

    long liveBytes(int tier) {
        return tiers.get(tier).live;
    }

    long cleanBytes(int tier) {
        return tiers.get(tier).clean;
    }

    long leavingBytes(int tier) {
        return tiers.get(tier).leaving;
    }

    /** By what could not be exported. */
    long strandedBytes(int tier) {
        return tiers.get(tier).stranded;
    }

    long chargedBytes(int tier) {
        var t = tiers.get(tier);
        return t.live + t.stranded + t.clean + t.leaving;
    }

    /** What live, stranded and clean claims were seen to use: what leaves is left out. */
    long observedBytes(int tier) {
        return tiers.get(tier).observed;
    }

    long evictions(int tier) {
        return tiers.get(tier).evictions;
    }

    int tiers() {
        return tiers.size();
    }

    boolean isOpen(int tier) {
        return tiers.get(tier).open;
    }

    /** The claim that has waited longest. */
    Optional<Claim> next() {
        return waiting.isEmpty() ? Optional.empty() : Optional.of(waiting.getFirst());
    }

    boolean isNext(Claim claim) {
        return !waiting.isEmpty() && waiting.getFirst() == claim;
    }

    int waitingClaims() {
        return waiting.size();
    }

    /** Whether something of ours may still leave and make room for what waits. Clean data that would have left by {@link #grant}. */
    boolean anythingMayLeave() {
        return tiers.stream().anyMatch(t -> t.liveItems > 0 || t.leaving > 0);
    }

    private void add(Claim claim, int sign) {
        var tier = tiers.get(claim.tier);
        long bytes = sign * claim.charge();
        switch (claim.state) {
            case LIVE -> {
                tier.live += bytes;
                tier.observed += sign * claim.observedBytes;
                if (claim.permanent) {
                    tier.permanent += bytes;
                } else {
                    tier.liveItems += sign;
                }
            }
            case STRANDED -> {
                tier.stranded += bytes;
                tier.observed += bytes;
            }
            case CLEAN -> {
                tier.clean += bytes;
                tier.observed += bytes;
            }
            case LEAVING -> tier.leaving += bytes;
            case WAITING, REFUSED, CANCELLED, GONE ->
                throw new IllegalStateException("a claim that is " + claim.state + " has no bytes");
        }
    }

    private static void require(Claim claim, State state) {
        if (claim.state != state) {
            throw new IllegalStateException("a claim that is " + claim.state + " is not " + state);
        }
    }
}
