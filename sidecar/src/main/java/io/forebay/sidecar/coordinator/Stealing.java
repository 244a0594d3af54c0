package io.forebay.sidecar.coordinator;

import io.forebay.sidecar.item.ItemState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The end of a run, when nothing is left to lease: who gets what others have not begun, and who may leave. Under the core's lock. */
final class Stealing {
    private final Core core;

    Stealing(Core core) {
        this.core = core;
    }

    /**
     * Stealing: nothing is left to lease, so half of what another worker has not begun is asked back. It becomes leasable when
     * that worker has given it back, so that no item is ever on two.
     */
    void recallFor(WorkerState idle, int max) {
        var victim = core.workers.values().stream()
                .filter(w -> w != idle)
                .max(Comparator.comparingInt(w -> unstarted(w).size()));
        if (victim.isEmpty()) {
            return;
        }
        var waiting = unstarted(victim.get());
        long asked = victim.get().held.values().stream().filter(h -> h.recalled).count();
        long wanted = Math.min(max, (waiting.size() + asked + 1) / 2) - asked;
        for (int i = waiting.size() - 1; i >= 0 && wanted > 0; i--, wanted--) {
            waiting.get(i).recalled = true;
        }
    }

    /** What it holds beyond what it is running, oldest first. */
    private List<Held> unstarted(WorkerState worker) {
        var list = new ArrayList<Held>();
        for (var h : worker.held.values()) {
            if (!h.recalled && !h.alone && isUnstarted(h)) {
                list.add(h);
            }
        }
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
        long staying = core.workers.values().stream()
                .filter(w -> w != worker && !w.toldDrained)
                .count();
        return !recalls && staying >= Math.max(1, core.job.workers().min());
    }
}
