/**
 * The worker's memory across a kill: append-only, checksummed, durable before anything is acted on. Start at {@link
 * io.forebay.sidecar.journal.Journal}. Not here: what the records make the worker do.
 */
@org.jspecify.annotations.NullMarked
package io.forebay.sidecar.journal;
