package io.forebay.sidecar.worker;

import io.forebay.api.job.Job;
import io.forebay.api.job.Job.Step;
import io.forebay.api.value.Bytes;
import io.forebay.message.Messages.StepRun;
import io.forebay.sidecar.item.ItemState;
import io.forebay.sidecar.journal.Journal;
import io.forebay.sidecar.journal.JournalRecord;
import io.forebay.sidecar.step.Leftovers;
import io.forebay.sidecar.step.StepHost;
import io.forebay.sidecar.step.StepHost.Command;
import io.forebay.sidecar.step.StepHost.CommandId;
import io.forebay.sidecar.step.StepHost.End;
import io.forebay.sidecar.step.StepVariables;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Runs an item's steps one after the other, depth first, and keeps their ends in the journal. Thread-safe. */
final class StepStage {
    /** Between SIGTERM and SIGKILL. */
    private static final Duration STOP_GRACE = Duration.ofSeconds(5);

    private final Job job;
    private final StepHost host;
    private final StepCalls calls;
    private final Journal journal;
    private final SharedInputsStage shared;
    private final StepEnvironment environment;
    private final StepUsers users;
    private final Consumer<String> tell;
    private final Set<String> remarked = ConcurrentHashMap.newKeySet();

    StepStage(
            Job job,
            StepHost host,
            StepCalls calls,
            Journal journal,
            SharedInputsStage shared,
            StepEnvironment environment,
            StepUsers users,
            Consumer<String> tell) {
        this.job = job;
        this.host = host;
        this.calls = calls;
        this.journal = journal;
        this.shared = shared;
        this.environment = environment;
        this.users = users;
        this.tell = tell;
    }

    /**
     * From the first step that has not ended yet.
     *
     * @param computed called as soon as the last step has ended well, before its end is durable: what follows computes nothing
     * @throws AttemptFailed a step failed, was lost, overgrew the buffer, or was stopped by a drain
     */
    void run(Attempt attempt, Runnable computed) throws AttemptFailed, InterruptedException, IOException {
        var variables = variables(attempt);
        for (int i = 0; i < job.steps().size(); i++) {
            var step = job.steps().get(i);
            if (i < attempt.runs().size()) {
                check(attempt, step, attempt.runs().get(i), Optional.empty());
                continue;
            }
            var drain = attempt.drain();
            if (drain != null && drain.killSteps()) {
                throw new AttemptFailed(Failures.drained(drain.cause()));
            }
            attempt.state(ItemState.RUNNING);
            var id = new CommandId(attempt.item(), attempt.generation(), attempt.number(), step.name());
            var command = command(id, step, attempt, variables);
            // In the file before the command runs: a successor that does not know of it would start it a second time
            // beside it.
            journal.write(new JournalRecord.StepStarted(id.item(), id.generation(), id.attempt(), step.name()));
            var end = runOne(attempt, id, command);
            if (end.lost()) {
                endLeftovers(attempt);
            }
            if (i == job.steps().size() - 1 && endedWell(attempt, end)) {
                computed.run();
            }
            var closed = handOver(attempt, id);
            var run = new StepRun(
                    step.name(),
                    command.argv(),
                    end.exit(),
                    end.signal(),
                    end.wallMillis(),
                    end.userMillis(),
                    end.systemMillis(),
                    end.peakRssBytes(),
                    end.logTail());
            if (!end.lost()) {
                journal.append(new JournalRecord.StepEnded(id.item(), id.generation(), id.attempt(), run));
            }
            host.acknowledge(id);
            calls.forget(id);
            attempt.runs().add(run);
            check(attempt, step, run, Optional.of(end));
            if (closed.isPresent()) {
                throw new AttemptFailed(Failures.closedOutput(closed.get()));
            }
            remark(attempt, step, end);
        }
    }

    /** @return why what it left cannot be read; empty: it can */
    private Optional<String> handOver(Attempt attempt, CommandId id) throws InterruptedException {
        try {
            users.handOver(attempt, id);
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of("what step " + id.step() + " of item "
                    + attempt.lease().key() + " left cannot be opened for the job's group: " + e.getMessage());
        }
    }

    /** What there is to say of a success; once for each step, for it is mostly true of all its items. */
    private void remark(Attempt attempt, Step step, End end) {
        if (!end.problem().isEmpty() && remarked.add(step.name())) {
            tell.accept("step " + step.name() + " of item " + attempt.lease().key() + " ended well, but "
                    + end.problem() + " (told once for each step)");
        }
    }

    /** Whoever kept the command was killed with it; what it had started may go on. */
    private void endLeftovers(Attempt attempt) {
        if (!Leftovers.ofAttempt(attempt.space().path()).end()) {
            tell.accept(
                    "item " + attempt.lease().key()
                            + ": processes of an attempt whose step runner died cannot be killed; what they write counts for nothing");
        }
    }

    /** Whether all steps ended well. */
    boolean succeeded(Attempt attempt) {
        return attempt.runs().size() == job.steps().size()
                && attempt.runs().stream().allMatch(r -> r.exit() == 0 && r.signal() == 0);
    }

    private End runOne(Attempt attempt, CommandId id, Command command) throws AttemptFailed, InterruptedException {
        var future = calls.end(id);
        // One that an earlier life of the worker had started either runs still, or has ended, or is lost: it never
        // starts again here.
        boolean recovered = id.equals(attempt.running());
        attempt.running(id);
        try {
            if (!recovered) {
                host.submit(command);
            }
            return future.get();
        } catch (ExecutionException e) {
            throw new AttemptFailed(Failures.own(e));
        } catch (InterruptedException e) {
            stopAndWait(attempt, id, future);
            throw e;
        } finally {
            attempt.running(null);
        }
    }

