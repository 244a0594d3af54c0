package io.forebay.sidecar.transfer;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Says once that a store does not answer, however many operations wait for it, and once that it goes on. Thread-safe.
 */
final class Outages {
    private final TransferCounters counters;
    /** Operations that wait, and what a user has been told of; guarded by this. */
    private final Set<Object> waiting = new HashSet<>();

    private boolean told;
    private long since;

    Outages(TransferCounters counters) {
        this.counters = counters;
    }

    /**
     * An operation has failed for a while, and is tried again.
     *
     * @param why what the store said
     * @param now monotonic, in nanoseconds
     */
    synchronized void failed(Object operation, String why, long now) {
        waiting.add(operation);
        if (!told) {
            told = true;
            since = now;
            counters.tell("a store fails, and is tried again: " + why);
        }
    }

    /** An operation got further: what it waited for is there again. */
    synchronized void passed(Object operation, long now) {
        if (waiting.remove(operation) && waiting.isEmpty() && told) {
            told = false;
            counters.tell("the store answers again, after %d s".formatted(TimeUnit.NANOSECONDS.toSeconds(now - since)));
        }
    }

    /** An operation was given up, or had passed already. The failure itself is told elsewhere. */
    synchronized void ended(Object operation) {
        if (waiting.remove(operation) && waiting.isEmpty()) {
            told = false;
        }
    }
}
