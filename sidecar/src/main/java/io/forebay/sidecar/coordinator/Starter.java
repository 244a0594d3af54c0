package io.forebay.sidecar.coordinator;

import io.forebay.api.job.Job;
import io.forebay.api.name.Printable;
import io.forebay.sidecar.coordinator.CoordinatorOptions.RunMode;
import io.forebay.sidecar.item.ItemState;
import io.forebay.sidecar.link.CoordinatorLink.LinkException;
import io.forebay.sidecar.outcome.CoordinatorException;
import io.forebay.sidecar.outcome.ExitCode;
import io.forebay.sidecar.outcome.StoreFailures;
import io.forebay.sidecar.plan.Identity;
import io.forebay.sidecar.plan.Plan;
import io.forebay.sidecar.plan.PlanCheck;
import io.forebay.sidecar.plan.PlanStore;
import io.forebay.sidecar.plan.Planner;
import io.forebay.sidecar.records.LogEntry;
import io.forebay.sidecar.records.LogEntry.Ended;
import io.forebay.sidecar.records.LogEntry.Planned;
import io.forebay.sidecar.records.LogEntry.Started;
import io.forebay.sidecar.records.LogLostException;
import io.forebay.sidecar.records.RecordsDamagedException;
import io.forebay.sidecar.records.RecordsFolder;
import io.forebay.sidecar.records.Succession;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.Stores;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * From a claimed place to a running coordinator:
 *
 * <pre>
 * 1 seal what predecessors wrote, and learn which run and plan came last   2 take over that plan, or make a new one
 * 3 bring the table to where the log says   4 log that this coordinator has started   5 wait for workers to report
 * </pre>
 */
final class Starter {
    private static final Set<String> RUNS = Set.of("started", "planned", "ended", "revoked");

    /** Each in a line of its own. */
    private static final int NAMED_UNUSABLE = 5;

    private final Job job;
    private final Stores stores;
    private final CoordinatorOptions options;
    private final RecordsFolder folder;
    private final Succession succession;
    private final PlanCheck check;
    private final List<String> notices = new ArrayList<>();
    /** The last run, as the log says. */
    private @Nullable Planned planned;

    private @Nullable Started started;
    private @Nullable Ended ended;

    Starter(
            Job job,
            Stores stores,
            CoordinatorOptions options,
            RecordsFolder folder,
            Succession succession,
            PlanCheck check) {
        this.check = check;
        this.job = job;
        this.stores = stores;
        this.options = options;
        this.folder = folder;
        this.succession = succession;
    }

    Running start() throws CoordinatorException, InterruptedException {
        try {
            learn();
            notices.addAll(succession.notices());
            var takenOver = takesOver();
            boolean newRun = takenOver == null || options.mode() == RunMode.RESUME;
            var plan = takenOver == null ? planAnew() : PlanStore.read(folder, takenOver, options.scratch());
            try {
                return start(plan, takenOver, newRun);
            } catch (StoreException
                    | RecordsDamagedException
                    | IOException
                    | LinkException
                    | RuntimeException
                    | InterruptedException e) {
                plan.close();
                throw e;
            }
        } catch (RecordsDamagedException e) {
            throw Office.damaged(e);
        } catch (StoreException e) {
            throw StoreFailures.ofRecords(e);
        } catch (LinkException e) {
            throw new CoordinatorException(ExitCode.PASSING, "Superseded", String.valueOf(e.getMessage()), e);
        } catch (IOException e) {
            throw Office.scratchFails(options, e);
        }
    }

    private void learn() throws StoreException, RecordsDamagedException, InterruptedException {
        try {
            succession.sealHistory(RUNS::contains, entry -> {
                switch (entry) {
                    case Started e -> {
                        started = e;
                        ended = null;
                    }
                    case Planned e -> planned = e;
                    case Ended e -> ended = e;
                    // There is something to do again.
                    case LogEntry.Revoked _ -> ended = null;
                    case LogEntry.StartFailed _,
                            LogEntry.Staged _,
                            LogEntry.Intent _,
                            LogEntry.Completed _,
                            LogEntry.Failed _,
                            LogEntry.Fenced _,
                            LogEntry.Cleaned _,
                            LogEntry.Settled _,
                            LogEntry.NewGeneration _ -> {}
                }
            });
        } catch (RecordsDamagedException e) {
            if (options.mode() != RunMode.FRESH) {
                throw e;
            }
            notices.add("the records were damaged and are ignored: " + e.getMessage());
            succession.sealAsVoid();
            started = null;
            planned = null;
        }
    }

    private Plan planAnew() throws CoordinatorException, StoreException, IOException, InterruptedException {
        try {
            var plan = new Planner(job, stores, folder.retry(), options.scratch(), options.tell()).plan();
            try {
                check.look(plan);
                return plan;
            } catch (CoordinatorException | RuntimeException | InterruptedException e) {
                plan.close();
                throw e;
            }
        } catch (CoordinatorException e) {
            recordFailedStart(e);
            throw e;
        }
    }

    /** So that nobody takes it for one that was cut off. What is told to the user is its cause, whatever becomes of the record. */
    private void recordFailedStart(CoordinatorException why) throws InterruptedException {
        try {
            var log = succession.log();
            log.append(new LogEntry.StartFailed(
                    succession.generation(),
                    why.code().number(),
                    String.valueOf(why.getMessage()),
                    options.clock().millis()));
            log.await(log.last());
            if (succession.predecessorDead()) {
                // Else the next one must still wait for whoever was before.
                succession.release();
            }
        } catch (StoreException | LogLostException e) {
            why.addSuppressed(e);
        }
    }

