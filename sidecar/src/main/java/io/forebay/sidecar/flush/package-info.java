/** When an output file is stable, in which order files leave, and their staging at the destination, still invisible. */
@org.jspecify.annotations.NullMarked
package io.forebay.sidecar.flush;
