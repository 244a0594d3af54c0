package io.forebay.sidecar.coordinator;

import io.forebay.sidecar.item.ItemState;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Set;

/**
 * Which item is leased next: first what came back, then the plan's order; suspects wait for a worker that runs nothing else.
 * Guarded by the core's lock.
 */
final class PendingQueue {
    private final ItemTable table;
    private final ArrayDeque<Integer> returned = new ArrayDeque<>();
    private final ArrayDeque<Integer> suspects = new ArrayDeque<>();
    private final Set<Integer> suspected = new HashSet<>();
    /** Pending, but not before its remains are removed from the stores. */
    private final Set<Integer> cleaning = new HashSet<>();

    /** Pending, but not for those who had no room for it. */
    final Parked parked = new Parked();

    private int cursor;

    PendingQueue(ItemTable table) {
        this.table = table;
    }

    /** @return the next item that may run beside others; -1: none */
    int next() {
        for (var item = returned.poll(); item != null; item = returned.poll()) {
            if (mayRunBesideOthers(item)) {
                return item;
            }
        }
        while (cursor < table.size()) {
            int item = cursor++;
            if (mayRunBesideOthers(item)) {
                return item;
            }
        }
        return -1;
    }

    private boolean mayRunBesideOthers(int item) {
        return table.state(item) == ItemState.PENDING
                && !cleaning.contains(item)
                && !suspected.contains(item)
                && !parked.contains(item);
    }

    /** @return the next item that must run alone; -1: none */
    int nextSuspect() {
        for (var item = suspects.poll(); item != null; item = suspects.poll()) {
            if (table.state(item) == ItemState.PENDING && suspected.contains(item) && !parked.contains(item)) {
                if (cleaning.contains(item)) {
                    suspects.add(item);
                    return -1;
                }
                return item;
            }
        }
        return -1;
    }

    /** The item is pending again. */
    void giveBack(int item) {
        if (parked.contains(item)) {
            return;
        }
        if (suspected.contains(item)) {
            suspects.add(item);
        } else if (!cleaning.contains(item)) {
            returned.add(item);
        }
    }

    void suspect(int item) {
        suspected.add(item);
    }

    void clear(int item) {
        suspected.remove(item);
    }

    boolean isSuspected(int item) {
        return suspected.contains(item);
    }

    void startCleaning(int item) {
        cleaning.add(item);
    }

    boolean isCleaning(int item) {
        return cleaning.contains(item);
    }

    void endCleaning(int item) {
        if (cleaning.remove(item) && table.state(item) == ItemState.PENDING) {
            giveBack(item);
        }
    }

    boolean nothingBeingCleaned() {
        return cleaning.isEmpty();
    }
}
