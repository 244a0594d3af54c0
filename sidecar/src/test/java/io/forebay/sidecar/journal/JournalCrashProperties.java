package io.forebay.sidecar.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.sidecar.journal.JournalWriter.Entry;
import io.forebay.sidecar.journal.JournalWriter.Tuning;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.statistics.Statistics;

/** Power cuts at every call, with any sectors lost: what was acknowledged is there, and nothing is there that never was. */
class JournalCrashProperties {
    /** Small, so that a few records fill the zeros, and compaction comes often. */
    private static final Tuning SMALL = new Tuning(4096, 700, 2048);

    @Property(tries = 3000)
    @Label("records acknowledged before a power cut at any call are recovered")
    void keepsWhatWasAcknowledged(@ForAll long seed) throws IOException {
        var random = new Random(seed);
        var folder = new LossyFolder();
        var written = new ArrayList<JournalRecord>();
        for (int life = 0; life < 4; life++) {
            folder.cutPowerAfter(random.nextInt(life == 0 ? 120 : 60));
            int[] acknowledged = {life == 0 ? 0 : written.size()};
            try {
                live(folder, random, written, acknowledged);
            } catch (LossyFolder.PowerCut e) {
                // The next life begins.
            }
            folder.restart(random);
            var recovered = recover(folder);
            assertThat(isLifeOfAPrefix(written, acknowledged[0], recovered))
                    .as(
                            "recovered %d records; %d written, %d of them acknowledged",
                            recovered.size(), written.size(), acknowledged[0])
                    .isTrue();
            written = new ArrayList<>(recovered);
        }
        Statistics.label("compaction begun").coverage(c -> c.check(true).count(n -> n > 500));
    }

    /** Reads without changing anything that lasts: the next life does it again. */
    private static List<JournalRecord> recover(LossyFolder folder) throws IOException {
        var records = new ArrayList<JournalRecord>();
        JournalRecovery.run(folder, "journal", SMALL, OnDamage.REFUSE, records::add)
                .writer()
                .close();
        return records;
    }

    private static void live(LossyFolder folder, Random random, List<JournalRecord> written, int[] acknowledged)
            throws IOException {
        var writer = JournalRecovery.run(folder, "journal", SMALL, OnDamage.REFUSE, r -> {})
                .writer();
        while (true) {
            var batch = new ArrayList<Entry>();
            for (int n = 1 + random.nextInt(6); n > 0; n--) {
                int item = random.nextInt(4);
                var r = random.nextInt(3) == 0
                        ? new JournalRecord.Over(item, 1, 1)
                        : SomeRecords.admitted(random, item, 1, 1);
                written.add(r);
                batch.add(new Entry(r));
            }
            writer.write(batch);
            writer.sync();
            acknowledged[0] = written.size();
            int files = folder.created;
            try {
                writer.compactIfWorthwhile();
            } finally {
                Statistics.label("compaction begun").collect(folder.created > files);
            }
        }
    }

    /** Whether the records are what is alive after some first part of those written, with all acknowledged ones in it. */
    private static boolean isLifeOfAPrefix(
            List<JournalRecord> written, int acknowledged, List<JournalRecord> recovered) {
        for (int n = acknowledged; n <= written.size(); n++) {
            if (SomeRecords.alive(written.subList(0, n)).equals(recovered)) {
                return true;
            }
        }
        return false;
    }

    @Property(tries = 300)
    @Label("C5 a byte changed anywhere is found, or cuts the last record; a record is never wrong")
    void findsChangedBytes(@ForAll long seed) throws IOException {
        var random = new Random(seed);
        var folder = new LossyFolder();
        var written = new ArrayList<JournalRecord>();
        var writer = JournalRecovery.run(folder, "journal", SMALL, OnDamage.REFUSE, r -> {})
                .writer();
        for (int i = 2 + random.nextInt(20); i > 0; i--) {
            var r = SomeRecords.admitted(random, i, 1, 1);
            written.add(r);
            writer.write(List.of(new Entry(r)));
            writer.sync();
        }
        var bytes = folder.bytes("journal");
        int at = random.nextInt(bytes.length);
        bytes[at] ^= (byte) (1 + random.nextInt(255));
        var all = SomeRecords.alive(written);
        try {
            var recovered = recover(folder);
            assertThat(recovered.equals(all) || recovered.equals(all.subList(0, all.size() - 1)))
                    .isTrue();
        } catch (JournalException e) {
            assertThat(e.kind()).isEqualTo(JournalException.Kind.DAMAGED);
            assertThat(e.offset()).isBetween(0L, (long) at);
            assertThat(e).hasMessageContaining("/lossy/journal").hasMessageContaining("byte " + e.offset());
            var salvaged = new ArrayList<JournalRecord>();
            var recovery = JournalRecovery.run(folder, "journal", SMALL, OnDamage.SALVAGE, salvaged::add);
            assertThat(recovery.lostBytes()).isPositive();
            assertThat(all).containsAll(salvaged);
            assertThat(salvaged.size()).isEqualTo(at < JournalFormat.HEADER_BYTES ? 0 : all.size() - 1);
            assertThat(folder.exists("journal.damaged")).isTrue();
            assertThat(recover(folder)).as("the new file is sound").isEqualTo(salvaged);
        }
    }

    @Property(tries = 300)
    @Label("C5 cut at any byte: what is whole before it is recovered")
    void survivesACutAnywhere(@ForAll long seed) throws IOException {
        var random = new Random(seed);
        var folder = new LossyFolder();
        var written = new ArrayList<JournalRecord>();
        var writer = JournalRecovery.run(folder, "journal", SMALL, OnDamage.REFUSE, r -> {})
                .writer();
        var ends = new ArrayList<Long>();
        for (int i = 1 + random.nextInt(20); i > 0; i--) {
            var r = SomeRecords.admitted(random, i, 1, 1);
            written.add(r);
            writer.write(List.of(new Entry(r)));
            writer.sync();
            writer.finish();
            ends.add((long) folder.bytes("journal").length);
        }
        int size = random.nextInt(folder.bytes("journal").length + 1);
        try (var file = folder.open("journal")) {
            file.truncate(size);
        }
        int whole = (int) ends.stream().filter(e -> e <= size).count();
        var records = new ArrayList<JournalRecord>();
        var recovery = JournalRecovery.run(folder, "journal", SMALL, OnDamage.REFUSE, records::add);
        assertThat(records).isEqualTo(written.subList(0, whole));
        long kept = whole == 0 ? Math.min(size, JournalFormat.HEADER_BYTES) : ends.get(whole - 1);
        assertThat(recovery.cutBytes())
                .isBetween(size - kept - 8, size <= JournalFormat.HEADER_BYTES ? size : size - kept);
    }
}
