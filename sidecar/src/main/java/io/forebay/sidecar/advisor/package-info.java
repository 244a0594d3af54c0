/**
 * Whether a buffer is worth it for a job, computed from figures that are given; no part of a run. Published models of when a burst buffer pays, exactly, and advice from them: pure, no I/O. Start at {@link
 * io.forebay.sidecar.advisor.Advisor}. Not here: measuring a node or a store.
 *
 * <p>Sources: [P1] Hayot-Sasson, Brown, Glatard, "Performance evaluation of Big Data processing strategies for neuroimaging"
 * (2019); [P2] Hayot-Sasson, Glatard, Rokem, "The benefits of prefetching for large-scale cloud-based neuroimaging analysis
 * workflows" (2021); [P3] Hayot-Sasson, Dugré, Glatard, "Sea: a lightweight data-placement library for big data scientific
 * computing" (2022, 2024). What the Javadoc calls derived follows from them by algebra or simulation.
 *
 * <p>The models are homogeneous: amounts of data may be in any unit, the same throughout a model, with bandwidths in that
 * unit per second.
 */
@org.jspecify.annotations.NullMarked
package io.forebay.sidecar.advisor;
