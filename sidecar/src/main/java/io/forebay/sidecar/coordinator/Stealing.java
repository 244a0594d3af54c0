package io.forebay.sidecar.coordinator;

import io.forebay.sidecar.item.ItemState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The end of a run, when nothing is left to lease: who gets what others have not begun, and who may leave. Under the core's lock.
 *
 * <p>A worker that has nothing to begin and got nothing <em>waits</em>. While one waits, what comes back is for it: a worker that has
 * something to begin gets nothing, else it would take again what it has just given back. One whose buffer had no room for an item
 * asks for no share of others'.
 */
final class Stealing {
    /** Those that will begin first come first: what is staged, then in the order of their leases. */
    private static final Comparator<Boolean> STAGED_FIRST = Comparator.reverseOrder();

    private final Core core;

    Stealing(Core core) {
        this.core = core;
    }

    /** How much a worker needs items. */
    private enum Need {
        /** It has some to begin. */
        NONE,
        /** Its slots are busy, and nothing is there to follow. */
        SOON,
        /** A slot of it is free. */
        NOW
    }

    private Need need(WorkerState worker) {
        if (!unstarted(worker).isEmpty()) {
            return Need.NONE;
        }
        return running(worker) < worker.slots ? Need.NOW : Need.SOON;
    }

    /** @return how many of the {@code max} items that the worker asks for it may have, if there are so many */
    int allowed(WorkerState worker, int max) {
        var waiting = core.workers.values().stream()
                .filter(w -> w != worker && waits(w))
                .map(this::need)
                .toList();
        if (waiting.isEmpty()) {
            return max;
        }
        var need = need(worker);
        if (waiting.stream().anyMatch(n -> n.compareTo(need) > 0)) {
            return 0;
        }
        long rivals = waiting.stream().filter(n -> n == need).count();
        return (int) Math.min(max, Math.ceilDiv(core.table.count(ItemState.PENDING), rivals + 1));
    }

    /** Notes what became of its question, for what others may have. */
    void answered(WorkerState worker, boolean gotItems, boolean mayLeave) {
        worker.waits = !gotItems && !mayLeave && worker.heldAlone == 0;
        worker.askedAtNanos = core.now();
    }

    /** One that stopped asking has died or drains: its place at the table is not kept for long. */
    private boolean waits(WorkerState worker) {
        return worker.waits
                && worker.noRoom.isEmpty()
                && core.now() - worker.askedAtNanos < core.leaseNanos / 2
                && need(worker) != Need.NONE;
    }

    /**
     * Stealing: nothing is left to lease, so half of what the worker with most has not begun is asked back. It becomes leasable when
     * that worker has given it back, so that no item is ever on two.
     */
    void recallFor(WorkerState idle, int max) {
        var need = need(idle);
        if (need == Need.NONE || isUnderWayTo(idle)) {
            return;
        }
        var victim = core.workers.values().stream()
                .filter(w -> w != idle)
                .max(Comparator.comparingInt(w -> surplus(w).size()));
        if (victim.isEmpty()) {
            return;
        }
        var waiting = surplus(victim.get());
        if (need == Need.SOON && waiting.size() <= victim.get().slots) {
            // Its turn comes there as soon; it would only go to and fro.
            return;
        }
        int wanted = Math.min(max, need == Need.NOW ? (waiting.size() + 1) / 2 : waiting.size() / 2);
        for (int i = waiting.size() - 1; i >= 0 && wanted > 0; i--) {
            var h = waiting.get(i);
            if (beginsSoonerElsewhere(h, i)) {
                h.recalled = true;
                idle.asked.add(h);
                wanted--;
            }
        }
    }

    /** Whether something that was asked back for it is still where it was: one at a time, else all others would give. */
    private boolean isUnderWayTo(WorkerState idle) {
        idle.asked.removeIf(h -> !h.recalled || core.held.get(h.item) != h);
        return !idle.asked.isEmpty();
    }

    /**
     * What is staged is recalled only if its turn comes later than another worker could have it staged.
     *
     * @param before items of the same worker that wait for a slot too and come first
     */
    private boolean beginsSoonerElsewhere(Held h, int before) {
        if (core.table.state(h.item) != ItemState.READY || !core.pace.isKnown()) {
            return true;
        }
        var here = h.worker;
        double turns = 0.5 + (double) before / Math.max(1, here.slots);
        // One that has begun nothing for long is not as fast as others were.
        double wait = Math.max(turns * core.pace.runMillis() * 1e6, core.now() - here.begunAtNanos);
        double handOver = core.leaseNanos / 6.0;
        return wait > handOver + core.pace.fetchMillis() * 1e6;
    }

    /** What it could give up: beyond what it runs, and what its free slots will begin at once. In the order in which it would begin. */
    private List<Held> surplus(WorkerState worker) {
        var list = unstarted(worker);
        int free = Math.max(0, worker.slots - running(worker));
        return list.subList(Math.min(free, list.size()), list.size());
    }

    private int running(WorkerState worker) {
        return (int) worker.held.values().stream()
                .filter(h -> core.table.state(h.item) == ItemState.RUNNING)
                .count();
    }

    private List<Held> unstarted(WorkerState worker) {
        var list = new ArrayList<Held>();
        for (var h : worker.held.values()) {
            if (!h.recalled && !h.alone && isUnstarted(h)) {
                list.add(h);
            }
        }
        list.sort(Comparator.comparing(h -> core.table.state(h.item) == ItemState.READY, STAGED_FIRST));
        return list;
    }

    boolean isUnstarted(Held h) {
        return switch (core.table.state(h.item)) {
            case LEASED, FETCHING, READY -> true;
            case PENDING, RUNNING, FLUSHING, COMMITTING, DONE, FAILED -> false;
        };
    }

    /** What others hold may come back; at least {@code workers.min} stay for that. */
    boolean mayLeave(WorkerState worker) {
        if (core.table.count(ItemState.PENDING) > 0 || !core.orphans.isEmpty()) {
            return false;
        }
        boolean recalls = core.held.values().stream().anyMatch(h -> h.recalled);
        boolean spares = core.workers.values().stream()
                .anyMatch(w -> w != worker && !surplus(w).isEmpty());
        long staying = core.workers.values().stream()
                .filter(w -> w != worker && !w.toldDrained)
                .count();
        return !recalls && !spares && staying >= Math.max(1, core.job.workers().min());
    }
}
