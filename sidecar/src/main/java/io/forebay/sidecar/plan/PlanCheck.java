package io.forebay.sidecar.plan;

import io.forebay.sidecar.outcome.CoordinatorException;

/** What somebody else has to say of a new plan, before it is written down and becomes the job's. */
@FunctionalInterface
public interface PlanCheck {
    /** Says nothing. */
    PlanCheck NONE = plan -> {};

    /** @throws CoordinatorException the run must not begin with it; the job's earlier plan stays what it is */
    void look(Plan plan) throws CoordinatorException, InterruptedException;
}
