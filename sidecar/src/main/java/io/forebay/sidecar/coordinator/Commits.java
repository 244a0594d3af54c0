package io.forebay.sidecar.coordinator;

import io.forebay.message.Messages.Answer;
import io.forebay.message.Messages.CommitRequest;
import io.forebay.message.Messages.Ended;
import io.forebay.message.Messages.Failure;
import io.forebay.message.Messages.ItemEnded;
import io.forebay.message.Messages.Refusal;
import io.forebay.message.Messages.StagedOutput;
import io.forebay.message.Messages.Staging;
import io.forebay.sidecar.coordinator.OutputsOnRecord.Decision;
import io.forebay.sidecar.item.ItemEvent;
import io.forebay.sidecar.item.ItemState;
import io.forebay.sidecar.link.CoordinatorLink.LinkException;
import io.forebay.sidecar.outcome.ExitCode;
import io.forebay.sidecar.records.LogEntry;
import io.forebay.sidecar.records.LogEntry.Intent;
import io.forebay.sidecar.records.RecordLog.Ticket;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What an attempt may leave, and how it ended. Decides under the core's lock; answers when the decision is durable. */
final class Commits {
    /** Uncounted ends of one item after which they count: nothing goes on for ever. */
    private static final int MOST_SETBACKS = 20;
    /** Reasons of attempts that a worker ended because it was told to. */
    private static final Set<String> ENDED_BY_ORDER = Set.of("Cancelled", "Stopped");
    /** Items that a dying runner took along report within this. */
    private static final long SAME_DEATH_NANOS = 30_000_000_000L;

    private final Core core;
    private final AttemptLogs logs;

    Commits(Core core, AttemptLogs logs) {
        this.core = core;
        this.logs = logs;
    }

    Answer staging(Staging s) throws LinkException, InterruptedException {
        Ticket ticket;
        core.lock.lock();
        try {
            core.requireInOffice();
            requireRegistered(s.worker());
            var h = current(s.worker(), s.instance(), s.item(), s.generation(), s.attempt());
            if (h == null) {
                return fenced(s.item(), s.attempt());
            }
            core.residue(h.item).staged.addAll(s.staged());
            ticket = core.append(new LogEntry.Staged(
                    core.table.id(h.item), h.item, s.generation(), s.attempt(), s.worker(), s.staged()));
        } finally {
            core.lock.unlock();
        }
        core.awaitDurable(ticket);
        return Answer.YES;
    }

    Answer commit(CommitRequest c) throws LinkException, InterruptedException {
        Ticket ticket;
        core.lock.lock();
        try {
            core.requireInOffice();
            requireRegistered(c.worker());
            var h = current(c.worker(), c.instance(), c.item(), c.generation(), c.attempt());
            if (h == null) {
                return fenced(c.item(), c.attempt());
            }
            var residue = core.residue(h.item);
            var repeated = repeated(residue, c);
            if (repeated != null) {
                ticket = repeated.ticket();
                if (ticket == null) {
                    return Answer.YES;
                }
            } else {
                if (!c.onClose() && residue.decided != null) {
                    return refusal("FENCED", "other outputs of item " + h.planned.key() + " are decided already");
                }
                if (!c.onClose() && !c.success() && willRetry(h.item)) {
                    return refusal(
                            "WILL_RETRY",
                            "item " + h.planned.key() + " will be run again: nothing of this attempt is published");
                }
                var conflict = claimNames(h, c.outputs());
                if (conflict != null) {
                    return refusal("NAME_CONFLICT", conflict);
                }
                ticket = decide(h, residue, c);
            }
        } finally {
            core.lock.unlock();
        }
        core.awaitDurable(ticket);
        return Answer.YES;
    }

    private Ticket decide(Held h, OutputsOnRecord residue, CommitRequest c) {
        var intent = new Intent(
                core.table.id(h.item),
                h.item,
                h.planned.key(),
                c.generation(),
                c.attempt(),
                c.worker(),
                c.success(),
                c.onClose(),
                c.outputs());
        var ticket = core.append(intent);
        var decision = new Decision(intent, ticket);
        if (c.onClose()) {
            residue.onClose.add(decision);
        } else {
            residue.decided = decision;
            core.table.apply(h.item, ItemEvent.DECIDE);
        }
        return ticket;
    }

    /** The same request again, since its answer was lost. */
    private static @Nullable Decision repeated(OutputsOnRecord residue, CommitRequest c) {
        if (c.onClose()) {
            return residue.onClose.stream().filter(d -> same(d, c)).findFirst().orElse(null);
        }
        return residue.decided != null && same(residue.decided, c) ? residue.decided : null;
    }

    private static boolean same(Decision d, CommitRequest c) {
        return d.attempt() == c.attempt()
                && d.success() == c.success()
                && d.outputs().equals(c.outputs());
    }