    /** @return the plan that this run goes on with; null: it makes a new one */
    private @Nullable Planned takesOver() {
        if (planned == null || started == null) {
            return null;
        }
        boolean same = planned.manifest().equals(Identity.ofText(job.manifest()));
        return switch (options.mode()) {
            case RUN, FRESH -> null;
            case RESUME -> same ? planned : null;
            case CONTINUE -> same && started.runId().equals(options.runId()) ? planned : null;
        };
    }

    private Running start(Plan plan, @Nullable Planned takenOver, boolean newRun)
            throws StoreException, RecordsDamagedException, IOException, LinkException, InterruptedException {
        var truth = new Truth(plan, options.scratch());
        var recovery = new Recovery(truth);
        succession.history().replayLines(recovery::apply);
        recovery.finish();
        boolean fresh = options.mode() == RunMode.FRESH;
        if (newRun) {
            recovery.newRun(fresh);
        }
        var core = new Core(job, truth, succession.log(), succession.generation(), options);
        core.skipped = newRun || started == null ? core.table.count(ItemState.DONE) : 0;
        record(core, plan, takenOver, newRun, fresh);
        tellWhatIsSkipped(core, takenOver, takenOver == null && !fresh ? changedInputs(plan) : List.of());
        notices.addAll(plan.totals().warnings());
        tellUnusable(plan);
        var caretaker = new Caretaker(core, stores, folder.retry());
        caretaker.tidyStrays(truth.strays);
        boolean workersGone = started == null || options.localWorker() && succession.predecessorDead();
        // A local worker reports at once; others have one lease's time.
        core.recoveringUntilNanos = core.now() + (started == null ? 0 : core.leaseNanos);
        if (workersGone) {
            core.residues.values().forEach(r -> r.publisherGone = true);
        }
        boolean toldAgain = !newRun && ended != null;
        return new Running(
                core, caretaker, folder, succession, notices, runStartedAt(newRun), toldAgain ? ended : null);
    }

    private long runStartedAt(boolean newRun) {
        return newRun || started == null ? options.clock().millis() : started.runStartedAt();
    }

    private void record(Core core, Plan plan, @Nullable Planned takenOver, boolean newRun, boolean fresh)
            throws StoreException, IOException, LinkException, InterruptedException {
        int segments = takenOver == null ? PlanStore.write(folder, succession.generation(), plan) : 0;
        core.append(new Started(
                succession.generation(),
                newRun,
                fresh,
                options.runId(),
                runStartedAt(newRun),
                options.clock().millis(),
                options.me().host(),
                options.me().pid()));
        if (takenOver == null) {
            var t = plan.totals();
            core.append(new Planned(
                    succession.generation(),
                    Identity.ofText(job.manifest()),
                    t.items(),
                    segments,
                    t.files(),
                    t.bytes(),
                    t.outsideGroups(),
                    t.unusable(),
                    t.warnings()));
        }
        core.awaitDurable(core.log.last());
    }

    /** The run ends with a failure because of them: it should not take another command to learn of which. */
    private void tellUnusable(Plan plan) {
        long unusable = plan.totals().unusable();
        if (unusable == 0) {
            return;
        }
        int named = 0;
        for (var left : plan.leftOut()) {
            if (left.unusable() && named == NAMED_UNUSABLE) {
                break;
            }
            if (left.unusable()) {
                notices.add("left out of input " + left.input() + ": " + Printable.name(left.key()) + ": "
                        + Printable.message(left.why()));
                named++;
            }
        }
        if (unusable > named) {
            notices.add((unusable - named) + " more files that can be no input are left out; forebay plan names them");
        }
    }

    /** Shared inputs that are not what they were: each item has them, so each is another item. Only told: a record that cannot be read tells nothing. */
    private List<String> changedInputs(Plan plan) throws IOException, InterruptedException {
        var former = planned;
        if (former == null || plan.sharedSpool().size() == 0) {
            return List.of();
        }
        try {
            return PlanStore.changedShared(folder, former, plan);
        } catch (StoreException | RecordsDamagedException e) {
            return List.of();
        }
    }

    /** @param inputs shared ones that have changed */
    private void tellWhatIsSkipped(Core core, @Nullable Planned takenOver, List<String> inputs) {
        boolean manifest = planned != null && !planned.manifest().equals(Identity.ofText(job.manifest()));
        boolean others = planned != null && core.truth.formerOutputs > 0;
        if (core.skipped > 0 || manifest || !inputs.isEmpty() || others) {
            long done = core.table.count(ItemState.DONE);
            notices.add((manifest ? "the manifest has changed: " : "")
                    + (inputs.isEmpty() ? "" : "input " + String.join(", ", inputs) + " changed: ")
                    + (core.table.size() - done) + " of " + core.table.size() + " items are run"
                    + (inputs.isEmpty() ? "" : " again")
                    + (inputs.isEmpty() || done > 0 ? ", " + done + " have completion records" : "")
                    + (takenOver == null ? "" : " (plan of coordinator " + takenOver.plan() + ")")
                    + (!manifest && inputs.isEmpty() && others
                            ? "; what earlier runs recorded beside is of inputs that have changed or are gone"
                            : "")
                    + (manifest && core.truth.formerOutputs > 0
                            ? "; " + core.truth.formerOutputs
                                    + (core.truth.formerOutputs == 1 ? " output" : " outputs")
                                    + " of earlier runs stay where they are unless this run"
                                    + " writes them again: forebay verify lists what is left over"
                            : ""));
        }
    }
}
