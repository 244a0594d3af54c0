/**
 * Processes put together by hand from the engine's parts; nothing is decided here. {@link io.forebay.sidecar.local.JobRun} is the
 * coordinator's side of a job, {@link io.forebay.sidecar.local.WorkerSide} the worker's; {@link io.forebay.sidecar.local.LocalRun} has
 * both in one process: {@code forebay run}. A side in a process of its own: {@code io.forebay.sidecar.apart}.
 */
@org.jspecify.annotations.NullMarked
package io.forebay.sidecar.local;
