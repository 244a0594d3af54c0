/**
 * When an output file is stable, in which order files leave, and their staging at the destination, still invisible. The other direction,
 * stage-in, has no such questions, so no package: it is {@code worker.FetchStage} over {@code transfer}.
 */
@org.jspecify.annotations.NullMarked
package io.forebay.sidecar.flush;