    /** Nothing of an attempt that is given up may go on: its folders are about to be removed, or given to the next attempt. */
    private void stopAndWait(Attempt attempt, CommandId id, CompletableFuture<End> future) {
        host.stop(id, STOP_GRACE);
        try {
            future.orTimeout(STOP_GRACE.multipliedBy(2).toMillis(), TimeUnit.MILLISECONDS)
                    .join();
            host.acknowledge(id);
            calls.forget(id);
        } catch (CompletionException e) {
            // The runner is away: it is told to stop when it comes back, and its folders are gone then.
            endLeftovers(attempt);
        }
    }

    private void check(Attempt attempt, Step step, StepRun run, Optional<End> end) throws AttemptFailed {
        var overgrown = attempt.overgrown();
        if (overgrown != null) {
            throw new AttemptFailed(
                    overgrown.nextTier() == attempt.space().tier()
                            ? Failures.crowdedOut(overgrown.message())
                            : Failures.bufferFull(overgrown.message(), overgrown.nextTier()));
        }
        if (attempt.space().distrusted()) {
            throw new AttemptFailed(
                    Failures.distrusted("tier " + attempt.space().tier()));
        }
        if (end.isPresent() && end.get().lost()) {
            throw new AttemptFailed(Failures.stepLost(what(attempt, step) + " was lost: its runner died ("
                    + end.get().problem() + ")"));
        }
        if (run.exit() == 0 && run.signal() == 0) {
            return;
        }
        var drain = attempt.drain();
        if (drain != null && drain.killSteps()) {
            throw new AttemptFailed(Failures.drained(drain.cause()));
        }
        throw new AttemptFailed(Failures.stepFailed(what(attempt, step) + " " + how(run, end)));
    }

    private static boolean endedWell(Attempt attempt, End end) {
        return !end.lost()
                && end.exit() == 0
                && end.signal() == 0
                && attempt.overgrown() == null
                && !attempt.space().distrusted();
    }

    private static String what(Attempt attempt, Step step) {
        return "step " + step.name() + " of item " + attempt.lease().key() + " (attempt " + attempt.number() + ")";
    }

    private static String how(StepRun run, Optional<End> end) {
        var problem = end.map(End::problem)
                .filter(p -> !p.isEmpty())
                .map(p -> ": " + p)
                .orElse("");
        if (run.signal() != 0) {
            var oom = end.map(End::oomKilled).orElse(false) ? " (out of memory)" : "";
            return "was killed by signal " + run.signal() + oom + problem + tail(run);
        }
        return "ended with exit code " + run.exit() + problem + tail(run);
    }

    private static String tail(StepRun run) {
        var text = run.logTail().strip();
        if (text.isEmpty()) {
            return "";
        }
        var lines = text.split("\n", -1);
        var last = String.join("\n  ", List.of(lines).subList(Math.max(0, lines.length - 5), lines.length));
        return "; its last lines:\n  " + last;
    }

    private StepVariables variables(Attempt attempt) throws AttemptFailed, InterruptedException {
        var lease = attempt.lease();
        var inputs = new HashMap<String, String>(shared.paths());
        var main = mainInput(attempt, inputs);
        return StepVariables.of(
                job,
                lease.key(),
                inputs,
                main,
                attempt.space().work(),
                attempt.space().out());
    }

    private Optional<String> mainInput(Attempt attempt, Map<String, String> inputs) {
        var own = attempt.lease().inputs();
        if (own.isEmpty()) {
            return inputs.size() == 1 ? Optional.of(inputs.values().iterator().next()) : Optional.empty();
        }
        for (var input : own) {
            inputs.put(input.input(), attempt.space().in() + "/" + input.input());
        }
        var grouped = job.forEach().flatMap(Job.ForEach::groupBy).isPresent();
        if (own.size() == 1 && !grouped) {
            var path = FetchStage.path(own.getFirst(), attempt.space().in());
            inputs.put(own.getFirst().input(), path);
            return Optional.of(path);
        }
        return Optional.of(attempt.space().in() + "/" + own.getFirst().input());
    }

    private Command command(CommandId id, Step step, Attempt attempt, StepVariables variables)
            throws AttemptFailed, InterruptedException {
        var argv = new ArrayList<String>();
        step.command().forEach(t -> argv.add(t.expand(variables.values())));
        var env = new HashMap<>(environment.base());
        env.putAll(variables.environment());
        step.env().forEach((name, value) -> env.put(name, value.expand(variables.values())));
        var own = new HashSet<>(variables.environment().keySet());
        own.addAll(step.env().keySet());
        var readable = new ArrayList<>(shared.paths().values());
        readable.add(attempt.space().in());
        var writable = List.of(attempt.space().work(), attempt.space().out());
        var image = step.image();
        var line = image == null
                ? argv
                : environment.images().wrap(image, argv, own, attempt.space().work(), readable, writable);
        return new Command(
                id,
                attempt.lease().key(),
                line,
                env,
                attempt.space().work(),
                environment.confine() ? readable : List.of(),
                environment.confine() ? writable : List.of(),
                environment.logFile(id),
                step.memoryLimit().map(Bytes::value));
    }
}
