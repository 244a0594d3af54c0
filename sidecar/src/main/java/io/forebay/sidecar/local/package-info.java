/**
 * Coordinator, worker and step runners in one process: what {@code forebay run} is. Start at {@link
 * io.forebay.sidecar.local.LocalRun}. Everything is wired here by hand; nothing is decided here.
 */
@org.jspecify.annotations.NullMarked
package io.forebay.sidecar.local;
