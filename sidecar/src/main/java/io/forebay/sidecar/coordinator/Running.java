package io.forebay.sidecar.coordinator;

import io.forebay.message.JobProgress;
import io.forebay.message.Messages.Drain;
import io.forebay.message.Messages.Unexported;
import io.forebay.sidecar.coordinator.Caretaker.Task;
import io.forebay.sidecar.item.ItemState;
import io.forebay.sidecar.link.CoordinatorLink.LinkException;
import io.forebay.sidecar.outcome.ExitCode;
import io.forebay.sidecar.records.LogEntry;
import io.forebay.sidecar.records.LogLostException;
import io.forebay.sidecar.records.RecordsFolder;
import io.forebay.sidecar.records.Succession;
import io.forebay.sidecar.store.StoreException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A coordinator in office: its clockwork, and how the run ends. */
final class Running implements AutoCloseable {
    private static final Duration BEAT = Duration.ofSeconds(5);
    private static final Duration TICK = Duration.ofMillis(250);
    /** Store operations of the caretaker at once. */
    private static final int TASKS = 16;
    /** After the drain's time is over workers have this long to report. */
    private static final Duration LAST_WORDS = Duration.ofSeconds(5);
    /** Most time for a last look at records that cannot be written. */
    private static final Duration LOOK = Duration.ofSeconds(2);

    final Core core;
    final Leasing leasing;
    final Commits commits;
    final List<String> notices;
    private final Losses losses;
    private final Caretaker caretaker;
    private final RecordsFolder folder;
    private final Succession succession;
    private final long deadlineMillis;
    private final LogEntry.@Nullable Ended toldAgain;
    private final Semaphore tasks = new Semaphore(TASKS);
    private final List<Thread> threads;
    private volatile boolean closed;
    /** It has ended without the run's end. */
    private volatile boolean steppedDown;

    Running(
            Core core,
            Caretaker caretaker,
            RecordsFolder folder,
            Succession succession,
            List<String> notices,
            long runStartedAt,
            LogEntry.@Nullable Ended toldAgain) {
        this.core = core;
        this.caretaker = caretaker;
        this.folder = folder;
        this.succession = succession;
        this.notices = List.copyOf(notices);
        this.losses = new Losses(core);
        this.leasing = new Leasing(core, losses);
        this.commits = new Commits(core, new AttemptLogs(folder));
        this.deadlineMillis =
                core.job.deadlines().run().map(d -> runStartedAt + d.toMillis()).orElse(Long.MAX_VALUE);
        this.toldAgain = toldAgain;
        core.ended = toldAgain != null;
        this.threads = core.options.background()
                ? List.of(
                        Thread.ofPlatform().daemon().name("coordinator").start(this::ticking),
                        Thread.ofPlatform()
                                .daemon()
                                .name("coordinator-heartbeat")
                                .start(this::beating))
                : List.of();
    }

    // ---- clockwork

    private void ticking() {
        try {
            long last = core.now();
            while (!closed) {
                long now = core.now();
                forgive(now - last);
                last = now;
                tick();
                Thread.sleep(TICK);
            }
        } catch (InterruptedException e) {
            // Closed.
        }
    }

    /** A process that was frozen, on a machine that slept, or without its records, does not take its own absence for its workers'. */
    private void forgive(long sinceLast) {
        if (sinceLast > core.leaseNanos / 6 || core.log.inTrouble()) {
            core.lock.lock();
            try {
                losses.forgive(sinceLast);
            } finally {
                core.lock.unlock();
            }
        }
    }

    /** Does what is due by the clock. */
    void tick() throws InterruptedException {
        for (var line = core.toTell.poll(); line != null; line = core.toTell.poll()) {
            core.options.tell().accept(line);
        }
        core.lock.lock();
        try {
            if (core.lost != null) {
                return;
            }
            losses.expire();
            // Where all has ended no worker has anything to report.
            if (core.now() >= core.recoveringUntilNanos || core.allEnded()) {
                core.endRecovery();
            }
            if (core.options.clock().millis() >= deadlineMillis && core.drainCause != DrainCause.DEADLINE) {
                core.startDrain(DrainCause.DEADLINE, core.job.deadlines().drain(), true);
            }
            core.changed.signalAll();
        } finally {
            core.lock.unlock();
        }
        for (var task = next(); task != null; task = next()) {
            if (core.options.background()) {
                tasks.acquire();
                var work = task;
                Thread.ofVirtual().name("caretaker").start(() -> {
                    try {
                        attend(work);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    } finally {
                        tasks.release();
                    }
                });
            } else {
                attend(task);
            }
        }
    }