    /** @return why not; null: the names are the item's now */
    private @Nullable String claimNames(Held h, List<StagedOutput> outputs) {
        int item = h.item;
        var sources = new HashMap<String, String>();
        for (var output : outputs) {
            var other = sources.putIfAbsent(output.finalUri(), output.relative());
            if (other != null && !other.equals(output.relative())) {
                return "item " + h.planned.key() + " would publish two of its files, " + other + " and "
                        + output.relative() + ", as " + output.finalUri();
            }
            int owner = core.names.owner(output.finalUri());
            if (owner >= 0 && owner != item) {
                return "items " + core.keyOf(owner) + " and " + h.planned.key() + " both publish " + output.finalUri()
                        + "; " + core.keyOf(owner)
                        + " was first. Let `to` tell them apart, for example with $(DIR) or $(NAME)";
            }
        }
        sources.keySet().forEach(name -> core.names.add(name, item));
        return null;
    }

    Ended ended(ItemEnded e) throws LinkException, InterruptedException {
        Ticket ticket;
        Ended answer;
        var key = "";
        core.lock.lock();
        try {
            core.requireInOffice();
            requireRegistered(e.worker());
            var h = current(e.worker(), e.instance(), e.item(), e.generation(), e.attempt());
            if (h == null) {
                answer = repeatedEnd(e);
                ticket = core.log.last();
            } else {
                key = h.planned.key();
                var end = end(h, e);
                answer = end.answer();
                ticket = end.ticket();
            }
            core.changed.signalAll();
        } finally {
            core.lock.unlock();
        }
        core.awaitDurable(ticket);
        if (!key.isEmpty()) {
            var problem = logs.keep(key, e);
            if (!problem.isEmpty()) {
                core.sayLocked(problem);
            }
        }
        return answer;
    }

    /** @param ticket of the last entry that must be durable before the answer */
    private record End(Ended answer, Ticket ticket) {}

    private End end(Held h, ItemEnded e) {
        var residue = core.residues.get(h.item);
        var failure = inForce(e.failure());
        if (failure == null && residue != null && residue.decided != null && !residue.decided.success()) {
            // Never a failed attempt as Done, whatever the worker says.
            failure = new Failure(
                    "StepFailed",
                    "a step of item " + h.planned.key() + " failed",
                    ExitCode.STEP_FAILED.number(),
                    true,
                    false,
                    false,
                    false);
        }
        if (failure == null) {
            if (residue == null || residue.decided == null) {
                if (!e.published().isEmpty() && !onCloseOnly(residue, e.published())) {
                    return new End(new Ended(false, true), core.log.last());
                }
                core.table.apply(h.item, ItemEvent.DECIDE);
            }
            return new End(new Ended(false, false), complete(h, e));
        }
        return failed(h, residue, failure, e);
    }

    /**
     * A worker that heard an earlier coordinator's order to end, and stopped because of it, reports here. What that coordinator did not live
     * to record does not bind this one: the item is run again.
     */
    private @Nullable Failure inForce(@Nullable Failure failure) {
        if (failure == null || core.draining() || !ENDED_BY_ORDER.contains(failure.reason())) {
            return failure;
        }
        return new Failure(
                failure.reason(),
                failure.message() + ", by a coordinator that did not live to end it",
                ExitCode.PASSING.number(),
                false,
                false,
                false,
                false);
    }

    private static boolean onCloseOnly(@Nullable OutputsOnRecord residue, List<StagedOutput> published) {
        if (residue == null) {
            return false;
        }
        var decided = new HashSet<String>();
        residue.onClose.forEach(d -> d.outputs().forEach(o -> decided.add(o.finalUri())));
        return published.stream().allMatch(o -> decided.contains(o.finalUri()));
    }

    private Ticket complete(Held h, ItemEnded e) {
        int item = h.item;
        var residue = core.residues.get(item);
        var published = residue == null ? List.<StagedOutput>of() : residue.published();
        core.letGo(h);
        core.deaths.remove(h.worker.name);
        core.pace.note(e.timing());
        core.table.apply(item, ItemEvent.COMPLETE);
        core.pending.clear(item);
        core.tally.unexported(item, core.table.listAnew(item), e.unexported());
        cleanLeftovers(item, residue);
        return core.append(CompletionEntries.of(
                core,
                h.planned,
                item,
                h.attempt,
                e.worker(),
                e.steps(),
                published,
                e.unexported(),
                e.timing(),
                e.sums()));
    }

    /** Whatever was announced and is neither published nor to be, is removed; the item need not wait for that. */
    private void cleanLeftovers(int item, @Nullable OutputsOnRecord residue) {
        if (residue == null) {
            return;
        }
        var leftovers = residue.leftovers();
        residue.staged.clear();
        residue.staged.addAll(leftovers);
        residue.onClose.clear();
        residue.decided = null;
        if (leftovers.isEmpty()) {
            core.residues.remove(item);
        } else {
            core.table.fence(item, core.table.attempt(item));
            core.cleanings.add(item);
        }
    }

