package io.forebay.operator.decide;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.forebay.api.v1alpha1.Phase;
import io.forebay.api.v1alpha1.PipelineJobStatus;
import io.forebay.message.JobEnd;
import io.forebay.message.JobProgress;
import io.forebay.operator.children.CarriedJob;
import io.forebay.operator.observe.CoordinatorClient;
import io.forebay.operator.observe.Ending;
import io.forebay.operator.observe.Observed;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Decides what comes next for one PipelineJob, from what is there and what was said last. Pure: the same answer to the same question, so that an
 * operator killed between two moves goes on where it was.
 */
public final class Decider {
    /** A pod without a living kubelet stays Terminating for ever: after its grace and this time it counts as lost. */
    private static final Duration BEYOND_GRACE = Duration.ofSeconds(30);

    private static final Duration WAITING = Duration.ofSeconds(5);

    private final CarriedJob job;
    private final @Nullable PipelineJobStatus last;
    private final Observed there;
    private final long objectGeneration;
    private final Instant now;
    private final Duration pace;
    private final Conditions conditions;
    private final List<Move> moves = new ArrayList<>();

    /**
     * @param last status as it is; null: none yet
     * @param objectGeneration metadata.generation
     * @param pace how often a running job's figures are looked at
     */
    public Decider(
            CarriedJob job,
            @Nullable PipelineJobStatus last,
            Observed there,
            long objectGeneration,
            Instant now,
            Duration pace) {
        this.job = job;
        this.there = there;
        this.objectGeneration = objectGeneration;
        this.now = now;
        this.pace = pace;
        boolean sameRun =
                last != null && Objects.requireNonNullElse(last.run(), "").equals(job.run());
        this.last = sameRun ? last : null;
        this.conditions = new Conditions(this.last, objectGeneration, now);
    }

    public static boolean isFinal(@Nullable PipelineJobStatus status) {
        return status != null
                && (status.phase() == Phase.SUCCEEDED
                        || status.phase() == Phase.FAILED
                        || status.phase() == Phase.CANCELLED);
    }

    public Decision decide() {
        if (last != null && isFinal(last)) {
            return afterTheEnd(last);
        }
        var others = there.ofOtherRuns(job.run());
        if (!others.isEmpty()) {
            others.forEach(j -> moves.add(new Move.DeleteJob(j.getMetadata().getName())));
            return told(Phase.PENDING, "EndingEarlierRun", "pods of the run before are still there", WAITING);
        }
        var coordinator = there.coordinator(job.run());
        if (job.suspended()) {
            return suspended(coordinator);
        }
        if (coordinator.isEmpty()) {
            moves.add(new Move.EnsureCommon());
            moves.add(new Move.CreateCoordinator(1));
            return told(Phase.PENDING, "Starting", "the coordinator is being started", WAITING);
        }
        return Observed.hasEnded(coordinator.get()) ? ended(coordinator.get()) : led(coordinator.get());
    }

    // ---- its end

    private Decision afterTheEnd(PipelineJobStatus end) {
        removeWorkers();
        var ttl = job.manifest().spec().ttlSecondsAfterFinished();
        if (ttl == null || end.completionTime() == null) {
            return new Decision(moves, end, Optional.empty());
        }
        var due = Instant.parse(end.completionTime()).plusSeconds(ttl);
        if (!now.isBefore(due)) {
            moves.add(new Move.DeleteOwner());
            return new Decision(moves, end, Optional.empty());
        }
        return new Decision(moves, end, Optional.of(Duration.between(now, due).plusMillis(200)));
    }

    private void removeWorkers() {
        there.workers(job.run())
                .filter(w -> w.getMetadata().getDeletionTimestamp() == null)
                .ifPresent(w -> moves.add(new Move.DeleteJob(w.getMetadata().getName())));
    }

