package io.forebay.sidecar.records;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.api.value.StoreUri;
import io.forebay.message.Messages.Unexported;
import io.forebay.sidecar.records.LogEntry.Completed;
import io.forebay.sidecar.records.LogEntry.Revoked;
import io.forebay.testing.RecordsMemoryStore;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** By these answers data of dead workers are removed: an item too many is a loss. */
class DurableItemsTest {
    private static final Set<String> ITEMS = Set.of("a", "b", "c");

    private final RecordsFolder folder = new RecordsFolder(
            new RecordsMemoryStore(),
            StoreUri.parse("s3://bucket/records/job/"),
            new StoreRetry(Duration.ZERO, new Random(1), d -> {}));
    private RecordLog log;

    @BeforeEach
    void claim() throws Exception {
        var succession = Succession.claim(
                folder,
                "job",
                new ProcessIdentity("host", 1, 11, "boot", "pid:[1]"),
                new Succession.Options(
                        Duration.ofSeconds(30), Duration.ZERO, false, InstantSource.system(), d -> {}, Patience.NONE));
        succession.sealHistory(type -> false, e -> {});
        log = succession.log();
    }

    private void write(LogEntry... entries) throws Exception {
        for (var entry : entries) {
            log.append(entry);
        }
        log.await(log.last());
    }

    private static Completed completed(String id, int attempt, Unexported... unexported) {
        return new Completed(
                id, "", 0, id, 0, attempt, "w", List.of(), List.of(), List.of(), List.of(unexported), null, 0);
    }

    private static Revoked revoked(String id, int attempt) {
        return new Revoked(id, id, 0, attempt, "it is gone", 0);
    }

    private Set<String> durable() throws Exception {
        return new DurableItems(folder).among(ITEMS);
    }

    @Test
    @DisplayName("D1 what verify --redo took back is not durable any more: the only copy may lie in a buffer again")
    void takenBack() throws Exception {
        write(completed("a", 1), completed("b", 1), revoked("a", 1));
        assertThat(durable()).containsExactly("b");
    }

    @Test
    @DisplayName(
            "D1 what was done again after it was taken back is durable; taking back an older record changes nothing")
    void doneAgain() throws Exception {
        write(completed("a", 1), revoked("a", 1), completed("a", 2), revoked("a", 1));
        assertThat(durable()).containsExactly("a");
    }

    @Test
    @DisplayName(
            "D1 a record that names outputs which are not exported makes no item durable, nor does another job's item")
    void unexported() throws Exception {
        write(
                completed("a", 1),
                completed("a", 2, new Unexported("a", "out", "f", "file:///f", 1, "full", null)),
                completed("z", 1));
        assertThat(durable()).isEmpty();
    }
}
