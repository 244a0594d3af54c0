package io.forebay.sidecar.worker;

import io.forebay.message.Messages.Drain;
import io.forebay.message.Messages.Holding;
import io.forebay.message.Messages.ItemLease;
import io.forebay.message.Messages.StagedOutput;
import io.forebay.message.Messages.StepRun;
import io.forebay.message.Messages.Timing;
import io.forebay.message.Messages.Unexported;
import io.forebay.sidecar.buffer.Buffer.ItemSpace;
import io.forebay.sidecar.item.ItemState;
import io.forebay.sidecar.step.StepHost.CommandId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One attempt that this worker holds. Its own thread changes it; other threads see {@link #state}, and say {@link #overgrown} and
 * {@link #drain}.
 */
final class Attempt {
    private final ItemLease lease;
    private final long leasedAtMillis;
    private final boolean afterAnother;
    private final List<StepRun> runs = new ArrayList<>();
    private final EarlyFlush.Copies copies = new EarlyFlush.Copies();
    private volatile ItemState state = ItemState.LEASED;
    private @Nullable ItemSpace space;
    private boolean fetched;
    private List<String> sums = List.of();
    private List<StagedOutput> granted = List.of();
    private boolean grantedSuccess;
    private boolean described;
    private @Nullable Damaged damaged;
    private volatile @Nullable Overgrown overgrown;
    private volatile @Nullable Drain drain;
    private volatile boolean dropped;
    private final AtomicReference<Beginning> beginning = new AtomicReference<>(Beginning.OPEN);
    private volatile boolean reporting;
    private volatile @Nullable Thread thread;
    private volatile @Nullable CommandId running;
    private final long[] stageNanos = new long[Stage.values().length];

    /** Whether the first step has started, or never will here. */
    private enum Beginning {
        OPEN,
        BEGUN,
        GIVEN_BACK
    }

    /** What the report tells apart. */
    enum Stage {
        FETCH,
        WAIT,
        RUN,
        FLUSH,
        COMMIT
    }

    /** @param why in words, of an attempt whose kept outputs are not what they were @param outputs its list */
    record Damaged(String why, List<Unexported> outputs) {
        Damaged {
            outputs = List.copyOf(outputs);
        }
    }

    /** @param nextTier -1: none */
    record Overgrown(int nextTier, String message) {}

    /** @param afterAnother an earlier life, of this worker or of its job, may have been at the item, with or without a record */
    Attempt(ItemLease lease, long leasedAtMillis, boolean afterAnother) {
        this.lease = lease;
        this.leasedAtMillis = leasedAtMillis;
        this.afterAnother = afterAnother;
    }

    ItemLease lease() {
        return lease;
    }

    long item() {
        return lease.item();
    }

    int generation() {
        return lease.generation();
    }

    int number() {
        return lease.attempt();
    }

    /** Whether something of its outputs may have been begun before. */
    boolean again() {
        return afterAnother || number() > 1 || generation() > 0;
    }

    ItemState state() {
        return state;
    }

    void state(ItemState next) {
        state = next;
    }

    ItemSpace space() {
        var s = space;
        if (s == null) {
            throw new IllegalStateException("item " + lease.key() + " has no space yet (" + state + ")");
        }
        return s;
    }

    boolean hasSpace() {
        return space != null;
    }

    void space(ItemSpace given) {
        space = given;
    }

    boolean fetched() {
        return fetched;
    }

    /** @param crc32c of each input, in the lease's order; 0 for links and folders */
    void markFetched(List<Long> crc32c) {
        fetched = true;
        sums = InputSums.of(lease.inputs(), crc32c);
    }

    /** As in a lease; no elements: not fetched yet. */
    List<String> sums() {
        return sums;
    }

    /** Ends of the steps so far, in order; grows. */
    List<StepRun> runs() {
        return runs;
    }

    /** What was staged or published while the steps ran. */
    EarlyFlush.Copies copies() {
        return copies;
    }

    List<StagedOutput> granted() {
        return granted;
    }

    boolean grantedSuccess() {
        return grantedSuccess;
    }

    void grant(boolean success, List<StagedOutput> outputs) {
        grantedSuccess = success;
        granted = List.copyOf(outputs);
    }

    /** Whether the journal says what its kept outputs are; never said twice, since they may have been damaged in between. */
    boolean isDescribed() {
        return described;
    }

    void markDescribed() {
        described = true;
    }

    /** Its outputs are kept and must not be published, and nothing can make them again. */
    @Nullable
    Damaged damaged() {
        return damaged;
    }

    void damaged(Damaged reason) {
        damaged = reason;
        described = true;
    }

    @Nullable
    Overgrown overgrown() {
        return overgrown;
    }

    void overgrown(Overgrown reason) {
        overgrown = reason;
    }

    @Nullable
    Drain drain() {
        return drain;
    }

    void drain(Drain order) {
        drain = order;
    }

    /** The coordinator no longer wants it: discard, say nothing. */
    boolean dropped() {
        return dropped;
    }

    void drop() {
        dropped = true;
    }

    /** Its end is being told, or was told: the answer to that says what becomes of its data, and nothing else does. */
    boolean reporting() {
        return reporting;
    }

    void markReporting() {
        reporting = true;
    }

    /** The steps start now. @return false: it was recalled, and is given back */
    boolean begin() {
        return beginning.compareAndSet(Beginning.OPEN, Beginning.BEGUN) || beginning.get() == Beginning.BEGUN;
    }

    /** Another worker could begin it at once. @return whether that is still possible: this one never begins it then */
    boolean recall() {
        return beginning.compareAndSet(Beginning.OPEN, Beginning.GIVEN_BACK);
    }

    boolean recalled() {
        return beginning.get() == Beginning.GIVEN_BACK;
    }

    void runsOn(Thread t) {
        thread = t;
    }

    void interrupt() {
        var t = thread;
        if (t != null) {
            t.interrupt();
        }
    }

    @Nullable
    CommandId running() {
        return running;
    }

    void running(@Nullable CommandId id) {
        running = id;
    }

    void took(Stage stage, long nanos) {
        stageNanos[stage.ordinal()] += nanos;
    }

    Timing timing() {
        return new Timing(
                leasedAtMillis,
                millis(Stage.FETCH),
                millis(Stage.WAIT),
                millis(Stage.RUN),
                millis(Stage.FLUSH),
                millis(Stage.COMMIT));
    }

    private long millis(Stage stage) {
        return TimeUnit.NANOSECONDS.toMillis(stageNanos[stage.ordinal()]);
    }

    Holding holding() {
        return new Holding(item(), lease.itemId(), generation(), number(), state.name());
    }
}
