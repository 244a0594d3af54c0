package io.forebay.sidecar.coordinator;

import io.forebay.message.Messages.Holding;
import io.forebay.message.Messages.ItemLease;
import io.forebay.message.Messages.LeaseRequest;
import io.forebay.message.Messages.Leases;
import io.forebay.message.Messages.Leave;
import io.forebay.message.Messages.Register;
import io.forebay.message.Messages.Registered;
import io.forebay.message.Messages.Release;
import io.forebay.message.Messages.Renew;
import io.forebay.message.Messages.Renewed;
import io.forebay.sidecar.item.ItemEvent;
import io.forebay.sidecar.item.ItemState;
import io.forebay.sidecar.item.ItemTransitions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Which worker holds what. Methods take the core's lock. */
final class Leasing {
    /** When a worker that got nothing asks again. */
    private static final long RETRY_MILLIS = 500;
    /** Asks again soon: items come back when their remains are removed. */
    private static final long RETRY_SOON_MILLIS = 50;

    private final Core core;
    private final Losses losses;
    private final Stealing stealing;

    Leasing(Core core, Losses losses) {
        this.core = core;
        this.losses = losses;
        this.stealing = new Stealing(core);
    }

    Registered register(Register hello) {
        core.lock.lock();
        try {
            losses.heardOf(hello.worker());
            var before = core.workers.get(hello.worker());
            WorkerState worker;
            var holding = new HashMap<Integer, Holding>();
            hello.holding().forEach(h -> holding.put((int) h.item(), h));
            if (before != null && before.instance.equals(hello.instance())) {
                worker = before;
            } else {
                worker = new WorkerState(hello.worker(), hello.instance(), hello.node(), hello.slots());
                worker.begunAtNanos = core.now();
                core.workers.put(hello.worker(), worker);
            }
            worker.leaseUntilNanos = core.now() + core.leaseNanos;
            worker.toldDrained = false;
            var drop = new ArrayList<Long>();
            for (var h : hello.holding()) {
                if (!adopt(worker, h)) {
                    drop.add(h.item());
                }
            }
            if (before != null && before != worker) {
                losses.displaced(before);
                losses.loseAllBut(before, holding, true);
            }
            if (core.options.localWorker()) {
                core.recoveringUntilNanos = Math.min(core.recoveringUntilNanos, core.now());
            }
            core.changed.signalAll();
            return new Registered(core.generation, core.options.lease().toMillis(), core.job.manifest(), drop);
        } finally {
            core.lock.unlock();
        }
    }

    /** @return whether the worker goes on with it */
    private boolean adopt(WorkerState worker, Holding h) {
        var table = core.table;
        if (core.ended || h.item() < 0 || h.item() >= table.size()) {
            return false;
        }
        int item = (int) h.item();
        if (!table.id(item).equals(h.itemId()) || table.generation(item) != h.generation()) {
            return false;
        }
        var now = core.held.get(item);
        if (now != null) {
            if (!now.worker.name.equals(worker.name) || now.attempt != h.attempt()) {
                return false;
            }
            if (now.worker != worker) {
                core.letGo(now);
                hold(worker, item, h.attempt(), now.alone);
            }
            report(item, h.state());
            return true;
        }
        switch (table.state(item)) {
            case PENDING -> {
                var left = core.residues.get(item);
                boolean decidedOtherwise = left != null && left.decided != null;
                if (decidedOtherwise
                        || h.attempt() <= table.fenced(item)
                        || h.attempt() < table.attempt(item)
                        || core.pending.isCleaning(item)) {
                    return false;
                }
                table.attempt(item, h.attempt());
                table.apply(item, ItemEvent.LEASE);
                hold(worker, item, h.attempt(), false);
                report(item, h.state());
                return true;
            }
            case COMMITTING -> {
                var residue = core.residue(item);
                if (residue.decided == null || residue.decided.attempt() != h.attempt()) {
                    return false;
                }
                hold(worker, item, h.attempt(), false);
                return true;
            }
            case DONE, FAILED -> {
                return false;
            }
            case LEASED, FETCHING, READY, RUNNING, FLUSHING ->
                throw new IllegalStateException("item " + item + " is " + table.state(item) + " in nobody's hands");
        }
        throw new IllegalStateException();
    }

    private Held hold(WorkerState worker, int item, int attempt, boolean alone) {
        var h = new Held(item, core.plan.item(item), core.table.generation(item), attempt, worker, alone, core.now());
        core.held.put(item, h);
        core.pending.parked.remove(item);
        worker.held.put(item, h);
        worker.heldAlone += alone ? 1 : 0;
        return h;
    }

