package io.forebay.sidecar.local;

import io.forebay.api.job.Job;
import io.forebay.message.JobEnd;
import io.forebay.message.Messages.Unexported;
import io.forebay.message.Messages.WorkerCounters;
import io.forebay.sidecar.coordinator.Coordinator;
import io.forebay.sidecar.coordinator.CoordinatorOptions;
import io.forebay.sidecar.coordinator.DrainCause;
import io.forebay.sidecar.coordinator.LeftBehind;
import io.forebay.sidecar.coordinator.Summary;
import io.forebay.sidecar.outcome.CoordinatorException;
import io.forebay.sidecar.outcome.ExitCode;
import io.forebay.sidecar.plan.PlanCheck;
import io.forebay.sidecar.store.Stores;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The coordinator's side of a job: planned, carried to its end or cancelled, and told, wherever its workers are. Thread-safe. */
public final class JobRun {
    /** The coordinator's own patience after a drain is shorter. */
    private static final Duration OVERDUE = Duration.ofSeconds(12);
    /** Most time for publishing after a cancel (E2: within 30 s). */
    private static final Duration CANCEL = Duration.ofSeconds(20);

    /** After a second signal; the process ends within two seconds (E2). */
    private static final Duration LAST_LIST = Duration.ofMillis(1200);

    private final Job job;
    private final Coordinator coordinator;
    private final long began = System.nanoTime();
    private volatile @Nullable ExitCode cancelled;

    private JobRun(Job job, Coordinator coordinator) {
        this.job = job;
        this.coordinator = coordinator;
    }

    /** Claims the job's place; {@link #start} is next. @param resources the coordinator is added to it */
    public static JobRun claim(Job job, Stores stores, CoordinatorOptions options, Resources resources)
            throws CoordinatorException, InterruptedException {
        return new JobRun(job, resources.add(Coordinator.open(job, stores, options)));
    }

    /** Plans, or takes over. @param lines what the user should know before anything starts */
    public void start(Consumer<String> lines) throws CoordinatorException, InterruptedException {
        start(PlanCheck.NONE, lines);
    }

    /** As above. @param check looks at a plan that is new */
    void start(PlanCheck check, Consumer<String> lines) throws CoordinatorException, InterruptedException {
        coordinator.start(check);
        coordinator.notices().forEach(lines);
    }

    public Coordinator coordinator() {
        return coordinator;
    }

    long beganNanos() {
        return began;
    }

    /**
     * Blocks until the run is over.
     *
     * @param broken why the only worker cannot go on; null: it has ended, or others are elsewhere
     * @param left what only the worker knows
     */
    public Summary await(@Nullable String broken, LeftBehind left) throws InterruptedException {
        if (broken != null) {
            coordinator.drain(DrainCause.FATAL, Duration.ZERO, true);
        }
        return coordinator.await(left);
    }

    /**
     * The run in words.
     *
     * @param keptAt where data lie that are not exported
     * @param notes what the user should know beside the coordinator's notices
     * @param broken as in {@link #await}
     */
    public RunResult result(
            Summary summary,
            WorkerCounters traffic,
            Optional<String> keptAt,
            List<String> notes,
            @Nullable String broken) {
        var seconds = (System.nanoTime() - began) / 1e9;
        var lines = new ArrayList<>(notes.stream().map(n -> "note: " + n).toList());
        lines.addAll(SummaryText.lines(job, summary, traffic, seconds, keptAt, Set.copyOf(coordinator.notices())));
        if (broken != null) {
            lines.add("a fault of Forebay's own (exit 70): " + broken);
        }
        int code = broken == null ? summary.code().number() : ExitCode.FAULT.number();
        return new RunResult(
                code,
                lines,
                SummaryText.json(job, summary, traffic, seconds, keptAt, notes),
                Optional.of(end(summary, broken)));
    }

    /** How the job has ended, for programs. @param broken as in {@link #await} */
    public JobEnd end(Summary summary, @Nullable String broken) {
        return JobEnds.of(summary, coordinator.progress(), broken, Instant.now().truncatedTo(ChronoUnit.SECONDS));
    }

    /** SIGINT or SIGTERM: no new transfer, commits begun are completed, the rest is listed; within 30 s (E2). */
    public void cancel(boolean interrupt) {
        var most =
                job.deadlines().drain().compareTo(CANCEL) < 0 ? job.deadlines().drain() : CANCEL;
        cancelled = interrupt ? ExitCode.CANCELLED_BY_INTERRUPT : ExitCode.CANCELLED_BY_TERM;
        coordinator.drain(interrupt ? DrainCause.INTERRUPTED : DrainCause.TERMINATED, most, true);
    }

    /** The coordinator alone ends; the job goes on under the next one. {@link #await} returns soon. */
    public void stepDown() {
        coordinator.stepDown();
    }

    /** How a coordinator ends that has stepped down. @param why what is left to do, for people */
    public RunResult steppedDown(String why) {
        int code = ExitCode.PASSING.number();
        var message =
                "the coordinator of %s has stepped down (exit %d): %s. Start it again, at the same address: it goes on from its records in %s"
                        .formatted(job.name(), code, why, job.records());
        return new RunResult(
                code,
                List.of(message),
                SummaryText.json(job.name(), code, message),
                Optional.of(JobEnds.steppedDown(code, message)));
    }

    /**
     * The drain's time has been over for long and the run has not ended: the records folder hangs, or a command cannot be killed.
     *
     * @param keptAt where the data are that are not exported
     * @return how the run is to be ended by force; empty: there is time
     */
    public Optional<RunResult> overdue(String keptAt) {
        var order = coordinator.order();
        if (order.isEmpty() || System.currentTimeMillis() < order.get().untilMillis() + OVERDUE.toMillis()) {
            return Optional.empty();
        }
        var word = cancelled;
        var code = word == null ? ExitCode.DEADLINE : word;
        var message =
                "%s did not end in time (exit %d): its records in %s or a destination do not answer. The list of what is not exported could not be"
                                .formatted(job.name(), code.number(), job.records())
                        + " completed; all data are kept in " + keptAt
                        + ". When the store answers again, finish with: forebay resume";
        return Optional.of(new RunResult(
                code.number(),
                List.of(message),
                SummaryText.json(job.name(), code.number(), message),
                Optional.of(JobEnds.unplanned(code.number(), code.reason(), message))));
    }

    /**
     * The list now, whatever is under way.
     *
     * @param atRisk what no worker has reported yet
     * @return told to the user; in a short time, whatever the records' store does
     */
    public String abandon(Supplier<List<Unexported>> atRisk, String keptAt) {
        var list = job.records().resolve(job.name() + "/UNEXPORTED.jsonl");
        return new LastWords(list.toString(), keptAt, LAST_LIST).of(() -> coordinator.writeUnexported(atRisk.get()));
    }
}
