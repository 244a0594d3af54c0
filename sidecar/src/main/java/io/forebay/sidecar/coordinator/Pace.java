package io.forebay.sidecar.coordinator;

import io.forebay.message.Messages.Timing;

/** How long items took lately, over all workers: exponentially weighted means. Guarded by the core's lock. */
final class Pace {
    /** Weight of the newest item. */
    private static final double NEWEST = 0.2;

    private boolean known;
    private double fetchMillis;
    private double runMillis;

    /** An item is done. */
    void note(Timing timing) {
        double weight = known ? NEWEST : 1;
        fetchMillis += weight * (timing.fetchMillis() - fetchMillis);
        runMillis += weight * (timing.runMillis() - runMillis);
        known = true;
    }

    /** Whether any item has told. */
    boolean isKnown() {
        return known;
    }

    /** To have an item's inputs brought in. */
    double fetchMillis() {
        return fetchMillis;
    }

    /** To have its commands run. */
    double runMillis() {
        return runMillis;
    }
}
