package io.forebay.sidecar.coordinator;

import java.util.BitSet;
import java.util.Collection;
import java.util.List;

/**
 * Pending items that a worker had no room for. They are leased to workers that have not said so of them; where there is none, they are not
 * run. A bit for each item, since there may be a million. Guarded by the core's lock.
 */
final class Parked {
    private final BitSet items = new BitSet();
    private String why = "";

    /** @param reason of the worker, for people; the first one is kept */
    void add(WorkerState worker, int item, String reason) {
        worker.noRoom.set(item);
        items.set(item);
        why = why.isEmpty() ? reason : why;
    }

    /** It is in somebody's hands again. */
    void remove(int item) {
        items.clear(item);
    }

    boolean contains(int item) {
        return items.get(item);
    }

    /** @return one that this worker may have room for; -1: none */
    int nextFor(WorkerState worker) {
        for (int item = items.nextSetBit(0); item >= 0; item = items.nextSetBit(item + 1)) {
            if (!worker.noRoom.get(item)) {
                return item;
            }
        }
        return -1;
    }

    /** Whether none of these workers could take any of them. */
    boolean areHopeless(Collection<WorkerState> workers) {
        return workers.stream().allMatch(worker -> nextFor(worker) < 0);
    }

    int count() {
        return items.cardinality();
    }

    List<Integer> first(int most) {
        return items.stream().limit(most).boxed().toList();
    }

    String why() {
        return why;
    }
}
