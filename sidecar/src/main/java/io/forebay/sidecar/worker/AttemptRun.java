package io.forebay.sidecar.worker;

import io.forebay.message.Messages.AttemptId;
import io.forebay.message.Messages.Failure;
import io.forebay.message.Messages.ItemEnded;
import io.forebay.message.Messages.Release;
import io.forebay.message.Messages.StagedOutput;
import io.forebay.message.Messages.Unexported;
import io.forebay.sidecar.buffer.Buffer;
import io.forebay.sidecar.buffer.Buffer.NeverFitsException;
import io.forebay.sidecar.buffer.Buffer.NoRoomException;
import io.forebay.sidecar.item.ItemState;
import io.forebay.sidecar.journal.Journal;
import io.forebay.sidecar.journal.JournalRecord;
import io.forebay.sidecar.link.PatientLink;
import io.forebay.sidecar.os.BootId;
import io.forebay.sidecar.worker.Attempt.Stage;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The way of one attempt, on a thread of its own: admit, fetch, run the steps, flush, commit, report. Each stage takes up where
 * an earlier life of the worker had come to.
 */
final class AttemptRun implements Runnable {
    /** Everything an attempt passes through. */
    record Stages(
            FetchStage fetch,
            SharedInputsStage shared,
            Slots slots,
            StepStage steps,
            EarlyFlush early,
            FlushStage flush,
            KeptOutputs kept,
            CommitStage commit,
            LogStage logs) {}

    /** What the worker is told. */
    interface Host {
        /** The attempt is over. @param kept its data stay in the buffer, since they could not be exported */
        void over(Attempt attempt, boolean kept);

        /** An item failed: what the coordinator makes of it ({@code onItemFailure: Stop}) is to be known now. */
        void failed(Attempt attempt) throws InterruptedException;

        /** The buffer has no room for the item as long as it runs. */
        void noRoom(Attempt attempt, String why);

        /** Its outputs are computed and not exported, and the coordinator cannot be told. */
        void unreported(List<Unexported> outputs);

        /** Nothing can be trusted any more (the journal failed, or a fault of our own outside any item). */
        void broken(Attempt attempt, Throwable why);
    }

    private final Attempt attempt;
    private final Stages stages;
    private final Buffer buffer;
    private final Journal journal;
    private final PatientLink link;
    private final WorkerIdentity me;
    private final Host host;
    private Slots.@Nullable Taken slot;
    /** What the coordinator is being told of. */
    private List<Unexported> toReport = List.of();
    /** A failure that the coordinator has been told of. */
    private @Nullable ItemEnded failedAs;

    AttemptRun(
            Attempt attempt,
            Stages stages,
            Buffer buffer,
            Journal journal,
            PatientLink link,
            WorkerIdentity me,
            Host host) {
        this.attempt = attempt;
        this.stages = stages;
        this.buffer = buffer;
        this.journal = journal;
        this.link = link;
        this.me = me;
        this.host = host;
    }

    @Override
    public void run() {
        attempt.runsOn(Thread.currentThread());
        boolean kept = false;
        try {
            kept = carry();
            keepLogs();
            if (!kept) {
                stages.logs().remove(attempt);
            }
        } catch (IOException | RuntimeException | Error e) {
            host.broken(attempt, e);
        } finally {
            host.over(attempt, kept);
        }
    }

    /** @return whether the attempt's data must be kept */
    private boolean carry() throws IOException {
        try {
            try {
                refuseDamaged();
                if (attempt.granted().isEmpty()) {
                    prepare();
                    compute();
                    if (!flush(true)) {
                        throw new Fenced("the outputs of a good attempt were not granted");
                    }
                }
                if (!attempt.granted().isEmpty()) {
                    timed(Stage.COMMIT, () -> stages.commit().publish(attempt));
                }
                reportPublished();
                return false;
            } catch (AttemptFailed e) {
                if (attempt.dropped()) {
                    // Its command ended because it was stopped: that is no failure of the item's.
                    giveUp();
                    return false;
                }
                var kept = failed(e.failure(), e.unexported());
                hear();
                return kept;
            } finally {
                freeSlot();
            }
        } catch (Fenced e) {
            giveUp();
            return false;
        } catch (NoRoomException e) {
            var why = String.valueOf(e.getMessage());
            host.noRoom(attempt, why);
            return giveBack(why);
        } catch (InterruptedException e) {
            return interrupted();
        }
    }

