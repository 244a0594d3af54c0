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
import io.forebay.sidecar.records.LogEntry.Failed;
import io.forebay.sidecar.records.LogEntry.Planned;
import io.forebay.sidecar.records.LogEntry.Started;
import io.forebay.sidecar.records.RecordsDamagedException;
import io.forebay.sidecar.records.RecordsFolder;
import io.forebay.sidecar.records.StoreRetry;
import io.forebay.sidecar.spool.HashTable;
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
     * @param items in the plan; 0: not planned
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
            long unexportedBytes) {}

    /**
     * Outputs that an item has at their final names, as its newest record says.
     *
     * @param complete false: of an item that failed ({@code when: Failure}, {@code OnClose})
     */
    public record Recorded(String key, String id, int attempt, boolean complete, List<StagedOutput> outputs) {}

    /** Gets records in the order in which they were written. */
    @FunctionalInterface
    public interface Sink {
        void accept(Recorded record) throws StoreException, InterruptedException;
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
        history.replay(Set.of("started", "planned", "ended")::contains, run::see);
        var planned = run.planned;
        if (planned == null) {
            return new Status(
                    Optional.ofNullable(history.last()),
                    run.startedAt(),
                    Optional.empty(),
                    "",
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
                    0);
        }
        try (var plan = PlanStore.read(folder, planned, scratch);
                var truth = new Truth(plan, scratch)) {
            var recovery = new Recovery(truth);
            history.replayLines(recovery::apply);
            recovery.finish();
            var t = truth.table;
            var ended = run.ended;
            return new Status(
                    Optional.ofNullable(history.last()),
                    run.startedAt(),
                    Optional.ofNullable(ended).map(Ended::code),
                    ended == null ? "" : ended.cause(),
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
                    ended == null ? truth.tally.unexportedCount() : ended.unexported(),
                    ended == null ? truth.tally.unexportedBytes() : ended.unexportedBytes());
        }
    }

    /** Calls the sink with each key's newest record. @return number of records */
    public long recorded(Sink sink) throws StoreException, RecordsDamagedException, InterruptedException {
        try (var newest = new HashTable(scratch)) {
            return recorded(History.of(folder), newest, sink);
        }
    }

    private static long recorded(History history, HashTable newest, Sink sink)
            throws StoreException, RecordsDamagedException, InterruptedException {
        var count = new int[1];
        history.replay(Set.of("completed", "failed")::contains, entry -> {
            var recorded = recorded(entry);
            if (recorded != null) {
                newest.put(recorded.key(), count[0]++);
            }
        });
        var total = new int[] {0, 0};
        history.replay(Set.of("completed", "failed")::contains, entry -> {
            var recorded = recorded(entry);
            if (recorded != null && newest.owner(recorded.key()) == total[0]++) {
                total[1]++;
                sink.accept(recorded);
            }
        });
        return total[1];
    }

    private static @Nullable Recorded recorded(LogEntry entry) {
        return switch (entry) {
            case Completed e -> new Recorded(e.key(), e.id(), e.attempt(), true, e.outputs());
            case Failed e ->
                e.last() && !e.published().isEmpty()
                        ? new Recorded(e.key(), e.id(), e.attempt(), false, e.published())
                        : null;
            case Started _,
                    Planned _,
                    Ended _,
                    LogEntry.Staged _,
                    LogEntry.Intent _,
                    LogEntry.Fenced _,
                    LogEntry.Cleaned _,
                    LogEntry.Settled _,
                    LogEntry.NewGeneration _ -> null;
        };
    }

    /** The last run, as the log says. */
    private static final class Run {
        private @Nullable Started started;
        private @Nullable Planned planned;
        private @Nullable Ended ended;

        void see(LogEntry entry) {
            switch (entry) {
                case Started e -> {
                    started = e;
                    ended = null;
                }
                case Planned e -> planned = e;
                case Ended e -> ended = e;
                case Completed _,
                        Failed _,
                        LogEntry.Staged _,
                        LogEntry.Intent _,
                        LogEntry.Fenced _,
                        LogEntry.Cleaned _,
                        LogEntry.Settled _,
                        LogEntry.NewGeneration _ -> {}
            }
        }

        long startedAt() {
            return started == null ? 0 : started.runStartedAt();
        }
    }
}
