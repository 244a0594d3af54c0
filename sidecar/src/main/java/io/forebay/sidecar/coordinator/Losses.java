package io.forebay.sidecar.coordinator;

import io.forebay.message.Messages.Failure;
import io.forebay.message.Messages.Holding;
import io.forebay.sidecar.item.ItemState;
import io.forebay.sidecar.outcome.ExitCode;
import io.forebay.sidecar.records.LogEntry;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What workers take with them when they die or fall silent. Under the core's lock. */
final class Losses {
    private final Core core;
    /** By name: workers whose lease is over, with what they held then. */
    private final Map<String, WorkerState> lapsed = new HashMap<>();

    /** By instance: processes whose place another one has taken. They may live, and must hear that it is over. */
    private final Map<String, WorkerState> displaced = new HashMap<>();

    Losses(Core core) {
        this.core = core;
    }

    /** The worker as it was when its lease ended; null: it is not one that fell silent. */
    @Nullable
    WorkerState lapsed(String name) {
        return lapsed.get(name);
    }

    /** Workers that fell silent, or lost their place, so lately that they may live and ask; with the time until which that is so. */
    Map<WorkerState, Long> mayComeBack() {
        var all = new LinkedHashMap<WorkerState, Long>();
        lapsed.values().forEach(w -> all.put(w, w.leaseUntilNanos + core.leaseNanos));
        displaced.values().forEach(w -> all.put(w, w.leaseUntilNanos));
        all.values().removeIf(until -> core.now() - until >= 0);
        return all;
    }

    /** Another process has registered as this worker. */
    void displaced(WorkerState before) {
        displaced.put(before.instance, before);
    }

    /** It has been told that nothing is left for it. */
    void toldDisplaced(String instance) {
        displaced.remove(instance);
    }

    void heardOf(String name) {
        lapsed.remove(name);
    }

    /** The process of a worker has ended; who follows it has what it reports. @param died it did not say that it leaves */
    void loseAllBut(WorkerState before, Map<Integer, Holding> holding, boolean died) {
        boolean ran = false;
        for (var h : List.copyOf(before.held.values())) {
            if (!holding.containsKey(h.item)) {
                ran |= core.table.state(h.item) == ItemState.RUNNING;
                if (core.table.state(h.item) == ItemState.COMMITTING) {
                    core.residue(h.item).publisherGone = true;
                }
                lose(h, "its worker " + before.name + " no longer has it");
            }
        }
        if (died && ran) {
            countDeath(before.name);
        }
    }

    private void countDeath(String name) {
        int inARow = core.deaths.merge(name, 1, Integer::sum);
        if (inARow > core.job.retry().worker() && !core.draining()) {
            var why = "worker " + name + " died " + inARow
                    + " times in a row without finishing an item (spec.retry.worker: "
                    + core.job.retry().worker() + ")";
            core.say(why);
            core.fatal = core.fatal == null ? why : core.fatal;
            core.tally.code(ExitCode.PASSING);
            core.startDrain(DrainCause.FATAL, core.job.deadlines().drain(), false);
        }
    }

    /**
     * An attempt is lost together with its worker. It does not count; but an item that was running when this happened before,
     * or that ran alone, may be the cause.
     */
    private void lose(Held h, String why) {
        int item = h.item;
        core.letGo(h);
        var state = core.table.state(item);
        if (state == ItemState.COMMITTING) {
            core.orphan(item);
            return;
        }
        if (state == ItemState.RUNNING) {
            core.table.setbacks(item, core.table.setbacks(item) + 1);
            if (h.alone) {
                core.table.failures(item, core.table.failures(item) + 1);
            } else if (core.table.setbacks(item) > 1) {
                core.pending.suspect(item);
            }
        }
        if (core.table.failures(item) > core.job.retry().item()) {
            failLost(h, why);
            return;
        }
        core.sayRunAgain(h.planned.key(), why);
        core.comeBack(item);
    }

    private void failLost(Held h, String why) {
        var failure = new Failure(
                "WorkerLost",
                "it ran alone, and each time " + why,
                ExitCode.STEP_FAILED.number(),
                true,
                true,
                false,
                false);
        core.append(new LogEntry.Failed(
                core.table.id(h.item),
                h.item,
                h.planned.key(),
                h.generation,
                h.attempt,
                h.worker.name,
                true,
                failure,
                List.of(),
                List.of(),
                List.of(),
                null,
                core.options.clock().millis(),
                List.of()));
        core.failForGood(h.item, h.planned.key(), h.attempt, failure, List.of(), List.of());
    }

    /** The coordinator itself was away for so long: that is not the workers' silence. Under the lock. */
    void forgive(long nanos) {
        core.workers.values().forEach(w -> w.leaseUntilNanos += nanos);
    }

    /** Ends leases that were not renewed. Under the lock. */
    void expire() {
        long now = core.now();
        for (var worker : List.copyOf(core.workers.values())) {
            if (now - worker.leaseUntilNanos >= 0) {
                core.workers.remove(worker.name);
                var before = new WorkerState(worker.name, worker.instance, worker.node, worker.slots);
                before.leaseUntilNanos = worker.leaseUntilNanos;
                before.held.putAll(worker.held);
                lapsed.put(worker.name, before);
                for (var h : List.copyOf(worker.held.values())) {
                    lose(
                            h,
                            "its worker " + worker.name + " has not been heard of for "
                                    + core.options.lease().toSeconds() + " s");
                }
            }
        }
    }
}
