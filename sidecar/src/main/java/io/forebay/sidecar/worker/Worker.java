package io.forebay.sidecar.worker;

import io.forebay.api.job.Job;
import io.forebay.message.Messages.Drain;
import io.forebay.message.Messages.Holding;
import io.forebay.message.Messages.ItemLease;
import io.forebay.message.Messages.LeaseRequest;
import io.forebay.message.Messages.Leave;
import io.forebay.message.Messages.Register;
import io.forebay.message.Messages.Registered;
import io.forebay.message.Messages.Renew;
import io.forebay.message.Messages.Renewed;
import io.forebay.message.Messages.Unexported;
import io.forebay.message.Messages.WorkerCounters;
import io.forebay.sidecar.buffer.Buffer;
import io.forebay.sidecar.buffer.Buffer.TierUse;
import io.forebay.sidecar.item.ItemState;
import io.forebay.sidecar.journal.Journal;
import io.forebay.sidecar.journal.JournalRecord;
import io.forebay.sidecar.link.CoordinatorLink.LinkException;
import io.forebay.sidecar.link.PatientLink;
import io.forebay.sidecar.step.StepHost;
import io.forebay.sidecar.transfer.TransferCounters;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One buffer and its steps. Takes leases ahead of the computation, carries each item through fetch, steps, flush and commit,
 * and stays until everything it holds has ended.
 *
 * <p>Threads: one asks for leases (the caller of {@link #run}), one renews them, one per attempt. {@code lock} guards the
 * bookkeeping only; nothing blocks under it.
 */
public final class Worker implements AttemptRun.Host {
    /** A lease lasts so many renewals (DESIGN 4, Leases). */
    private static final int RENEWALS_PER_LEASE = 6;

    private static final Duration SHORTEST_RENEWAL = Duration.ofMillis(50);
    /** At most so long for a change that nobody tells of. */
    private static final Duration LOOK = Duration.ofSeconds(5);
    /** How long a step that is stopped has between SIGTERM and SIGKILL. */
    private static final Duration STOP_GRACE = Duration.ofSeconds(10);

    private static final Duration SHORTEST_GRACE = Duration.ofMillis(500);
    /** Attempts in all states together: bounds memory, whatever the buffer would hold. */
    private static final int MOST_ATTEMPTS = 512;
    /** Items fetched or being fetched ahead, besides two per slot: hides the store's latency for small items. */
    private static final int AHEAD = 32;

    /** @param clean everything it held has ended and nothing is left to keep */
    public record WorkerEnd(boolean clean, @Nullable String brokenBecause) {}

    private final WorkerIdentity me;
    private final Job job;
    private final Buffer buffer;
    private final Journal journal;
    private final PatientLink link;
    private final StepHost host;
    private final AttemptRun.Stages stages;
    private final TransferCounters counters;
    private final Consumer<String> tell;
    private final RoomNotices room;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Map<Long, Attempt> held = new ConcurrentHashMap<>();
    /** Guarded by lock. */
    private long renewals;

    private final List<Unexported> unreported = new ArrayList<>();

    private int kept;
    private volatile @Nullable Drain drain;
    private volatile @Nullable Throwable broken;
    /** Its coordinator decides nothing more, and no other will come. */
    private volatile boolean orphaned;
    /** Of the coordinator that this worker obeys: the highest that it has heard of. */
    private volatile int generation;

    private volatile Duration renewal = LOOK;
    private volatile boolean closing;

    public Worker(
            WorkerIdentity me,
            Job job,
            Buffer buffer,
            Journal journal,
            PatientLink link,
            StepHost host,
            AttemptRun.Stages stages,
            TransferCounters counters,
            Consumer<String> tell) {
        this.me = me;
        this.job = job;
        this.buffer = buffer;
        this.journal = journal;
        this.link = link;
        this.host = host;
        this.stages = stages;
        this.counters = counters;
        this.tell = tell;
        this.room = new RoomNotices(buffer, tell);
        buffer.onOvergrown(this::overgrown);
    }

    /** Blocks until the coordinator has nothing more for it and everything it holds has ended. */
    public WorkerEnd run(List<Attempt> recovered) throws InterruptedException {
        register(recovered);
        var renewer = Thread.ofVirtual().name("renew").start(this::renewals);
        try {
            start("shared-inputs", this::stageShared);
            host.recover(held.values().stream()
                    .map(Attempt::running)
                    .filter(java.util.Objects::nonNull)
                    .toList());
            recovered.stream().filter(a -> held.containsKey(a.item())).forEach(this::start);
            leases();
            awaitEnd();
        } finally {
            closing = true;
            renewer.interrupt();
        }
        var why = broken;
        if (why == null && !orphaned) {
            sayGoodbye();
        }
        return new WorkerEnd(kept == 0 && why == null, why == null ? null : why.toString());
    }

    private void sayGoodbye() throws InterruptedException {
        try {
            link.leave(new Leave(me.worker(), me.instance(), snapshot()));
        } catch (LinkException e) {
            counters.say("coordinator away: " + e.getMessage());
        }
    }

    private void register(List<Attempt> recovered) throws InterruptedException {
        recovered.forEach(a -> held.put(a.item(), a));
        var answer = link.register(hello(held.values()));
        obey(answer);
        for (var item : answer.drop()) {
            var attempt = held.remove(item);
            if (attempt != null) {
                dropUnstarted(attempt);
            }
        }
    }

    private Register hello(Collection<Attempt> attempts) {
        List<Holding> holding = attempts.stream().map(Attempt::holding).toList();
        return new Register(me.worker(), me.instance(), me.node(), job.workers().slots(), holding);
    }

    private void dropUnstarted(Attempt attempt) {
        if (attempt.isDescribed()) {
            tell.accept(
                    "kept outputs of item " + attempt.lease().key()
                            + " are given up: the job has no use for them (it has been done elsewhere, is begun anew, or is no item of this run)");
        }
        try {
            journal.note(new JournalRecord.Over(attempt.item(), attempt.generation(), attempt.number()));
        } catch (java.io.IOException e) {
            broken(attempt, e);
        }
        if (attempt.hasSpace()) {
            attempt.space().discard();
        }
    }

    private void stageShared() {
        try {
            stages.shared().stage(link.shared().inputs());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    // ---- leases

    private void leases() throws InterruptedException {
        while (drain == null && broken == null && !orphaned) {
            int room = room();
            if (room <= 0) {
                awaitChange(LOOK.toMillis());
                continue;
            }
            try {
                var answer = link.lease(new LeaseRequest(me.worker(), me.instance(), generation, room, freeBytes()));
                for (var lease : answer.items()) {
                    accept(lease);
                }
                if (answer.items().isEmpty()) {
                    if (answer.drained() && held.isEmpty()) {
                        return;
                    }
                    awaitChange(Math.max(1, answer.retryAfterMillis()));
                }
            } catch (LinkException e) {
                awaitChange(LOOK.toMillis() / 10);
            }
        }
    }

    private int room() {
        int ahead = 0;
        for (var attempt : held.values()) {
            if (attempt.state().compareTo(ItemState.READY) <= 0) {
                ahead++;
            }
        }
        return Math.min(AHEAD + 2 * job.workers().slots() - ahead, MOST_ATTEMPTS - held.size());
    }

    private long freeBytes() {
        return buffer.use().stream()
                .mapToLong(u -> u.sizeBytes() - u.reservedBytes())
                .sum();
    }

    private void accept(ItemLease lease) {
        var attempt = new Attempt(lease, System.currentTimeMillis(), generation > 1);
        var before = held.put(lease.item(), attempt);
        if (before != null) {
            // The coordinator gave it to us again: the older attempt is fenced.
            before.drop();
            before.interrupt();
        }
        var order = drain;
        if (order != null) {
            attempt.drain(order);
        }
        start(attempt);
    }

    private void start(Attempt attempt) {
        var run = new AttemptRun(attempt, stages, buffer, journal, link, me, this);
        start("item-" + attempt.item() + "." + attempt.number(), run);
    }

    private static void start(String name, Runnable work) {
        Thread.ofVirtual().name(name).start(work);
    }

    private void awaitEnd() throws InterruptedException {
        var stopped = new HashSet<Attempt>();
        while (!held.isEmpty() && broken == null) {
            var order = drain;
            if (order != null && System.currentTimeMillis() > order.untilMillis()) {
                // Time is over: whatever is not decided is listed. Commits begun are completed by whoever comes next.
                held.values().forEach(Attempt::interrupt);
            }
            if (orphaned) {
                // Again and again: an attempt may have begun to ask the coordinator after the first time.
                held.values().forEach(attempt -> keep(attempt, stopped));
            }
            awaitChange(200);
        }
    }

    /** @param stopped those whose command has been told to end */
    private void keep(Attempt attempt, Set<Attempt> stopped) {
        if (attempt.state() != ItemState.RUNNING) {
            attempt.interrupt();
        } else if (attempt.running() != null && stopped.add(attempt)) {
            stopStep(attempt);
        }
    }

    // ---- renewals

    private void renewals() {
        while (!closing) {
            try {
                Thread.sleep(renewal);
                room.look();
                renewOnce();
            } catch (LinkException e) {
                counters.say("coordinator away: " + e.getMessage());
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private void renewOnce() throws LinkException, InterruptedException {
        Map<Long, Attempt> named;
        long number;
        lock.lock();
        try {
            // Two at once: the higher number is of who looked later.
            number = ++renewals;
            named = Map.copyOf(held);
        } finally {
            lock.unlock();
        }
        var states = new HashMap<Long, String>();
        named.forEach((item, attempt) -> states.put(item, attempt.state().name()));
        take(link.renew(new Renew(me.worker(), me.instance(), generation, number, states, snapshot())), named);
    }

    /** @param named the attempts that the question was about */
    private void take(Renewed answer, Map<Long, Attempt> named) throws InterruptedException {
        if (answer.generation() < generation) {
            // It has been succeeded and does not know: nothing that it says counts.
            return;
        }
        var order = answer.drain();
        if (order != null) {
            drain(order);
        }
        if (answer.generation() > generation) {
            // It does not know us yet, so it cannot judge what we hold before we have registered.
            registerAgain();
            return;
        }
        still(answer.cancel(), named).forEach(this::cancel);
        still(answer.recall(), named).filter(Attempt::recall).forEach(Attempt::interrupt);
    }

    /** Those that are held as they were when they were named. */
    private Stream<Attempt> still(List<Long> items, Map<Long, Attempt> named) {
        return items.stream()
                .flatMap(item -> Optional.ofNullable(named.get(item)).stream())
                .filter(attempt -> held.get(attempt.item()) == attempt);
    }

    private void registerAgain() throws InterruptedException {
        var named = Map.copyOf(held);
        var answer = link.register(hello(named.values()));
        if (answer.generation() >= generation) {
            obey(answer);
            still(answer.drop(), named).forEach(this::cancel);
        }
    }

    private void obey(Registered answer) {
        generation = answer.generation();
        var sixth = Duration.ofMillis(answer.leaseMillis()).dividedBy(RENEWALS_PER_LEASE);
        renewal = sixth.compareTo(SHORTEST_RENEWAL) < 0 ? SHORTEST_RENEWAL : sixth;
    }

    /** Not one whose end is being told: the coordinator has let it go because of that, and it may have to be kept. */
    private void cancel(Attempt attempt) {
        if (attempt.reporting()) {
            return;
        }
        attempt.drop();
        stopStep(attempt);
        attempt.interrupt();
    }

    private void stopStep(Attempt attempt) {
        var running = attempt.running();
        if (running != null) {
            host.stop(running, grace());
        }
    }

    /** Commands must be gone before a drain's time is over. */
    private Duration grace() {
        var order = drain;
        if (order == null) {
            return STOP_GRACE;
        }
        var half = Duration.ofMillis((order.untilMillis() - System.currentTimeMillis()) / 2);
        return half.compareTo(SHORTEST_GRACE) < 0 ? SHORTEST_GRACE : half.compareTo(STOP_GRACE) < 0 ? half : STOP_GRACE;
    }

    /** What is computed and not exported at this moment, for a process that must go at once. */
    public List<Unexported> atRisk(String cause) {
        var list = new ArrayList<Unexported>();
        for (var attempt : held.values()) {
            if (attempt.hasSpace()
                    && (attempt.state() == ItemState.FLUSHING || attempt.state() == ItemState.COMMITTING)) {
                list.addAll(stages.flush().unexported(attempt, stages.steps().succeeded(attempt), cause));
            }
        }
        return list;
    }

    // ---- drain

    /**
     * This worker alone ends: steps are stopped, what has been computed is published until the time is over, the rest is given back.
     *
     * @param within most time for publishing
     */
    public void leave(Duration within) {
        drain(new Drain(Failures.LEAVING, System.currentTimeMillis() + within.toMillis(), true));
    }

    /**
     * Nobody answers any more, and nobody will: commands are stopped, and all data that are not published are kept as they are,
     * for the next run to find. May be repeated.
     */
    public void orphan() {
        orphaned = true;
        wake();
    }

    /** No new item, no further step; what has ended is published until the order's time is over. May be repeated. */
    public void drain(Drain order) {
        lock.lock();
        try {
            var before = drain;
            if (before != null && before.killSteps() && before.untilMillis() <= order.untilMillis()) {
                return;
            }
            drain = order;
        } finally {
            lock.unlock();
        }
        stages.flush().drain(order);
        for (var attempt : held.values()) {
            attempt.drain(order);
            switch (attempt.state()) {
                case PENDING, LEASED, FETCHING, READY -> attempt.interrupt();
                case RUNNING -> {
                    if (order.killSteps()) {
                        stopStep(attempt);
                    }
                }
                case FLUSHING, COMMITTING, DONE, FAILED -> {}
            }
        }
        wake();
    }

    private void overgrown(long item, int itemGeneration, int number, int nextTier, String message) {
        var attempt = held.get(item);
        if (attempt != null && attempt.generation() == itemGeneration && attempt.number() == number) {
            attempt.overgrown(
                    new Attempt.Overgrown(nextTier, "item " + attempt.lease().key() + " " + message));
            stopStep(attempt);
        }
    }

    // ---- what attempts tell

    @Override
    public void over(Attempt attempt, boolean keptData) {
        lock.lock();
        try {
            held.remove(attempt.item(), attempt);
            if (keptData) {
                kept++;
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void failed(Attempt attempt) throws InterruptedException {
        try {
            renewOnce();
        } catch (LinkException e) {
            counters.say("coordinator away: " + e.getMessage());
        }
    }

    @Override
    public void unreported(List<Unexported> outputs) {
        lock.lock();
        try {
            unreported.addAll(outputs);
        } finally {
            lock.unlock();
        }
    }

    /** Outputs that are computed and not exported, and that the coordinator could not be told of. After {@link #run}. */
    public List<Unexported> unreported() {
        lock.lock();
        try {
            return List.copyOf(unreported);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void noRoom(Attempt attempt, String why) {
        room.none(attempt.lease().key(), why);
    }

    @Override
    public void broken(Attempt attempt, Throwable why) {
        broken = why;
        wake();
    }

    private void wake() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void awaitChange(long millis) throws InterruptedException {
        lock.lock();
        try {
            var ignored = changed.await(millis, TimeUnit.MILLISECONDS);
        } finally {
            lock.unlock();
        }
    }

    /** What progress displays show. */
    public WorkerCounters snapshot() {
        Collection<TierUse> tiers = buffer.use();
        long used = tiers.stream().mapToLong(TierUse::usedBytes).sum();
        long size = tiers.stream().mapToLong(TierUse::sizeBytes).sum();
        long reserved = tiers.stream().mapToLong(TierUse::reservedBytes).sum();
        var said = counters.lastMessage();
        return new WorkerCounters(
                counters.bytesFetched(),
                counters.filesFetched(),
                counters.bytesStaged(),
                counters.filesStaged(),
                counters.retries(),
                used,
                size,
                reserved,
                said == null ? null : said.text());
    }

    /** Bytes in the buffer that could not be exported. */
    public long strandedBytes() {
        return buffer.use().stream().mapToLong(TierUse::strandedBytes).sum();
    }

    /** Attempts held now, by state. */
    public Map<ItemState, Integer> states() {
        var out = new HashMap<ItemState, Integer>();
        for (var attempt : new ArrayList<>(held.values())) {
            out.merge(attempt.state(), 1, Integer::sum);
        }
        return out;
    }
}
