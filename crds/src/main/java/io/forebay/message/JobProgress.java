package io.forebay.message;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where a run is: what a coordinator's page {@code /status} says, as JSON. Figures are as old as the workers' last renewals, a sixth of a lease.
 *
 * <p>In every phase but Planning the plan is known: {@code items - skipped} are to be run, by no more workers than that divided by their
 * slots. With nothing to run the coordinator ends by itself.
 *
 * @param phase Planning, Recovering (planned; an earlier coordinator's workers have time to report, nothing is leased yet), Running,
 *     Draining or Ended
 * @param generation of the coordinator
 * @param items planned
 * @param done items whose outputs are all durable, those of earlier runs included
 * @param skipped of these: done by earlier runs
 * @param failed items that have failed for good
 * @param running items held by workers, in whatever state
 * @param totalBytes, totalFiles: of the inputs that are planned
 * @param bytesStaged, filesStaged, bytesFlushed, filesFlushed: sums over workers since the start of this coordinator
 * @param retries requests to stores that were repeated, as the sums above
 * @param itemRetries attempts that did not end an item, so that it is run again; since the start of this coordinator
 * @param unexported, unexportedBytes: outputs that could not be written back; listed in UNEXPORTED.jsonl
 * @param workers that renewed within their lease
 * @param bufferUsed, bufferSize, dirtyBytes: bytes in the buffers of the workers that live, as they renewed last; dirty: reserved for what is
 *     not written back yet or still comes
 * @param lastMessage of the coordinator or a worker
 * @param lastMessageAt milliseconds since 1970 UTC; 0: none
 * @param records folder with the run's plan and records
 * @param errors the first failed items, 20 at most, one line of at most 300 characters each
 * @param rates absent: not measured
 * @param end how it ended; absent: it has not, or that is not known yet
 */
public record JobProgress(
        String phase,
        int generation,
        long items,
        long done,
        long skipped,
        long failed,
        long running,
        long pending,
        long totalBytes,
        long totalFiles,
        long bytesStaged,
        long filesStaged,
        long bytesFlushed,
        long filesFlushed,
        long retries,
        long itemRetries,
        long unexported,
        long unexportedBytes,
        int workers,
        long bufferUsed,
        long bufferSize,
        long dirtyBytes,
        @Nullable String lastMessage,
        long lastMessageAt,
        String records,
        List<String> errors,
        @Nullable Rates rates,
        @Nullable JobEnd end) {
    /** @param itemsPerMinute ended in this run, on average since its start; the others over the last ten seconds */
    public record Rates(long stagedBytesPerSecond, long flushedBytesPerSecond, double itemsPerMinute) {}

    public JobProgress {
        errors = errors == null ? List.of() : List.copyOf(errors);
    }

    /** Nothing is known yet but who plans. */
    public static JobProgress planning(int generation, String records) {
        return new JobProgress(
                "Planning",
                generation,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                null,
                0,
                records,
                List.of(),
                null,
                null);
    }

    public JobProgress with(@Nullable Rates now, @Nullable JobEnd ended) {
        return new JobProgress(
                phase,
                generation,
                items,
                done,
                skipped,
                failed,
                running,
                pending,
                totalBytes,
                totalFiles,
                bytesStaged,
                filesStaged,
                bytesFlushed,
                filesFlushed,
                retries,
                itemRetries,
                unexported,
                unexportedBytes,
                workers,
                bufferUsed,
                bufferSize,
                dirtyBytes,
                lastMessage,
                lastMessageAt,
                records,
                errors,
                now,
                ended);
    }
}
