/**
 * Lists, hash tables and sorting that live in scratch files instead of the heap, so that a job of a million files fits into it. Gone when the
 * process ends. Not here: anything durable (see {@code journal} and {@code records}).
 */
@org.jspecify.annotations.NullMarked
package io.forebay.sidecar.spool;
