/**
 * Moves the bytes of one file between a store and the buffer: parts, parallel ranged reads, retries, bytes in flight,
 * bandwidth and writer caps, checksums of chunks. Start at {@link io.forebay.sidecar.transfer.Transfers}. Not here: which file
 * is moved when: stage-in is {@code worker.FetchStage}, of outputs see {@code flush}.
 */
@org.jspecify.annotations.NullMarked
package io.forebay.sidecar.transfer;