    Leases lease(LeaseRequest request) {
        core.lock.lock();
        try {
            var worker = core.workers.get(request.worker());
            if (worker == null
                    || !worker.instance.equals(request.instance())
                    || request.generation() != core.generation) {
                // Its next renewal tells it to register; but where another process has its place there is nothing for
                // it.
                boolean displaced = worker != null
                        && !worker.instance.equals(request.instance())
                        && request.generation() == core.generation;
                boolean drained = displaced || core.draining() || core.isOver();
                if (drained) {
                    losses.toldDisplaced(request.instance());
                }
                return new Leases(List.of(), drained, RETRY_MILLIS);
            }
            worker.leaseUntilNanos = core.now() + core.leaseNanos;
            if (core.draining() || core.isOver()) {
                return new Leases(List.of(), true, RETRY_MILLIS);
            }
            if (core.now() < core.recoveringUntilNanos) {
                return new Leases(List.of(), false, RETRY_SOON_MILLIS);
            }
            core.endRecovery();
            var items = choose(worker, request.max());
            boolean leave = items.isEmpty() && stealing.mayLeave(worker);
            worker.toldDrained = leave;
            stealing.answered(worker, !items.isEmpty(), leave);
            if (!items.isEmpty()) {
                return new Leases(items, false, 0);
            }
            if (onlyParkedAreLeft()) {
                core.startDrain(DrainCause.NO_ROOM, core.job.deadlines().drain(), false);
                return new Leases(List.of(), true, RETRY_MILLIS);
            }
            return new Leases(List.of(), leave, core.pending.nothingBeingCleaned() ? RETRY_MILLIS : RETRY_SOON_MILLIS);
        } finally {
            core.lock.unlock();
        }
    }

    private List<ItemLease> choose(WorkerState worker, int max) {
        var items = new ArrayList<ItemLease>();
        if (worker.heldAlone > 0) {
            return items;
        }
        int allowed = stealing.allowed(worker, max);
        while (items.size() < allowed) {
            int item = core.pending.next();
            if (item < 0) {
                break;
            }
            items.add(grant(worker, item, false));
        }
        if (items.isEmpty() && worker.held.isEmpty()) {
            int suspect = core.pending.nextSuspect();
            if (suspect >= 0) {
                items.add(grant(worker, suspect, true));
            }
        }
        while (items.size() < max) {
            int parked = core.pending.parked.nextFor(worker);
            boolean alone = parked >= 0 && core.pending.isSuspected(parked);
            if (parked < 0 || core.pending.isCleaning(parked) || alone && !worker.held.isEmpty()) {
                break;
            }
            items.add(grant(worker, parked, alone));
        }
        if (items.isEmpty() && max > 0 && worker.noRoom.isEmpty()) {
            stealing.recallFor(worker, max);
        }
        return items;
    }

    /** Everything else has ended, and no worker has room for them: nothing that could still happen would change that. */
    private boolean onlyParkedAreLeft() {
        var parked = core.pending.parked;
        int count = parked.count();
        return count > 0
                && core.table.endedCount() + count == core.table.size()
                && parked.areHopeless(core.workers.values());
    }

    private ItemLease grant(WorkerState worker, int item, boolean alone) {
        var table = core.table;
        table.apply(item, ItemEvent.LEASE);
        table.attempt(item, table.attempt(item) + 1);
        var planned = hold(worker, item, table.attempt(item), alone).planned;
        return new ItemLease(
                item,
                planned.id(),
                table.generation(item),
                table.attempt(item),
                planned.key(),
                planned.inputs(),
                table.tier(item),
                alone,
                core.truth.sums.of(item));
    }

    Renewed renew(Renew renew) {
        core.lock.lock();
        try {
            var worker = core.workers.get(renew.worker());
            if (worker == null || !worker.instance.equals(renew.instance())) {
                // To one who knows an earlier coordinator the generation says that it must register.
                List<Long> cancel = List.of();
                if (renew.generation() == core.generation) {
                    // Where another process has its place, it is the one that was started twice.
                    cancel = worker == null
                            ? registerAgain(renew)
                            : List.copyOf(renew.states().keySet());
                }
                return new Renewed(core.generation, cancel, List.of(), core.drain);
            }
            worker.leaseUntilNanos = core.now() + core.leaseNanos;
            note(worker, renew);
            var cancel = new ArrayList<Long>();
            boolean newest = renew.number() > worker.renewal;
            var recall = new ArrayList<Long>();
            renew.states().forEach((item, state) -> {
                var h = worker.held.get(Math.toIntExact(item));
                if (h == null) {
                    cancel.add(item);
                } else {
                    h.confirmed |= newest;
                    report(h.item, state);
                    h.recalled = h.recalled && stealing.isUnstarted(h);
                    if (h.recalled) {
                        recall.add(item);
                    }
                }
            });
            if (newest) {
                worker.renewal = renew.number();
                loseForgotten(worker, new HashSet<>(renew.states().keySet()));
            }
            return new Renewed(core.generation, cancel, recall, core.drain);
        } finally {
            core.lock.unlock();
        }
    }

