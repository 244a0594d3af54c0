package io.forebay.operator.decide;

/** Something that the operator does to the cluster. Each may be repeated with the same effect. */
public sealed interface Move {
    /** Secret and Service, which coordinator and workers need. */
    record EnsureCommon() implements Move {}

    /** @param generation from 1 */
    record CreateCoordinator(int generation) implements Move {}

    /** @param pods completions and parallelism */
    record CreateWorkers(int pods) implements Move {}

    record ScaleWorkers(String name, int pods) implements Move {}

    record SetSuspend(String name, boolean suspend) implements Move {}

    /** With its pods; the Job stays until they have ended. */
    record DeleteJob(String name) implements Move {}

    /** The time that its owner set has passed. */
    record DeleteOwner() implements Move {}
}