    private @Nullable Task next() {
        core.lock.lock();
        try {
            return core.lost == null ? caretaker.next() : null;
        } finally {
            core.lock.unlock();
        }
    }

    private static void attend(Task task) throws InterruptedException {
        try {
            task.run();
        } catch (LinkException e) {
            // The log is lost; await() knows.
        }
    }

    private void beating() {
        try {
            while (!closed) {
                try {
                    succession.beat();
                    core.log.checkStillOurs();
                } catch (LogLostException e) {
                    core.lost(e);
                    return;
                } catch (StoreException e) {
                    // The next one is due soon; decisions find out by themselves.
                }
                Thread.sleep(BEAT);
            }
        } catch (InterruptedException e) {
            // Closed.
        }
    }

    // ---- the end

    void drain(DrainCause cause, Duration within, boolean killSteps) {
        core.lock.lock();
        try {
            core.startDrain(cause, within, killSteps);
        } finally {
            core.lock.unlock();
        }
    }

    /** Decides nothing more, for a successor that goes on; the run's end, if it is there already, is recorded all the same. */
    void stepDown() {
        core.lock.lock();
        try {
            if (!core.ended) {
                core.steppingDown = !isFinished();
            }
            core.changed.signalAll();
        } finally {
            core.lock.unlock();
        }
    }

    /** Whether {@link #await} returned because of {@link #stepDown}. */
    boolean hasSteppedDown() {
        return steppedDown;
    }

    Summary await(LeftBehind left) throws InterruptedException {
        core.lock.lock();
        try {
            while (!isOver()) {
                if (!core.changed.await(TICK.toMillis(), TimeUnit.MILLISECONDS) && !core.options.background()) {
                    break;
                }
            }
        } finally {
            core.lock.unlock();
        }
        return end(left);
    }

    /** Under the lock. */
    private boolean isOver() {
        return core.steppingDown || isFinished();
    }

    private boolean isFinished() {
        if (core.lost != null || toldAgain != null) {
            return true;
        }
        if (core.allEnded()) {
            return core.recovered() && caretaker.idle();
        }
        var drain = core.drain;
        if (drain == null) {
            return false;
        }
        return core.held.isEmpty() && caretaker.idle()
                || core.options.clock().millis() > drain.untilMillis() + LAST_WORDS.toMillis();
    }

    private Summary end(LeftBehind left) throws InterruptedException {
        var end = new End();
        LogLostException lost;
        core.lock.lock();
        try {
            lost = core.lost;
            steppedDown = core.steppingDown && lost == null;
            core.ended = !steppedDown;
        } finally {
            core.lock.unlock();
        }
        if (steppedDown) {
            handOver(end);
        } else if (lost == null) {
            list(end, left);
            record(end);
        } else {
            end.problems.add(String.valueOf(lost.getMessage()));
            end.codes.add(lost.superseded() ? ExitCode.PASSING : ExitCode.NOT_DURABLE);
            if (!lost.superseded()) {
                listElsewhere(end, left);
                end.recordsGone = recordsGone();
            }
        }
        return summary(end).value();
    }

    /** What there is to tell beside what the core knows. */
    private static final class End {
        private final List<String> problems = new ArrayList<>();
        private final EnumSet<ExitCode> codes = EnumSet.noneOf(ExitCode.class);
        private Optional<String> listedIn = Optional.empty();
        private boolean recordsGone;
    }

    /** Whether not even this coordinator's own claim is there any more. What cannot be seen counts as there. */
    private boolean recordsGone() throws InterruptedException {
        try {
            return !succession.isThere(LOOK);
        } catch (StoreException e) {
            return false;
        }
    }

    private void list(End end, LeftBehind left) throws InterruptedException {
        try {
            writeUnexported(List.of());
            end.listedIn = Optional.of(folder.uri().resolve("UNEXPORTED.jsonl").toString());
        } catch (StoreException e) {
            end.problems.add("the list of what is not exported could not be written: " + e.getMessage());
            end.codes.add(ExitCode.PASSING);
            listElsewhere(end, left);
        }
    }

