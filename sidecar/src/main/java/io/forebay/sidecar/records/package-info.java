/**
 * The truth on the shared store: plan, intents, completion records, {@code UNEXPORTED.jsonl}; generations of coordinators that
 * fence each other. Not here: decisions.
 *
 * <p>Start at {@link io.forebay.sidecar.records.Succession}, a coordinator's place in the row, and {@link
 * io.forebay.sidecar.records.RecordLog}, its log. {@link io.forebay.sidecar.records.RecordsFolder} has the names on the store, {@link
 * io.forebay.sidecar.records.LogFormat} the bytes. A log is one file ({@code FileLogSink}) or, on S3, objects ({@code
 * ObjectLogSink} writes them, {@code LogMerger} merges them, {@code ObjectLogReader} reads them while all that goes on);
 * {@link io.forebay.sidecar.records.History} reads the logs of all coordinators, as far as they count.
 */
@org.jspecify.annotations.NullMarked
package io.forebay.sidecar.records;
