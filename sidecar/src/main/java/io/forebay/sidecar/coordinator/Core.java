package io.forebay.sidecar.coordinator;

import io.forebay.api.job.Job;
import io.forebay.api.name.Printable;
import io.forebay.message.Messages.Drain;
import io.forebay.message.Messages.Failure;
import io.forebay.message.Messages.StepRun;
import io.forebay.message.Messages.Unexported;
import io.forebay.message.Messages.WorkerCounters;
import io.forebay.sidecar.item.ItemEvent;
import io.forebay.sidecar.item.ItemState;
import io.forebay.sidecar.link.CoordinatorLink.LinkException;
import io.forebay.sidecar.plan.Plan;
import io.forebay.sidecar.records.LogEntry;
import io.forebay.sidecar.records.LogLostException;
import io.forebay.sidecar.records.RecordLog;
import io.forebay.sidecar.records.RecordLog.Ticket;
import io.forebay.sidecar.spool.HashTable;
import io.forebay.sidecar.store.StoreException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What the coordinator knows, once it is planned and recovered. Everything that is not final is guarded by {@link #lock}; no
 * I/O under it but reading the plan's scratch file. Decisions are made under the lock together with their log entry; they are
 * acted on after {@link #decided}.
 */
final class Core {
    final Job job;
    final Truth truth;
    final Plan plan;
    final ItemTable table;
    /** Final names that are decided, and the items that publish them. */
    final HashTable names;

    final PendingQueue pending;
    final Pace pace = new Pace();
    final Tally tally;
    final RecordLog log;
    final int generation;
    final CoordinatorOptions options;
    final long leaseNanos;

    final ReentrantLock lock = new ReentrantLock();
    /** Something happened that {@link Coordinator#await} may wait for. */
    final Condition changed = lock.newCondition();

    final Map<Integer, Held> held = new HashMap<>();
    final Map<Integer, OutputsOnRecord> residues;
    final Map<String, WorkerState> workers = new LinkedHashMap<>();
    /** By process life: the last counters of all workers, those that are gone included. */
    final Map<String, WorkerCounters> counters = new HashMap<>();
    /** By worker name: lives that ended in a row without an item done. */
    final Map<String, Integer> deaths = new HashMap<>();

    /** Leases are granted, and lost pieces believed lost, only after workers had time to report; until then not 0. */
    long recoveringUntilNanos;

    @Nullable
    Drain drain;

    @Nullable
    DrainCause drainCause;

    /** What no item can succeed for, in words; absent: nothing of the kind has happened. */
    @Nullable
    String fatal;

    /** Also read without the lock. */
    volatile @Nullable LogLostException lost;

    /** It decides nothing more, so that a successor goes on. Also read without the lock. */
    volatile boolean steppingDown;

    /** How the run ended is recorded: nothing more is decided. */
    boolean ended;

    long skipped;
    /** Attempts after which an item is run again. */
    long runAgain;
    /** Lines for the user, on their way: they are told without the lock. */
    final Queue<String> toTell = new ConcurrentLinkedQueue<>();

    private final Set<String> toldReasons = new HashSet<>();

    @Nullable
    String lastMessage;

    long lastMessageAt;

    Core(Job job, Truth truth, RecordLog log, int generation, CoordinatorOptions options) {
        this.job = job;
        this.truth = truth;
        this.plan = truth.plan;
        this.table = truth.table;
        this.names = truth.names;
        this.tally = truth.tally;
        this.residues = truth.residues;
        this.pending = new PendingQueue(table);
        this.log = log;
        this.generation = generation;
        this.options = options;
        this.leaseNanos = options.lease().toNanos();
        this.officeSeenNanos = now() - leaseNanos;
    }

    long now() {
        return options.nanoTime().getAsLong();
    }

    /** Waits until the entry is decided; not under the lock. @throws LinkException this coordinator decides nothing more */
    void awaitDurable(Ticket ticket) throws LinkException, InterruptedException {
        try {
            log.await(ticket);
        } catch (LogLostException e) {
            lost(e);
            throw new LinkException(String.valueOf(e.getMessage()), e);
        }
    }

    void lost(LogLostException e) {
        lock.lock();
        try {
            if (lost == null) {
                lost = e;
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** @throws LinkException this coordinator decides nothing more */
    void requireInOffice() throws LinkException {
        if (steppingDown) {
            throw new LinkException(
                    "the coordinator has stepped down; the one that is started next goes on",
                    new IllegalStateException("stepped down"));
        }
        if (lost != null) {
            throw new LinkException(String.valueOf(lost.getMessage()), lost);
        }
    }

    /**
     * For what is answered without a log entry: looks for a successor if that was not done for a while, so that a coordinator
     * that was frozen leases nothing when it is thawed. A successor leases nothing either for a time longer than this while.
     */
    void requireFreshOffice() throws LinkException, InterruptedException {
        long now = now();
        if (now - officeSeenNanos > leaseNanos / 6) {
            try {
                log.checkStillOurs();
            } catch (LogLostException e) {
                lost(e);
            } catch (StoreException e) {
                throw new LinkException(LinkException.Kind.NOT_NOW, String.valueOf(e.getMessage()), e);
            }
            officeSeenNanos = now;
        }
        requireInOffice();
    }

    /** When a look for a successor that found none began. */
    private volatile long officeSeenNanos;

    Ticket append(LogEntry entry) {
        return log.append(entry);
    }

    OutputsOnRecord residue(int item) {
        return residues.computeIfAbsent(item, i -> new OutputsOnRecord());
    }

    /** Ends a worker's hold; the item's state is the caller's business. */
    void letGo(Held h) {
        held.remove(h.item, h);
        if (h.worker.held.remove(h.item, h)) {
            h.worker.heldAlone -= h.alone ? 1 : 0;
        }
    }

    /** An undecided attempt is over, by its worker's word: the item is pending again, once what it staged is removed. */
    void giveBack(int item) {
        table.fence(item, table.attempt(item));
        comeBack(item);
    }

    /** As {@link #giveBack}, but nobody said that the attempt is over: its worker may take it up again if nobody else did. */
    void comeBack(int item) {
        table.apply(item, ItemEvent.GIVE_BACK);
        cleanFirst(item);
    }

    /** What attempts so far staged must be gone before another may begin: a late rename or completion then fails. */
    void cleanFirst(int item) {
        var residue = residues.get(item);
        if (residue != null && !residue.isEmpty()) {
            table.fence(item, table.attempt(item));
            pending.startCleaning(item);
            cleanings.add(item);
        } else {
            pending.giveBack(item);
        }
        changed.signalAll();
    }

    void sayRunAgain(String key, String why) {
        runAgain++;
        say("item " + key + " is run again: " + why);
    }

    /** The item has failed, and no attempt follows in this run; the log says so already. */
    void failForGood(
            int item, String key, int attempt, Failure failure, List<StepRun> steps, List<Unexported> unexported) {
        boolean drains = draining();
        table.apply(item, ItemEvent.FAIL);
        pending.clear(item);
        tally.failed(key, attempt, failure, steps);
        tally.unexported(item, table.listAnew(item), unexported);
        var residue = residues.get(item);
        if (residue != null) {
            residue.keepAfterFailure(unexported);
            cleanFailed(item, residue);
        }
        if (failure.fatal()) {
            fatal = fatal == null ? failure.message() : fatal;
            startDrain(DrainCause.FATAL, job.deadlines().drain(), false);
        } else if (stopsOnFailure() && !draining()) {
            startDrain(DrainCause.STOPPED, job.deadlines().drain(), false);
        }
        say("item " + key + " failed: " + failure.message());
        if (!drains && toldReasons.add(failure.reason())) {
            toTell.add("failed: " + Printable.name(key) + ": " + failure.reason() + ": "
                    + Printable.message(failure.message()) + " (told at once for the first " + failure.reason() + ")");
        }
        changed.signalAll();
    }

    /** What a failed item left at the stores goes, unless resume goes on from there. */
    private void cleanFailed(int item, OutputsOnRecord residue) {
        if (!residue.kept && !residue.isEmpty()) {
            table.fence(item, table.attempt(item));
            cleanings.add(item);
        }
    }

    private boolean stopsOnFailure() {
        return switch (job.onItemFailure()) {
            case STOP -> true;
            case CONTINUE -> false;
        };
    }

    /** Items whose remains are to be removed, in order. */
    final java.util.ArrayDeque<Integer> cleanings = new java.util.ArrayDeque<>();
    /** Items with an intent that nobody carries out. */
    final java.util.ArrayDeque<Integer> orphans = new java.util.ArrayDeque<>();

    /** The intent has nobody left who could carry it out but the coordinator. */
    void orphan(int item) {
        var residue = residue(item);
        residue.orphanedAtNanos = now();
        residue.retryAtNanos = now();
        orphans.add(item);
        changed.signalAll();
    }

    /**
     * Workers had time to report what they hold. What nobody holds is now removed, carried out, or begun anew. Called before
     * anything is leased; only the first call does anything.
     */
    void endRecovery() {
        if (recovered) {
            return;
        }
        recovered = true;
        for (int item : List.copyOf(residues.keySet())) {
            var residue = residue(item);
            switch (table.state(item)) {
                case PENDING -> {
                    if (residue.decided != null) {
                        residue.staged.addAll(residue.decided.outputs());
                        residue.decided = null;
                        table.generation(item, table.generation(item) + 1);
                        append(new LogEntry.NewGeneration(table.id(item), item, table.generation(item)));
                    }
                    cleanFirst(item);
                }
                case COMMITTING -> {
                    if (!held.containsKey(item)) {
                        orphan(item);
                    }
                }
                case DONE -> cleanings.add(item);
                case FAILED -> cleanFailed(item, residue);
                case LEASED, FETCHING, READY, RUNNING, FLUSHING -> {}
            }
        }
    }

    private boolean recovered;

    /** Whether what earlier coordinators left has been taken care of, or is being so. */
    boolean recovered() {
        return recovered;
    }

    /** No further item is started. A stronger cause replaces a weaker one; the earlier end of time counts. */
    void startDrain(DrainCause cause, Duration within, boolean killSteps) {
        long until = options.clock().millis() + within.toMillis();
        if (drain == null) {
            drainCause = cause;
            drain = new Drain(cause.word(), until, killSteps);
            say("draining: " + cause.word());
        } else {
            boolean stronger = drainCause != null
                    && cause.code().isPresent()
                    && drainCause.code().isEmpty();
            drainCause = stronger ? cause : drainCause;
            drain = new Drain(
                    stronger ? cause.word() : drain.cause(),
                    Math.min(until, drain.untilMillis()),
                    killSteps || drain.killSteps());
        }
        changed.signalAll();
    }

    boolean draining() {
        return drain != null;
    }

    void say(String message) {
        lastMessage = message;
        lastMessageAt = options.clock().millis();
    }

    /** As {@link #say}, for callers without the lock. */
    void sayLocked(String message) {
        lock.lock();
        try {
            say(message);
        } finally {
            lock.unlock();
        }
    }

    String keyOf(int item) {
        return plan.item(item).key();
    }

    /** Nothing is left to lease, nor will be. */
    boolean isOver() {
        return ended || allEnded();
    }

    boolean allEnded() {
        return table.endedCount() == table.size();
    }

    ItemState state(long item) {
        return table.state((int) item);
    }
}
