package io.forebay.sidecar.coordinator;

import io.forebay.sidecar.plan.PlanItem;

/** An item in a worker's hands. Guarded by the core's lock. */
final class Held {
    final int item;
    final PlanItem planned;
    final int generation;
    final int attempt;
    final WorkerState worker;
    /** It may run only while nothing else does there. */
    final boolean alone;

    final long leasedAtNanos;
    /** A renewal has named it: later ones that do not say that the worker gave it up. */
    boolean confirmed;
    /** It was asked back, for a worker that has nothing to do. */
    boolean recalled;

    Held(
            int item,
            PlanItem planned,
            int generation,
            int attempt,
            WorkerState worker,
            boolean alone,
            long leasedAtNanos) {
        this.item = item;
        this.planned = planned;
        this.generation = generation;
        this.attempt = attempt;
        this.worker = worker;
        this.alone = alone;
        this.leasedAtNanos = leasedAtNanos;
    }
}