    /** It was silent for longer than its lease: what nobody was given meanwhile is its own again. @return what is not */
    private List<Long> registerAgain(Renew renew) {
        var before = losses.lapsed(renew.worker());
        var holding = new ArrayList<Holding>();
        var cancel = new ArrayList<Long>();
        renew.states().forEach((item, state) -> {
            var h = before == null || !before.instance.equals(renew.instance())
                    ? null
                    : before.held.get(Math.toIntExact(item));
            if (h == null) {
                cancel.add(item);
            } else {
                holding.add(new Holding(item, core.table.id(h.item), h.generation, h.attempt, state));
            }
        });
        var slots = before == null ? core.job.workers().slots() : before.slots;
        var node = before == null ? "" : before.node;
        cancel.addAll(register(new Register(renew.worker(), renew.instance(), node, slots, holding))
                .drop());
        return cancel;
    }

    private void note(WorkerState worker, Renew renew) {
        var before = worker.counters;
        worker.counters = renew.counters();
        core.counters.put(worker.instance, renew.counters());
        var message = renew.counters().lastMessage();
        if (message != null && (before == null || !message.equals(before.lastMessage()))) {
            core.say(message);
        }
    }

    /**
     * Items that the worker does not name: of one that it must have got long ago the answer was lost, one that was asked back and that it
     * had it no longer has. A lease that it may not have heard of when it wrote this is kept.
     */
    private void loseForgotten(WorkerState worker, HashSet<Long> named) {
        for (var h : List.copyOf(worker.held.values())) {
            if (named.contains((long) h.item)) {
                continue;
            }
            boolean old = core.now() - h.leasedAtNanos > core.leaseNanos / 2;
            if (!old && !(h.recalled && h.confirmed)) {
                continue;
            }
            core.letGo(h);
            if (core.table.state(h.item) == ItemState.COMMITTING) {
                core.orphan(h.item);
            } else {
                core.giveBack(h.item);
            }
        }
    }

    private void report(int item, String state) {
        var event = event(state);
        var before = core.table.state(item);
        if (event == null || !ItemTransitions.allows(before, event)) {
            return;
        }
        core.table.apply(item, event);
        var h = core.held.get(item);
        if (event == ItemEvent.RUN && before != ItemState.RUNNING && h != null) {
            h.worker.begunAtNanos = core.now();
        }
    }

    /** The word is a worker's: anything may come. */
    private static @Nullable ItemEvent event(String state) {
        return switch (state) {
            case "FETCHING" -> ItemEvent.FETCH;
            case "READY" -> ItemEvent.MAKE_READY;
            case "RUNNING" -> ItemEvent.RUN;
            case "FLUSHING", "COMMITTING" -> ItemEvent.FLUSH;
            default -> null;
        };
    }

    /** What it held, if anything, is given to others as if it had died. */
    void leave(Leave leave) {
        core.lock.lock();
        try {
            var worker = core.workers.get(leave.worker());
            if (worker == null || !worker.instance.equals(leave.instance())) {
                return;
            }
            core.workers.remove(leave.worker());
            core.counters.put(leave.instance(), leave.counters());
            losses.loseAllBut(worker, Map.of(), false);
            core.changed.signalAll();
        } finally {
            core.lock.unlock();
        }
    }

    void release(Release release) {
        core.lock.lock();
        try {
            var worker = core.workers.get(release.worker());
            if (worker == null || !worker.instance.equals(release.instance())) {
                return;
            }
            for (var given : release.attempts()) {
                var h = worker.held.get(Math.toIntExact(given.item()));
                if (h == null || h.generation != given.generation() || h.attempt != given.attempt()) {
                    continue;
                }
                core.letGo(h);
                if (core.table.state(h.item) == ItemState.COMMITTING) {
                    core.orphan(h.item);
                    continue;
                }
                var noRoom = release.noRoom();
                if (noRoom != null) {
                    core.pending.parked.add(worker, h.item, noRoom);
                    core.say("no room for item " + h.planned.key() + ": " + noRoom);
                }
                core.giveBack(h.item);
            }
        } finally {
            core.lock.unlock();
        }
    }
}
