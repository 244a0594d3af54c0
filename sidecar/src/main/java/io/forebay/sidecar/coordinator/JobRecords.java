package io.forebay.sidecar.coordinator;

import io.forebay.api.value.StoreUri;
import io.forebay.message.Messages.StagedOutput;
import io.forebay.sidecar.item.ItemState;
import io.forebay.sidecar.plan.PlanStore;
import io.forebay.sidecar.records.Claim;
import io.forebay.sidecar.records.History;
import io.forebay.sidecar.records.LogEntry;
import io.forebay.sidecar.records.LogEntry.Completed;
import io.forebay.sidecar.records.LogEntry.Ended;
import io.forebay.sidecar.records.LogEntry.Planned;
import io.forebay.sidecar.records.LogEntry.Revoked;
import io.forebay.sidecar.records.LogEntry.StartFailed;
import io.forebay.sidecar.records.LogEntry.Started;
import io.forebay.sidecar.records.RecordsDamagedException;
import io.forebay.sidecar.records.RecordsFolder;
import io.forebay.sidecar.records.StoreRetry;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.Stores;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads a job's records beside whoever writes them: for {@code status} and {@code verify}. Streams; changes nothing. */
public final class JobRecords {
    /**
     * @param coordinator the last one; absent: the job was never started
     * @param startedAt of the last run, milliseconds since 1970 UTC
     * @param exitCode of the last run; empty: it has not ended, or was cut off
     * @param cause why it ended so; empty: no more is known
     * @param items in the plan; 0: not planned
     * @param unexportedByList the run was cut off, and that is what its list names, as of when it was written
     * @param revoked items found damaged since, which the next run does again
     * @param decided items whose outputs are decided and not yet known to be published
     */
    public record Status(
            Optional<Claim> coordinator,
            long startedAt,
            Optional<Integer> exitCode,
            String cause,
            long items,
            long done,
            long failed,
            long decided,
            long unfinished,
            long files,
            long bytes,
            long leftOut,
            long unusable,
            Map<String, Long> failedByReason,
            List<Summary.FailedItem> failures,
            long unexported,
            long unexportedBytes,
            boolean unexportedByList,
            long revoked) {}

    /** What a record says of its item. */
    public enum Standing {
        COMPLETE,
        /** It failed, and has outputs nevertheless ({@code when: Failure}, {@code OnClose}). */
        FAILED,
        /** It failed, and outputs of it wait to be exported; they are not named. What it has at final names nevertheless is. */
        UNEXPORTED,
        /** It was complete; its outputs were found damaged, and it has not been done again since. They are not named. */
        REVOKED,
        /** {@link #REVOKED} or {@link #UNEXPORTED}, and the job's last plan does not have it: no run makes it again. */
        DROPPED
    }

    /** Outputs that an item has at their final names, as its newest record says. */
    public record Recorded(
            String key, String id, int generation, int attempt, Standing standing, List<StagedOutput> outputs) {}

    /** Gets records in the order in which they were written. */
    public interface Sink {
        void accept(Recorded record) throws StoreException, InterruptedException;

        /**
         * After all of them: an output that only an older record of an item names, as when the job had another manifest. Once for each
         * final name.
         */
        void former(String key, StagedOutput output) throws StoreException, InterruptedException;
    }

    private final RecordsFolder folder;
    private final Path scratch;

    private JobRecords(RecordsFolder folder, Path scratch) {
        this.folder = folder;
        this.scratch = scratch;
    }

    /** @param records {@code spec.records}, the folder above the job's own @param scratch a local folder, writable */
    public static JobRecords of(StoreUri records, String jobName, Stores stores, Path scratch) throws StoreException {
        var uri = RecordsFolder.uriOf(records, jobName);
        return new JobRecords(
                new RecordsFolder(stores.at(uri), uri, StoreRetry.patient(CoordinatorOptions.PATIENCE)), scratch);
    }