    private Decision ended(Job coordinator) {
        var ending = Ending.of(there.podsOf(coordinator)).filter(Ending::isTheJobs);
        if (ending.isEmpty()) {
            // Its pods are gone, or told something else: a successor finds everything done or listed, and says it
            // again.
            moves.add(new Move.EnsureCommon());
            moves.add(new Move.CreateCoordinator(Observed.generation(coordinator) + 1));
            return told(
                    Phase.RUNNING,
                    "EndUnknown",
                    "how the coordinator ended is not known; another one finds out from the records",
                    WAITING);
        }
        removeWorkers();
        var e = ending.get();
        var phase = ExitReasons.phase(e.exitCode());
        var told = e.message().filter(m -> m.exitCode() == e.exitCode());
        var reason = told.map(JobEnd::reason).orElse(ExitReasons.reason(e.exitCode()));
        var message = told.map(JobEnd::message)
                .orElseGet(() -> e.log() == null || e.exitCode() == 0 ? ExitReasons.message(e.exitCode()) : e.log());
        conditions
                .set("Running", false, reason, null)
                .set(phase == Phase.SUCCEEDED ? "Succeeded" : "Failed", true, reason, message)
                .clear("Blocked", "Ended")
                .clear("ProgressUnknown", "Ended");
        var figures = lastFigures().endedWith(told);
        var at = e.at() == null ? Conditions.text(now) : e.at();
        return new Decision(moves, status(phase, reason, message, e.exitCode(), at, figures), Optional.of(WAITING));
    }

    // ---- held

    private Decision suspended(Optional<Job> coordinator) {
        var all = new ArrayList<Job>();
        there.workers(job.run()).filter(w -> job.queue() == null).ifPresent(all::add);
        coordinator.filter(c -> !Observed.hasEnded(c)).ifPresent(all::add);
        boolean workersGone = there.workers(job.run())
                .map(w -> there.podsOf(w).stream().allMatch(Decider::hasEnded))
                .orElse(true);
        for (var j : all) {
            boolean leads = coordinator.filter(c -> c == j).isPresent();
            if (!isSuspended(j) && (!leads || workersGone)) { // it outlives those that publish through it
                moves.add(new Move.SetSuspend(j.getMetadata().getName(), true));
            }
        }
        boolean quiet = there.pods().stream().allMatch(Decider::hasEnded);
        conditions.set("Running", false, "Suspended", null).clear("Blocked", "Suspended");
        return quiet
                ? told(Phase.SUSPENDED, "Suspended", "held by spec.suspend", null)
                : told(Phase.DRAINING, "Suspending", "what is computed is written back before the pods end", WAITING);
    }

    private static boolean isSuspended(Job j) {
        return Boolean.TRUE.equals(j.getSpec().getSuspend());
    }

    private static boolean hasEnded(Pod pod) {
        var phase = pod.getStatus() == null ? null : pod.getStatus().getPhase();
        return "Succeeded".equals(phase) || "Failed".equals(phase);
    }

    // ---- on its way

    private Decision led(Job coordinator) {
        if (isSuspended(coordinator)) {
            moves.add(new Move.SetSuspend(coordinator.getMetadata().getName(), false));
        }
        there.workers(job.run())
                .filter(w -> isSuspended(w) && job.queue() == null)
                .ifPresent(w -> moves.add(new Move.SetSuspend(w.getMetadata().getName(), false)));
        if (isLost(coordinator)) {
            moves.add(new Move.DeleteJob(coordinator.getMetadata().getName()));
            moves.add(new Move.EnsureCommon());
            moves.add(new Move.CreateCoordinator(Observed.generation(coordinator) + 1));
            return told(
                    phaseSoFar(),
                    "CoordinatorLost",
                    "the coordinator's node is silent; another one takes over from the records",
                    WAITING);
        }
        there.trouble()
                .ifPresentOrElse(
                        t -> conditions.set("Blocked", true, t.reason(), t.message()),
                        () -> conditions.clear("Blocked", "NoTrouble"));
        var word = there.word();
        if (word.isEmpty()) {
            return unheard(coordinator);
        }
        conditions.clear("ProgressUnknown", "Answered");
        return heard(word.get());
    }

    private boolean isLost(Job coordinator) {
        return there.podsOf(coordinator).stream()
                .map(p -> p.getMetadata().getDeletionTimestamp())
                .filter(Objects::nonNull)
                .anyMatch(t -> Instant.parse(t).plus(BEYOND_GRACE).isBefore(now)); // the grace is in that time already
    }

