package io.forebay.sidecar.records;

import io.forebay.api.value.StoreUri;
import io.forebay.sidecar.records.LogEntry.Completed;
import io.forebay.sidecar.records.LogEntry.Revoked;
import io.forebay.sidecar.records.LogEntry.Started;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.Stores;
import java.time.Duration;
import java.util.HashMap;
import java.util.Set;

/** Which items of a job need nothing any more, as its records say now; also while the job runs. */
public final class DurableItems {
    private final RecordsFolder folder;

    DurableItems(RecordsFolder folder) {
        this.folder = folder;
    }

    /** @param records {@code spec.records}, the folder above the job's own @param patience with a store that is away */
    public static DurableItems of(StoreUri records, String jobName, Stores stores, Duration patience)
            throws StoreException {
        var uri = RecordsFolder.uriOf(records, jobName);
        return new DurableItems(new RecordsFolder(stores.at(uri), uri, StoreRetry.patient(patience)));
    }

    /**
     * @param items identities, hexadecimal
     * @return those with a completion record that counts, and no output of which is left unexported
     * @throws RecordsDamagedException they do not say what they once said
     */
    public Set<String> among(Set<String> items) throws StoreException, RecordsDamagedException, InterruptedException {
        var found = new HashMap<String, Completion>();
        History.of(folder).replay(Set.of("started", "completed", "revoked")::contains, entry -> {
            switch (entry) {
                case Started e when e.fresh() -> found.clear();
                case Completed e
                when items.contains(e.id()) -> {
                    if (e.unexported().isEmpty()) {
                        found.put(e.id(), new Completion(e.generation(), e.attempt()));
                    } else {
                        found.remove(e.id());
                    }
                }
                case Revoked e -> found.remove(e.id(), new Completion(e.generation(), e.attempt()));
                default -> {}
            }
        });
        return found.keySet();
    }

    private record Completion(int generation, int attempt) {}
}