    /** After all else: nothing waits for it but the end of the worker. */
    private void keepLogs() {
        var told = failedAs;
        if (told == null) {
            return;
        }
        try {
            stages.logs().keep(attempt.lease().key(), told);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** What follows from the failure for others. An interruption changes nothing any more for this attempt, nor for its data. */
    private void hear() {
        try {
            host.failed(attempt);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void refuseDamaged() throws AttemptFailed {
        var damaged = attempt.damaged();
        if (damaged != null) {
            throw new AttemptFailed(Failures.keptDamaged(attempt.lease().key(), damaged.why()), damaged.outputs());
        }
    }

    private void prepare() throws AttemptFailed, NoRoomException, IOException, InterruptedException {
        if (attempt.fetched()) {
            return;
        }
        if (attempt.drain() != null) {
            throw new InterruptedException("the job drains");
        }
        attempt.state(ItemState.FETCHING);
        var lease = attempt.lease();
        try {
            if (!attempt.hasSpace()) {
                var waited = System.nanoTime();
                attempt.space(buffer.admit(
                        lease.item(), lease.generation(), lease.attempt(), inputBytes(), lease.avoidTier()));
                attempt.took(Stage.WAIT, System.nanoTime() - waited);
            }
        } catch (NeverFitsException e) {
            throw new AttemptFailed(Failures.neverFits("item " + lease.key() + ": " + e.getMessage()));
        }
        var space = attempt.space();
        journal.note(new JournalRecord.Admitted(lease, space.tier(), BootId.now(), space.mark()));
        int next = space.tier() + 1 < buffer.use().size() ? space.tier() + 1 : -1;
        timed(Stage.FETCH, () -> {
            var sums = stages.fetch().fetch(lease.inputs(), space.in(), next);
            journal.note(new JournalRecord.Fetched(lease.item(), lease.generation(), lease.attempt(), sums));
            attempt.markFetched(sums);
        });
        InputSums.requireAsBefore(lease, attempt.sums());
    }

    private void compute() throws AttemptFailed, IOException, InterruptedException {
        attempt.state(ItemState.READY);
        long waited = System.nanoTime();
        stages.shared().paths();
        slot = stages.slots().take(attempt.lease().alone());
        attempt.took(Stage.WAIT, System.nanoTime() - waited);
        if (!attempt.begin()) {
            throw new InterruptedException("given back to the coordinator");
        }
        var space = attempt.space();
        space.running(true);
        try (var watch = stages.early().watch(attempt)) {
            try {
                timed(Stage.RUN, () -> stages.steps().run(attempt, this::freeSlot));
            } catch (AttemptFailed | InterruptedException e) {
                watch.abandon();
                throw e;
            }
        } finally {
            space.running(false);
            buffer.learned(inputBytes(), space.growth());
        }
        freeSlot();
    }

    /**
     * With the end of the last step, so that the next item computes while the journal is synced, the folder is measured and a copy under
     * way ends; after a failure only when the coordinator's answer to it is known, so that nothing starts that must not.
     */
    private void freeSlot() {
        var taken = slot;
        if (taken != null) {
            taken.close();
        }
    }

    private long inputBytes() {
        return attempt.lease().inputs().stream()
                .mapToLong(i -> Buffer.footprint(Math.max(0, i.size())))
                .sum();
    }

    /** @return whether outputs were granted (or there are none) */
    private boolean flush(boolean success) throws AttemptFailed, Fenced, IOException, InterruptedException {
        attempt.state(ItemState.FLUSHING);
        long began = System.nanoTime();
        List<StagedOutput> staged;
        try {
            staged = stages.flush().stage(attempt, success);
        } finally {
            attempt.took(Stage.FLUSH, System.nanoTime() - began);
        }
        if (staged.isEmpty()) {
            return true;
        }
        long asked = System.nanoTime();
        try {
            return stages.commit().grant(attempt, success, staged);
        } finally {
            attempt.took(Stage.COMMIT, System.nanoTime() - asked);
        }
    }

    /** Of a good attempt, or of a failed one whose outputs were granted before a restart. */
    private void reportPublished() throws InterruptedException, IOException {
        var failure = attempt.granted().isEmpty() || attempt.grantedSuccess() ? null : lastFailure();
        report(failure, published(), List.of());
        over(true);
    }

    private List<StagedOutput> published() {
        var all = new java.util.ArrayList<>(attempt.granted());
        all.addAll(attempt.copies().published());
        return all;
    }

    /** After a restart a granted failed attempt only knows its steps' ends. */
    private @Nullable Failure lastFailure() {
        return attempt.runs().isEmpty()
                ? Failures.stepFailed("a step of item " + attempt.lease().key() + " failed before the restart")
                : Failures.stepFailed("step " + attempt.runs().getLast().step() + " of item "
                        + attempt.lease().key() + " ended with exit code "
                        + attempt.runs().getLast().exit());
    }

    private boolean failed(Failure failure, List<Unexported> unexported)
            throws Fenced, IOException, InterruptedException {
        var list = unexported;
        if (publishesFailed(failure)) {
            try {
                if (flush(false) && !attempt.granted().isEmpty()) {
                    stages.commit().publish(attempt);
                }
            } catch (AttemptFailed e) {
                list = e.unexported();
            }
        }
        list = kept(list);
        boolean goesOn = report(failure, published(), list);
        if (!list.isEmpty() && !goesOn) {
            if (attempt.hasSpace()) {
                attempt.space().strand(stages.steps().succeeded(attempt));
            }
            return true;
        }
        over(false);
        return false;
    }

    /** Outputs {@code when: Failure | Always} exist only for an attempt whose steps ran. */
    private boolean publishesFailed(Failure failure) {
        return attempt.granted().isEmpty()
                && attempt.hasSpace()
                && (failure.reason().equals("StepFailed")
                        || failure.reason().equals("DeadlineExceeded")
                        || failure.reason().equals("MissingOutput"));
    }

    /** @return whether the item goes on elsewhere: tried again, or given to another worker */
    private boolean report(@Nullable Failure failure, List<StagedOutput> published, List<Unexported> unexported)
            throws InterruptedException {
        attempt.markReporting();
        toReport = unexported;
        var told = new ItemEnded(
                me.worker(),
                me.instance(),
                attempt.item(),
                attempt.generation(),
                attempt.number(),
                failure,
                List.copyOf(attempt.runs()),
                published,
                unexported,
                attempt.timing(),
                attempt.sums());
        var ended = link.ended(told);
        toReport = List.of();
        if (failure != null && !ended.fenced()) {
            failedAs = told;
        }
        attempt.state(failure == null ? ItemState.DONE : ItemState.FAILED);
        return ended.again() || ended.fenced();
    }

    private void over(boolean clean) throws IOException {
        journal.note(new JournalRecord.Over(attempt.item(), attempt.generation(), attempt.number()));
        if (!attempt.hasSpace()) {
            return;
        }
        if (clean) {
            attempt.space().retire();
        } else {
            attempt.space().discard();
        }
    }

    /**
     * Fenced or dropped. The coordinator removes what it knows to be staged, before it leases the item again; what was staged after that
     * only this process can remove, and nobody else uses its names.
     */
    private void giveUp() throws IOException {
        if (attempt.granted().isEmpty()) {
            stages.flush().discardEarly(attempt);
        }
        over(false);
    }

    /** The coordinator wants it back, or there is no room for it; its steps have not started. */
    private boolean giveBack(@Nullable String noRoom) throws IOException {
        release(noRoom);
        over(false);
        return false;
    }

    private Release releaseOfThis(@Nullable String noRoom) {
        return new Release(
                me.worker(),
                me.instance(),
                List.of(new AttemptId(attempt.item(), attempt.generation(), attempt.number())),
                noRoom);
    }

    /** Not without the coordinator's answer; an interruption that was meant for what went before must not spare it. */
    private void release(@Nullable String noRoom) {
        var release = releaseOfThis(noRoom);
        for (int tries = 0; tries < 2; tries++) {
            try {
                link.release(release);
                return;
            } catch (InterruptedException e) {
                // Once by whoever recalled it; twice by a worker that ends: its end says the same.
                continue;
            }
        }
    }

    /** By a drain, by the coordinator's word, or because the worker closes. */
    private boolean interrupted() throws IOException {
        if (attempt.dropped()) {
            giveUp();
            return false;
        }
        if (attempt.recalled()) {
            return giveBack(null);
        }
        var drain = attempt.drain();
        if (drain == null) {
            keepUnreported();
            return true;
        }
        Thread.interrupted();
        try {
            if (attempt.state() == ItemState.FLUSHING || attempt.state() == ItemState.COMMITTING) {
                var failure = Failures.drained(drain.cause());
                // Of a worker that leaves nothing is lost: another one makes it again.
                var list = failure.permanent()
                        ? kept(stages.flush()
                                .unexported(
                                        attempt,
                                        stages.steps().succeeded(attempt),
                                        failure.message() + " before the output was exported"))
                        : List.<Unexported>of();
                // Whoever was in haste has waited for that; the report is what is left.
                Thread.interrupted();
                report(failure, List.of(), list);
                return !list.isEmpty();
            }
            link.release(releaseOfThis(null));
        } catch (InterruptedException again) {
            keepUnreported();
            return true;
        }
        over(false);
        return false;
    }

    /** Before anybody is told that they are kept. */
    private List<Unexported> kept(List<Unexported> list) throws IOException {
        return stages.kept().keep(attempt, stages.steps().succeeded(attempt), list);
    }

    private void keepUnreported() throws IOException {
        // Looking is not to be interrupted; the thread ends after it.
        Thread.interrupted();
        boolean computed = attempt.state() == ItemState.FLUSHING || attempt.state() == ItemState.COMMITTING;
        if (toReport.isEmpty() && computed && attempt.hasSpace()) {
            toReport = stages.flush()
                    .unexported(
                            attempt,
                            stages.steps().succeeded(attempt),
                            "the run ended before it was on record that the output is exported");
        }
        host.unreported(kept(toReport));
    }

    @FunctionalInterface
    private interface Work {
        void run() throws AttemptFailed, IOException, InterruptedException;
    }

    private void timed(Stage stage, Work work) throws AttemptFailed, IOException, InterruptedException {
        long began = System.nanoTime();
        try {
            work.run();
        } finally {
            attempt.took(stage, System.nanoTime() - began);
        }
    }
}
