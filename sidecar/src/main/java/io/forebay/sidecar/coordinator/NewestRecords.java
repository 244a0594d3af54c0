package io.forebay.sidecar.coordinator;

import io.forebay.message.Messages.StagedOutput;
import io.forebay.message.Messages.Unexported;
import io.forebay.sidecar.coordinator.JobRecords.Recorded;
import io.forebay.sidecar.coordinator.JobRecords.Sink;
import io.forebay.sidecar.coordinator.JobRecords.Standing;
import io.forebay.sidecar.plan.PlanStore;
import io.forebay.sidecar.records.History;
import io.forebay.sidecar.records.LogEntry;
import io.forebay.sidecar.records.LogEntry.Completed;
import io.forebay.sidecar.records.LogEntry.Failed;
import io.forebay.sidecar.records.LogEntry.Planned;
import io.forebay.sidecar.records.LogEntry.Revoked;
import io.forebay.sidecar.records.RecordsDamagedException;
import io.forebay.sidecar.records.RecordsFolder;
import io.forebay.sidecar.spool.HashTable;
import io.forebay.sidecar.store.StoreException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Of each item, by its key, what its newest record says. Used once. */
final class NewestRecords implements AutoCloseable {
    private static final Set<String> RECORDS = Set.of("completed", "failed", "revoked", "planned");

    private final History history;
    private final RecordsFolder folder;
    private final Path scratch;
    /** By key: number of the record that counts. */
    private final HashTable newest;
    /** By key: 1 if outputs of it are not exported, as its last record says; 0 if they were once. */
    private final HashTable unexported;
    /** Final names of newest records. */
    private final HashTable names;
    /** Keys of items that are to be done again, or exported. */
    private final HashTable unfinished;

    private @Nullable Planned planned;
    private int count;
    private boolean anyUnfinished;

    NewestRecords(History history, RecordsFolder folder, Path scratch) {
        this.history = history;
        this.folder = folder;
        this.scratch = scratch;
        this.newest = new HashTable(scratch);
        this.unexported = new HashTable(scratch);
        this.names = new HashTable(scratch);
        this.unfinished = new HashTable(scratch);
    }

    /** @return number of records that name outputs, or that a complete item has */
    long tell(Sink sink) throws StoreException, RecordsDamagedException, IOException, InterruptedException {
        history.replay(RECORDS::contains, this::learn);
        var current = anyUnfinished ? lastPlan() : null;
        var next = new int[1];
        var told = new long[2];
        history.replay(RECORDS::contains, entry -> {
            var recorded = recorded(entry);
            if (recorded == null || newest.owner(recorded.key()) != next[0]++) {
                return;
            }
            told[0]++;
            recorded.outputs().forEach(o -> names.put(o.finalUri(), 1));
            boolean waits = switch (recorded.standing()) {
                case REVOKED, UNEXPORTED -> true;
                case COMPLETE, FAILED, DROPPED -> false;
            };
            if (recorded.standing() == Standing.COMPLETE || !recorded.outputs().isEmpty()) {
                told[1]++;
            }
            if (waits && current != null && current.find(recorded.id()) < 0) {
                sink.accept(as(Standing.DROPPED, recorded));
                return;
            }
            if (waits) {
                unfinished.put(recorded.key(), 1);
            }
            sink.accept(recorded);
        });
        if (told[0] < count) {
            former(sink);
        }
        return told[1];
    }

    private void learn(LogEntry entry) {
        if (entry instanceof Planned p) {
            planned = p;
        }
        var recorded = recorded(entry);
        if (recorded == null) {
            return;
        }
        boolean waited = unexported.owner(recorded.key()) == 1;
        boolean waits = recorded.standing() == Standing.UNEXPORTED;
        if (waits || waited) {
            unexported.put(recorded.key(), waits ? 1 : 0);
        }
        anyUnfinished |= waits || recorded.standing() == Standing.REVOKED;
        // A failure that left nothing says nothing of what older records name, but that nothing waits to be exported.
        if (waited
                || recorded.standing() != Standing.FAILED
                || !recorded.outputs().isEmpty()) {
            newest.put(recorded.key(), count);
        }
        count++;
    }

    private @Nullable ItemTable lastPlan()
            throws StoreException, RecordsDamagedException, IOException, InterruptedException {
        if (planned == null) {
            return null;
        }
        try (var plan = PlanStore.read(folder, planned, scratch)) {
            var table = new ItemTable();
            for (int i = 0; i < plan.size(); i++) {
                table.add(plan.idOf(i));
            }
            return table;
        }
    }

    /** Not those of items that wait to be done: they will have their names again. */
    private void former(Sink sink) throws StoreException, RecordsDamagedException, InterruptedException {
        var next = new int[1];
        history.replay(RECORDS::contains, entry -> {
            var recorded = recorded(entry);
            if (recorded == null
                    || newest.owner(recorded.key()) == next[0]++
                    || unfinished.owner(recorded.key()) >= 0) {
                return;
            }
            for (var output : recorded.outputs()) {
                if (names.add(output.finalUri(), 1)) {
                    sink.former(recorded.key(), output);
                }
            }
        });
    }

    private static Recorded as(Standing standing, Recorded r) {
        return new Recorded(r.key(), r.id(), r.generation(), r.attempt(), standing, r.outputs());
    }

    private static @Nullable Recorded recorded(LogEntry entry) {
        return switch (entry) {
            case Completed e ->
                new Recorded(
                        e.key(),
                        e.id(),
                        e.generation(),
                        e.attempt(),
                        e.unexported().isEmpty() ? Standing.COMPLETE : Standing.UNEXPORTED,
                        without(e.unexported(), e.outputs()));
            case Failed e ->
                e.last()
                        ? new Recorded(
                                e.key(),
                                e.id(),
                                e.generation(),
                                e.attempt(),
                                e.unexported().isEmpty() ? Standing.FAILED : Standing.UNEXPORTED,
                                without(e.unexported(), e.published()))
                        : null;
            case Revoked e -> new Recorded(e.key(), e.id(), e.generation(), e.attempt(), Standing.REVOKED, List.of());
            case LogEntry.Started _,
                    LogEntry.StartFailed _,
                    Planned _,
                    LogEntry.Ended _,
                    LogEntry.Staged _,
                    LogEntry.Intent _,
                    LogEntry.Fenced _,
                    LogEntry.Cleaned _,
                    LogEntry.Settled _,
                    LogEntry.NewGeneration _ -> null;
        };
    }

    /** What is decided is on record as the item's, also where publishing it failed: then it is listed as not exported. */
    private static List<StagedOutput> without(List<Unexported> unexported, List<StagedOutput> outputs) {
        if (unexported.isEmpty()) {
            return outputs;
        }
        var missing = new HashSet<String>();
        unexported.forEach(u -> missing.add(u.to()));
        return outputs.stream().filter(o -> !missing.contains(o.finalUri())).toList();
    }

    @Override
    public void close() {
        newest.close();
        unexported.close();
        names.close();
        unfinished.close();
    }
}
