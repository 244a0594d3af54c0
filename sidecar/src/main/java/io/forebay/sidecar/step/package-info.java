/**
 * Running the commands of steps: the protocol with the step runner (a static C program that lives in the step's container),
 * and an in-process runner behind the same interface where there is no C program. Start at {@link
 * io.forebay.sidecar.step.StepHost}. Not here: which item runs when.
 */
@org.jspecify.annotations.NullMarked
package io.forebay.sidecar.step;