    private void listElsewhere(End end, LeftBehind left) throws InterruptedException {
        var local = left.folder();
        if (local.isEmpty()) {
            return;
        }
        try {
            UnexportedList.write(core, UnexportedList.Target.of(local.get()), left.unreported());
            end.listedIn = Optional.of(local.get().resolve("UNEXPORTED.jsonl").toString());
        } catch (StoreException e) {
            end.problems.add("the list of what is not exported could not be written: " + e.getMessage());
        }
    }

    private void record(End end) throws InterruptedException {
        try {
            core.append(summary(end).ended(core.options.clock().millis()));
            core.awaitDurable(core.log.last());
        } catch (LinkException e) {
            end.problems.add("the end of the run could not be recorded: " + e.getMessage());
            end.codes.add(ExitCode.PASSING);
            return;
        }
        try {
            succession.release();
        } catch (StoreException e) {
            // The next one finds out by itself that this one has ended.
            end.problems.add("that the run is over could not be told in its records: " + e.getMessage());
        }
    }

    /** What was decided is durable, and nobody needs to wait for this coordinator: the next one begins at once. */
    private void handOver(End end) throws InterruptedException {
        end.codes.add(ExitCode.PASSING);
        stopThreads();
        try {
            core.awaitDurable(core.log.last());
            succession.release();
        } catch (LinkException | StoreException e) {
            end.problems.add(
                    "the records could not be told that this coordinator has stepped down, so that the next one waits for a lease: "
                            + e.getMessage());
        }
    }

    /** A summary, and the log entry that says the same. */
    private record Told(Summary value) {
        LogEntry.Ended ended(long at) {
            return new LogEntry.Ended(
                    value.code().number(),
                    value.done(),
                    value.failed(),
                    value.unfinished(),
                    value.unexported(),
                    value.unexportedBytes(),
                    value.cause(),
                    at);
        }
    }

    private Told summary(End end) {
        core.lock.lock();
        try {
            var codes = EnumSet.noneOf(ExitCode.class);
            codes.addAll(end.codes);
            codes.addAll(core.tally.codes());
            if (core.drainCause != null) {
                var code = core.drainCause.code();
                if (code.isPresent()) {
                    // What workers say of a cancelled item does not tell which signal it was.
                    codes.removeAll(
                            EnumSet.of(ExitCode.CANCELLED_BY_INTERRUPT, ExitCode.CANCELLED_BY_TERM, ExitCode.DEADLINE));
                    codes.add(code.get());
                }
            }
            if (core.tally.unexportedCount() > 0) {
                codes.add(ExitCode.NOT_DURABLE);
            }
            if (core.plan.totals().unusable() > 0) {
                codes.add(ExitCode.NO_INPUT);
            }
            codes.remove(ExitCode.DURABLE);
            long done = core.table.count(ItemState.DONE);
            long failed = core.table.count(ItemState.FAILED) - core.tally.cancelled();
            long unfinished = core.table.size() - done - failed;
            if (unfinished > 0 && (codes.isEmpty() || core.drainCause == DrainCause.NO_ROOM)) {
                codes.add(ExitCode.PASSING);
            }
            var all = new ArrayList<>(notices);
            all.addAll(end.problems);
            // A run that is told again ended as it ended: its code has all that came together then.
            var code = toldAgain != null && end.codes.isEmpty()
                    ? ExitCode.of(toldAgain.code())
                    : ExitCode.strongest(codes);
            return new Told(new Summary(
                    code,
                    cause(),
                    core.table.size(),
                    done,
                    core.skipped,
                    failed,
                    unfinished,
                    notRun(),
                    core.tally.byReason(),
                    core.tally.named(),
                    core.tally.unexportedCount(),
                    core.tally.unexportedBytes(),
                    end.listedIn,
                    end.recordsGone,
                    core.plan.totals().outsideGroups(),
                    leftOutNames(),
                    core.plan.totals().unusable(),
                    all));
        } finally {
            core.lock.unlock();
        }
    }

    private List<String> leftOutNames() {
        var names = new ArrayList<String>();
        if (core.plan.totals().outsideGroups() > 0) {
            for (var left : core.plan.leftOut()) {
                if (names.size() == Summary.NAMED_LEFT_OUT) {
                    break;
                }
                if (!left.unusable()) {
                    names.add(left.input() + ": " + left.key() + ": " + left.why());
                }
            }
        }
        return names;
    }

    private Optional<Summary.NotRun> notRun() {
        var parked = core.pending.parked;
        if (parked.count() == 0) {
            return Optional.empty();
        }
        var keys =
                parked.first(Summary.NAMED_FAILURES).stream().map(core::keyOf).toList();
        return Optional.of(new Summary.NotRun(parked.count(), keys, parked.why()));
    }