    /** Whether the job was ever started. @throws RecordsDamagedException they do not say what they once said */
    public boolean exist() throws StoreException, RecordsDamagedException, InterruptedException {
        return History.of(folder).last() != null;
    }

    /** @throws RecordsDamagedException they do not say what they once said */
    public Status status() throws StoreException, RecordsDamagedException, IOException, InterruptedException {
        var history = History.of(folder);
        var run = new Run();
        history.replay(Set.of("started", "startfailed", "planned", "ended", "revoked")::contains, run::see);
        var planned = run.planned;
        if (planned == null) {
            return new Status(
                    Optional.ofNullable(history.last()),
                    run.startedAt(history.last()),
                    run.exitCode(),
                    run.cause(),
                    0,
                    0,
                    0,
                    0,
                    0,
                    0,
                    0,
                    0,
                    0,
                    Map.of(),
                    List.of(),
                    0,
                    0,
                    false,
                    run.revoked);
        }
        try (var plan = PlanStore.read(folder, planned, scratch);
                var truth = new Truth(plan, scratch)) {
            var recovery = new Recovery(truth);
            history.replayLines(recovery::apply);
            recovery.finish();
            var t = truth.table;
            var ended = run.ended;
            var listed = run.exitCode().isPresent() ? UnexportedList.Named.NOTHING : UnexportedList.named(folder);
            boolean byList = listed.count() > truth.tally.unexportedCount();
            return new Status(
                    Optional.ofNullable(history.last()),
                    run.startedAt(history.last()),
                    run.exitCode(),
                    run.cause(),
                    t.size(),
                    t.count(ItemState.DONE),
                    t.count(ItemState.FAILED) - truth.tally.cancelled(),
                    t.count(ItemState.COMMITTING),
                    t.size() - t.endedCount() + truth.tally.cancelled(),
                    planned.files(),
                    planned.bytes(),
                    planned.outsideGroups(),
                    planned.unusable(),
                    truth.tally.byReason(),
                    truth.tally.named(),
                    byList ? listed.count() : ended == null ? truth.tally.unexportedCount() : ended.unexported(),
                    byList ? listed.bytes() : ended == null ? truth.tally.unexportedBytes() : ended.unexportedBytes(),
                    byList,
                    run.revoked);
        }
    }

    /** Calls the sink with each key's newest record, then with what older ones name. @return number of those that name outputs */
    public long recorded(Sink sink) throws StoreException, RecordsDamagedException, IOException, InterruptedException {
        try (var newest = new NewestRecords(History.of(folder), folder, scratch)) {
            return newest.tell(sink);
        }
    }

    /** The last run, as the log says. */
    private static final class Run {
        private @Nullable Started started;
        private @Nullable Planned planned;
        private @Nullable Ended ended;
        private @Nullable StartFailed startFailed;
        private long revoked;

        void see(LogEntry entry) {
            switch (entry) {
                case Started e -> {
                    started = e;
                    startFailed = null;
                    ended = null;
                    revoked = 0;
                }
                case StartFailed e -> {
                    startFailed = e;
                    ended = null;
                }
                case Revoked _ -> revoked++;
                case Planned e -> planned = e;
                case Ended e -> ended = e;
                case Completed _,
                        LogEntry.Failed _,
                        LogEntry.Staged _,
                        LogEntry.Intent _,
                        LogEntry.Fenced _,
                        LogEntry.Cleaned _,
                        LogEntry.Settled _,
                        LogEntry.NewGeneration _ -> {}
            }
        }

        /** @param last whoever has not said when its run began has begun it itself */
        long startedAt(@Nullable Claim last) {
            if (started != null && startFailed == null) {
                return started.runStartedAt();
            }
            return last == null ? 0 : last.startedAt();
        }

        Optional<Integer> exitCode() {
            return startFailed != null
                    ? Optional.of(startFailed.code())
                    : Optional.ofNullable(ended).map(Ended::code);
        }

        String cause() {
            return startFailed != null ? startFailed.message() : ended == null ? "" : ended.cause();
        }
    }
}
