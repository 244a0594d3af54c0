/**
 * What a whole command ends with: its exit code (which of several wins), and the exception that refuses a job before anything starts,
 * carrying one. Not here: how an item ends (see {@code item}), and the words of a summary (see {@code local}).
 */
@org.jspecify.annotations.NullMarked
package io.forebay.sidecar.outcome;