    private End failed(Held h, @Nullable OutputsOnRecord residue, Failure failure, ItemEnded e) {
        int item = h.item;
        var table = core.table;
        var decided = residue == null ? null : residue.decided;
        core.letGo(h);
        core.truth.sums.note(item, e.sums());
        if (residue != null && decided != null && decided.success() && !failure.permanent()) {
            // What was decided stays decided: the coordinator carries it out, or finds pieces lost and begins a new
            // generation. It is not the item that failed.
            var ticket = core.append(entry(h, noted(failure, false), false, e, residue));
            core.orphan(item);
            residue.publisherGone = true;
            return new End(new Ended(true, false), ticket);
        }
        boolean counted = failure.counted() && !isInnocent(h, failure);
        if (counted) {
            table.failures(item, table.failures(item) + 1);
        } else {
            table.setbacks(item, table.setbacks(item) + 1);
        }
        if (failure.moveDown()) {
            table.tier(item, table.tier(item) + 1);
        }
        boolean last = failure.permanent()
                || failure.fatal()
                || decided != null
                || table.failures(item) > core.job.retry().item()
                || table.setbacks(item) > MOST_SETBACKS;
        var ticket = core.append(entry(h, noted(failure, counted), last, e, residue));
        if (last) {
            core.failForGood(item, h.planned.key(), h.attempt, failure, e.steps(), e.unexported());
        } else {
            core.sayRunAgain(h.planned.key(), failure.message());
            core.giveBack(item);
        }
        return new End(new Ended(!last, false), ticket);
    }

    private static Failure noted(Failure f, boolean counted) {
        return new Failure(f.reason(), f.message(), f.code(), counted, f.permanent(), f.fatal(), f.moveDown());
    }

    /** A runner that dies takes along what ran beside the culprit: suspects run alone until it is known. */
    private boolean isInnocent(Held h, Failure failure) {
        boolean lost = failure.reason().equals("StepLost");
        if (!lost) {
            core.pending.clear(h.item);
            return false;
        }
        long now = core.now();
        boolean others = core.held.values().stream()
                .anyMatch(o -> o.worker == h.worker && core.table.state(o.item) == ItemState.RUNNING);
        boolean recently = h.worker.runnerLostAtNanos != 0 && now - h.worker.runnerLostAtNanos < SAME_DEATH_NANOS;
        if (h.alone || !others && !recently) {
            return false;
        }
        h.worker.runnerLostAtNanos = now;
        core.pending.suspect(h.item);
        return true;
    }

    private LogEntry.Failed entry(
            Held h, Failure failure, boolean last, ItemEnded e, @Nullable OutputsOnRecord residue) {
        var published = residue == null ? List.<StagedOutput>of() : new ArrayList<>(residue.published());
        return new LogEntry.Failed(
                core.table.id(h.item),
                h.item,
                h.planned.key(),
                e.generation(),
                e.attempt(),
                e.worker(),
                last,
                failure,
                e.steps(),
                published,
                e.unexported(),
                e.timing(),
                core.options.clock().millis(),
                e.sums());
    }

    /** Whether a failure now would be followed by another attempt. */
    private boolean willRetry(int item) {
        return !core.draining()
                && core.table.failures(item) + 1 <= core.job.retry().item();
    }

    private Ended repeatedEnd(ItemEnded e) {
        boolean known = e.item() >= 0 && e.item() < core.table.size();
        if (known
                && core.table.attempt((int) e.item()) == e.attempt()
                && core.table.generation((int) e.item()) == e.generation()) {
            return switch (core.state(e.item())) {
                case DONE, FAILED -> new Ended(false, false);
                case PENDING, COMMITTING -> new Ended(true, false);
                case LEASED, FETCHING, READY, RUNNING, FLUSHING -> new Ended(false, true);
            };
        }
        return new Ended(false, true);
    }

    /**
     * A new coordinator learns what a worker holds when it registers. Until then "not yours" would be no answer but ignorance, and would cost
     * the attempt.
     */
    private void requireRegistered(String worker) throws LinkException {
        if (!core.workers.containsKey(worker) && core.now() < core.recoveringUntilNanos) {
            throw new LinkException(
                    LinkException.Kind.NOT_NOW,
                    "worker " + worker + " has not registered with the new coordinator yet",
                    new IllegalStateException("recovering"));
        }
    }

    /** The hold, if exactly this attempt of this process is the current one. */
    private @Nullable Held current(String worker, String instance, long item, int itemGeneration, int attempt) {
        if (item < 0 || item >= core.table.size()) {
            return null;
        }
        var h = core.held.get((int) item);
        boolean same = h != null
                && h.attempt == attempt
                && h.worker.name.equals(worker)
                && h.worker.instance.equals(instance)
                && core.table.generation((int) item) == itemGeneration;
        return same ? h : null;
    }

    private static Answer fenced(long item, int attempt) {
        return refusal(
                "FENCED", "attempt " + attempt + " of item " + item + " may no longer publish: its lease has ended");
    }

    private static Answer refusal(String reason, String message) {
        return new Answer(new Refusal(reason, message));
    }
}