    private String cause() {
        if (core.drainCause != null) {
            return core.drainCause == DrainCause.FATAL && core.fatal != null ? core.fatal : core.drainCause.inWords();
        }
        return toldAgain == null ? "" : toldAgain.cause();
    }

    Optional<Drain> order() {
        core.lock.lock();
        try {
            return Optional.ofNullable(core.drain);
        } finally {
            core.lock.unlock();
        }
    }

    boolean outOfOffice() {
        return core.lost != null;
    }

    long writeUnexported(List<Unexported> more) throws StoreException, InterruptedException {
        return UnexportedList.write(core, UnexportedList.Target.of(folder), more);
    }

    boolean expectsWorkers() {
        core.lock.lock();
        try {
            return !core.workers.isEmpty()
                    || core.now() < core.recoveringUntilNanos
                    || !losses.mayComeBack().isEmpty();
        } finally {
            core.lock.unlock();
        }
    }

    List<AwaitedWorker> awaited() {
        core.lock.lock();
        try {
            var all = new java.util.ArrayList<AwaitedWorker>();
            if (core.ended) {
                core.workers.values().forEach(w -> all.add(awaited(w, at(w.leaseUntilNanos + core.leaseNanos))));
                losses.mayComeBack().forEach((w, until) -> all.add(awaited(w, at(until))));
                if (core.now() < core.recoveringUntilNanos) {
                    all.add(new AwaitedWorker(
                            "", "", 0, at(core.recoveringUntilNanos - core.leaseNanos), at(core.recoveringUntilNanos)));
                }
            } else if (core.drain != null) {
                var until = Instant.ofEpochMilli(core.drain.untilMillis()).plus(LAST_WORDS);
                core.workers.values().stream().filter(w -> !w.held.isEmpty()).forEach(w -> all.add(awaited(w, until)));
            }
            return all;
        } finally {
            core.lock.unlock();
        }
    }

    private AwaitedWorker awaited(WorkerState w, Instant until) {
        int items = core.ended ? 0 : w.held.size();
        return new AwaitedWorker(w.name, w.node, items, at(w.leaseUntilNanos - core.leaseNanos), until);
    }

    private Instant at(long nanos) {
        return core.options.clock().instant().plusNanos(nanos - core.now());
    }

    JobProgress progress() {
        core.lock.lock();
        try {
            var t = core.table;
            long staged = 0;
            long files = 0;
            long flushed = 0;
            long filesFlushed = 0;
            long retries = 0;
            for (var c : core.counters.values()) {
                staged += c.bytesStaged();
                files += c.filesStaged();
                flushed += c.bytesFlushed();
                filesFlushed += c.filesFlushed();
                retries += c.retries();
            }
            long used = 0;
            long size = 0;
            long dirty = 0;
            for (var worker : core.workers.values()) {
                var c = worker.counters;
                if (c != null) {
                    used += c.bufferUsed();
                    size += c.bufferSize();
                    dirty += c.dirtyBytes();
                }
            }
            var phase = core.allEnded()
                    ? "Ended"
                    : core.draining() ? "Draining" : core.now() < core.recoveringUntilNanos ? "Recovering" : "Running";
            return new JobProgress(
                    phase,
                    core.generation,
                    t.size(),
                    t.count(ItemState.DONE),
                    core.skipped,
                    t.count(ItemState.FAILED) - core.tally.cancelled(),
                    core.held.size(),
                    t.count(ItemState.PENDING),
                    core.plan.totals().bytes(),
                    core.plan.totals().files(),
                    staged,
                    files,
                    flushed,
                    filesFlushed,
                    retries,
                    core.runAgain,
                    core.tally.unexportedCount(),
                    core.tally.unexportedBytes(),
                    core.workers.size(),
                    used,
                    size,
                    dirty,
                    core.lastMessage,
                    core.lastMessageAt,
                    Coordinator.folderOf(core.job),
                    core.tally.named().stream().map(Summary.FailedItem::line).toList(),
                    null,
                    null);
        } finally {
            core.lock.unlock();
        }
    }

    @Override
    public void close() {
        stopThreads();
        core.plan.close();
        core.truth.close();
    }

    private void stopThreads() {
        closed = true;
        threads.forEach(Thread::interrupt);
        for (var thread : threads) {
            try {
                thread.join(Duration.ofSeconds(10));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                break;
            }
        }
    }
}