    private Decision unheard(Job coordinator) {
        boolean runs = there.podsOf(coordinator).stream()
                .anyMatch(p ->
                        p.getStatus() != null && "Running".equals(p.getStatus().getPhase()));
        var why = there.answer()
                .filter(CoordinatorClient.Answer.None.class::isInstance)
                .map(a -> ((CoordinatorClient.Answer.None) a).why());
        if (runs && why.isPresent() && conditionIsOld("Running")) {
            conditions.set("ProgressUnknown", true, "CoordinatorSilent", why.get());
        }
        return there.trouble()
                .map(t -> told(phaseSoFar(), t.reason(), t.message(), WAITING))
                .orElseGet(() ->
                        told(phaseSoFar(), "Starting", "the coordinator is being started", Duration.ofSeconds(1)));
    }

    /** A start takes a moment in which nobody answers. */
    private boolean conditionIsOld(String type) {
        return conditions.all().stream()
                .filter(c -> c.type().equals(type) && c.lastTransitionTime() != null)
                .anyMatch(c ->
                        Instant.parse(c.lastTransitionTime()).plusSeconds(30).isBefore(now));
    }

    private Phase phaseSoFar() {
        return last == null || last.phase() == null || last.phase() == Phase.SUSPENDED ? Phase.PENDING : last.phase();
    }

    private Decision heard(JobProgress word) {
        if (!word.phase().equals("Planning")) {
            conditions.set("Planned", true, "Planned", word.items() + " items");
            workersFor(word);
        }
        var phase = switch (word.phase()) {
            case "Planning" -> Phase.PLANNING;
            case "Draining" -> Phase.DRAINING;
            default -> Phase.RUNNING;
        };
        conditions.set("Running", true, word.phase(), null);
        var trouble = there.trouble();
        var reason = trouble.map(t -> t.reason()).orElse(word.phase());
        var message = trouble.map(t -> t.message()).orElse(word.lastMessage());
        var figures = Figures.of(word, job.job().workers().max(), now);
        return new Decision(moves, status(phase, reason, message, null, null, figures), Optional.of(pace));
    }

    private void workersFor(JobProgress word) {
        long open = word.items() - word.done() - word.failed();
        var workers = there.workers(job.run());
        int slots = job.job().workers().slots();
        int most = job.job().workers().max();
        if (workers.isEmpty()) {
            if (open > 0 && !word.phase().equals("Ended") && !word.phase().equals("Draining")) {
                moves.add(new Move.CreateWorkers((int) Math.min(most, (open + slots - 1) / slots)));
            }
            return;
        }
        var w = workers.get();
        int now = Objects.requireNonNullElse(w.getSpec().getParallelism(), 1);
        long useful = Math.min(most, (word.items() + slots - 1) / slots);
        // Up for a higher maximum while there is work; down only because the maximum went down.
        if (job.queue() == null
                && !Observed.hasEnded(w)
                && (now > most || (now < useful && open > (long) now * slots))) {
            moves.add(new Move.ScaleWorkers(w.getMetadata().getName(), (int) Math.max(1, useful)));
        }
    }

    // ---- the word for it

    private Figures lastFigures() {
        return last == null
                ? Figures.NONE
                : new Figures(last.items(), last.data(), last.columns(), last.workers(), last.errors());
    }

    private Decision told(Phase phase, String reason, String message, @Nullable Duration again) {
        return new Decision(
                moves, status(phase, reason, message, null, null, lastFigures()), Optional.ofNullable(again));
    }

    private PipelineJobStatus status(
            Phase phase,
            String reason,
            @Nullable String message,
            @Nullable Integer exitCode,
            @Nullable String completion,
            Figures figures) {
        var start = last == null || last.startTime() == null ? Conditions.text(now) : last.startTime();
        return new PipelineJobStatus(
                objectGeneration,
                phase,
                reason,
                Texts.cut(message),
                exitCode,
                start,
                completion,
                job.manifest().spec().run(),
                job.job().records().toString() + job.name() + "/",
                figures.workers(),
                figures.items(),
                figures.data(),
                figures.columns(),
                figures.errors(),
                conditions.all());
    }
}
