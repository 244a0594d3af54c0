/**
 * The operator: one {@link io.forebay.operator.reconcile.PipelineJobReconciler} watches PipelineJobs. What is there is gathered in {@link
 * io.forebay.operator.observe}, what is to be done is decided in {@link io.forebay.operator.decide} (pure), what is made is built in {@link
 * io.forebay.operator.children} (pure). It never touches a user's data, nor reads a Secret.
 */
@org.jspecify.annotations.NullMarked
package io.forebay.operator;
