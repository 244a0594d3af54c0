package io.forebay.sidecar.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.message.Messages.ItemLease;
import io.forebay.message.Messages.StepRun;
import io.forebay.sidecar.buffer.BufferRoots;
import io.forebay.sidecar.journal.JournalFile;
import io.forebay.sidecar.journal.JournalRecord;
import io.forebay.sidecar.store.StoreException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of the buffers of dead workers when another one of their job starts on their machine. */
class DeadWorkersTest {
    private static final String JOB = "0a0a0a0a";

    @TempDir
    Path base;

    private Path tier;
    private Path control;
    private Set<String> durable = Set.of();

    @BeforeEach
    void dead() throws Exception {
        tier = Path.of(BufferRoots.disk(Map.of("FOREBAY_DISK", base.toString()), "job", "b1b1b1b1-0"));
        control = Path.of(tier + BufferPlace.CONTROL);
        BufferRoots.make(tier.toString());
        BufferRoots.make(control.toString());
        Files.writeString(tier.resolve("data"), "x".repeat(5000));
        Files.writeString(control.resolve("tiers"), tier + "\n");
        owner(JOB);
    }

    private void owner(String job) throws Exception {
        Files.writeString(control.resolve("owner"), job + "\na\n");
    }

    /** Its journal: an attempt at each item, computed. */
    private void computed(String... items) throws Exception {
        journal(true, items);
    }

    private void journal(boolean computed, String... items) throws Exception {
        try (var journal =
                JournalFile.open(control.resolve("journal")).recovered().journal()) {
            for (int i = 0; i < items.length; i++) {
                var lease = new ItemLease(i, items[i], 0, 1, "f" + i, List.of(), 0, false, List.of());
                journal.append(new JournalRecord.Admitted(lease, 0, "", "m" + i));
                if (computed) {
                    journal.append(
                            new JournalRecord.StepEnded(i, 0, 1, new StepRun("s", List.of("s"), 0, 0, 1, 1, 1, 1, "")));
                }
            }
        }
    }

    private List<String> sweep() throws Exception {
        return sweep("c2c2c2c2", items -> {
            var found = new HashSet<>(items);
            found.retainAll(durable);
            return found;
        });
    }

    private List<String> sweep(String own, DeadWorkers.Records records) throws Exception {
        return new DeadWorkers(JOB, own, records).sweep(Set.of(base.toString()));
    }

    private void assertKept() {
        assertThat(tier.resolve("data")).exists();
        assertThat(control).exists();
    }

    @Test
    @DisplayName("what a dead worker had is removed once all that it was at is durable elsewhere, and that is told")
    void removed() throws Exception {
        computed("i0", "i1");
        durable = Set.of("i0", "i1", "i2");

        assertThat(sweep()).singleElement().asString().contains("worker a").contains(tier.toString());
        assertThat(tier).doesNotExist();
        assertThat(control).doesNotExist();
    }

    @Test
    @DisplayName("R8 results of one item that is not durable keep all of it, and how they are published is told")
    void onlyCopy() throws Exception {
        computed("i0", "i1");
        durable = Set.of("i0");

        assertThat(sweep()).singleElement().asString().contains("kept").contains("--worker a");
        assertKept();
    }

    @Test
    @DisplayName("what was fetched and not computed stays too while its item is not durable: its worker may come back")
    void fetched() throws Exception {
        journal(false, "i0");

        assertThat(sweep()).isEmpty();
        assertKept();
    }

    @Test
    @DisplayName("R8 records that cannot be asked remove nothing")
    void recordsAway() throws Exception {
        computed("i0");

        assertThat(sweep("c2c2c2c2", items -> {
                    throw new StoreException(StoreException.Kind.TRANSIENT, "away");
                }))
                .singleElement()
                .asString()
                .contains("kept");
        assertKept();
    }

    @Test
    @DisplayName("R8 a journal that is damaged removes nothing")
    void damaged() throws Exception {
        computed("i0", "i1");
        durable = Set.of("i0", "i1");
        var journal = control.resolve("journal");
        var bytes = Files.readAllBytes(journal);
        bytes[bytes.length / 2] ^= 0x55;
        Files.write(journal, bytes);

        assertThat(sweep()).singleElement().asString().contains("kept").contains("damaged");
        assertKept();
    }

    @Test
    @DisplayName("a worker that lives, one's own earlier life, and another job's are left alone")
    void others() throws Exception {
        computed("i0");
        durable = Set.of("i0");
        try (var living = BufferRoots.use(control.toString())) {
            assertThat(sweep()).isEmpty();
        }
        assertThat(sweep("b1b1b1b1", items -> items)).isEmpty();
        owner("ffffffff");
        assertThat(sweep()).isEmpty();
        assertKept();
        owner(JOB);
        assertThat(sweep()).as("nothing else was in the way").hasSize(1);
    }
}
