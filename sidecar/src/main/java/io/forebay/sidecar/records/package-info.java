/**
 * The truth on the shared store: plan, intents, completion records, {@code UNEXPORTED.jsonl}; generations of coordinators that
 * fence each other. Not here: decisions.
 */
@org.jspecify.annotations.NullMarked
package io.forebay.sidecar.records;
