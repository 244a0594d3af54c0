package io.forebay.sidecar.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.sidecar.journal.JournalWriter.Tuning;
import io.forebay.testing.Wait;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JournalFileTest {
    private final Random random = new Random(42);

    @TempDir
    Path folder;

    private Path file() {
        return folder.resolve("journal");
    }

    private JournalRecord admitted(long item) {
        return SomeRecords.admitted(random, item, 1, 1);
    }

    @Test
    void givesBackWhatWasAppendedInOrderButForAttemptsThatAreOver() throws IOException {
        var kept = List.of(admitted(1), new JournalRecord.Fetched(1, 1, 1, List.of(7L)), admitted(3));
        try (var journal = JournalFile.open(file()).journal()) {
            journal.append(kept.get(0));
            journal.append(admitted(2));
            journal.append(kept.get(1));
            journal.append(new JournalRecord.Over(2, 1, 1));
            journal.append(kept.get(2));
        }
        var again = JournalFile.open(file());
        try (var journal = again.journal()) {
            assertThat(again.records()).isEqualTo(kept);
            assertThat(again.recovered().cutBytes()).isZero();
            assertThat(again.recovered().damaged()).isFalse();
            journal.append(new JournalRecord.Over(1, 1, 1));
        }
        try (var journal = JournalFile.open(file()).journal()) {
            assertThat(Files.size(file())).isGreaterThan(1 << 20); // zeros written ahead while it is open
            journal.note(admitted(9));
        }
        assertThat(JournalFile.open(file()).records()).hasSize(2);
    }

    @Test
    void anAttemptThatIsAdmittedAgainAfterItWasOverIsAlive() throws IOException {
        var again = admitted(1);
        try (var journal = JournalFile.open(file()).journal()) {
            journal.append(admitted(1));
            journal.append(new JournalRecord.Over(1, 1, 1));
            journal.append(again);
        }
        assertThat(JournalFile.open(file()).records()).containsExactly(again);
    }

    @Test
    @DisplayName("R2 a second worker on the same buffer is refused while the first lives")
    void isExclusive() throws IOException {
        try (var journal = JournalFile.open(file()).journal()) {
            assertThatThrownBy(() -> JournalFile.open(file()))
                    .isInstanceOfSatisfying(
                            JournalException.class, e -> assertThat(e.kind()).isEqualTo(JournalException.Kind.LOCKED))
                    .hasMessageContaining(file().toString());
            journal.append(admitted(1));
        }
        var second = JournalFile.open(file());
        assertThat(second.records()).hasSize(1);
        second.journal().close();
    }

    @Test
    void afterTheCloseNothingIsTaken() throws IOException {
        var journal = JournalFile.open(file()).journal();
        journal.close();
        journal.close();
        assertThatThrownBy(() -> journal.append(admitted(1)))
                .isInstanceOfSatisfying(
                        JournalException.class, e -> assertThat(e.kind()).isEqualTo(JournalException.Kind.CLOSED));
    }

    @Test
    @DisplayName("C5 the last 1 to 64 bytes cut or zeroed: the last record is dropped, a copy kept, the run goes on")
    void cutsATornTail() throws IOException {
        for (int n = 1; n <= 64; n++) {
            for (boolean zeroed : new boolean[] {false, true}) {
                var name = folder.resolve("journal-" + n + zeroed);
                var first = admitted(1);
                try (var journal = JournalFile.open(name).journal()) {
                    journal.append(first);
                    journal.append(admitted(2));
                }
                try (var channel = Files.newByteChannel(name, java.nio.file.StandardOpenOption.WRITE)) {
                    if (zeroed) {
                        channel.position(channel.size() - n).write(ByteBuffer.allocate(n));
                    } else {
                        channel.truncate(channel.size() - n);
                    }
                }
                var again = JournalFile.open(name);
                assertThat(again.records()).as("%d bytes", n).containsExactly(first);
                assertThat(again.recovered().cutBytes()).isPositive();
                assertThat(again.recovered().setAside()).contains(name + ".torn");
                assertThat(Path.of(name + ".torn")).hasSize(again.recovered().cutBytes());
                var later = admitted(5);
                again.journal().append(later);
                again.journal().close();
                var third = JournalFile.open(name);
                assertThat(third.records()).containsExactly(first, later);
                third.journal().close();
            }
        }
    }

    @Test
    @DisplayName(
            "C5 one byte flipped inside: the start is refused naming file and place, or the rest is salvaged and said so")
    void refusesDamage() throws IOException {
        long flipped;
        try (var journal = JournalFile.open(file()).journal()) {
            journal.append(admitted(1));
        }
        flipped = Files.size(file()) - 20;
        try (var journal = JournalFile.open(file()).journal()) {
            journal.append(admitted(2));
            journal.append(admitted(3));
        }
        var bytes = Files.readAllBytes(file());
        bytes[(int) flipped] ^= 4;
        Files.write(file(), bytes);
        assertThatThrownBy(() -> JournalFile.open(file()))
                .isInstanceOfSatisfying(JournalException.class, e -> {
                    assertThat(e.kind()).isEqualTo(JournalException.Kind.DAMAGED);
                    assertThat(e.offset()).isEqualTo(JournalFormat.HEADER_BYTES);
                    assertThat(e.file()).isEqualTo(file().toString());
                })
                .hasMessageContaining("checksums");
        assertThat(Files.readAllBytes(file())).as("untouched by the refusal").isEqualTo(bytes);
        var records = new ArrayList<JournalRecord>();
        var salvaged = JournalFile.open(file(), OnDamage.SALVAGE, records::add);
        assertThat(records).extracting(JournalRecord::item).containsExactly(2L, 3L);
        assertThat(salvaged.damaged()).isTrue();
        assertThat(salvaged.setAside()).contains(file() + ".damaged");
        assertThat(Path.of(file() + ".damaged")).hasBinaryContent(bytes);
        salvaged.journal().close();
    }

    @Test
    void aFileThatIsNoJournalIsRefused() throws IOException {
        Files.writeString(file(), "these are somebody's notes, more than a header of them");
        assertThatThrownBy(() -> JournalFile.open(file())).hasMessageContaining("does not begin as a journal");
        assertThat(file()).content().startsWith("these are");
    }

    @Test
    void aNewerFormatIsRefused() throws IOException {
        var header = JournalFormat.header(new byte[16]);
        header.putShort(8, (short) 2);
        var crc = new java.util.zip.CRC32C();
        crc.update(header.array(), 0, 28);
        header.putInt(28, (int) crc.getValue());
        Files.write(file(), header.array());
        assertThatThrownBy(() -> JournalFile.open(file()))
                .isInstanceOfSatisfying(
                        JournalException.class, e -> assertThat(e.kind()).isEqualTo(JournalException.Kind.NEWER))
                .hasMessageContaining("version 2");
    }

    @Test
    void aNoteIsInTheFileSoonWithoutAnybodyWaiting() throws Exception {
        var note = admitted(1);
        try (var journal = JournalFile.open(file()).journal()) {
            long start = System.nanoTime();
            journal.note(note);
            Wait.until("the note is in the file", () -> recordsIn(file()).equals(List.of(note)));
            // 20 ms are promised; the rest is for a busy machine.
            assertThat(System.nanoTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(2));
        }
    }

    @Test
    void whatIsWrittenIsInTheFileAtReturnWithAllThatWasNotedBefore() throws Exception {
        try (var journal = JournalFile.open(file()).journal()) {
            var expected = new ArrayList<JournalRecord>();
            for (int i = 0; i < 50; i++) {
                var note = admitted(i);
                var written = new JournalRecord.StepStarted(i, 1, 1, "step");
                journal.note(note);
                journal.write(written);
                expected.add(note);
                expected.add(written);
                assertThat(recordsIn(file())).isEqualTo(expected);
            }
            var last = admitted(50);
            journal.append(last);
            expected.add(last);
            assertThat(recordsIn(file())).isEqualTo(expected);
        }
    }

    /** As another process would see it now. */
    private List<JournalRecord> recordsIn(Path journal) {
        try {
            return recordsInCopy(journal);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private List<JournalRecord> recordsInCopy(Path journal) throws IOException {
        var copy = Files.copy(journal, folder.resolve("copy"), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        try (var opened = JournalFile.open(copy).journal()) {
            assertThat(opened).isNotNull();
        }
        var again = JournalFile.open(copy);
        again.journal().close();
        return again.records();
    }

    @Test
    void appendsThatWaitTogetherShareOneSync() throws Exception {
        var slow = new SlowForces(new FolderOnDisk(folder));
        var records = new ArrayList<JournalRecord>();
        int writers = 200;
        try (var journal = JournalFile.open(
                                slow, "journal", Tuning.DEFAULT, JournalLock.none(), OnDamage.REFUSE, records::add)
                        .journal();
                var tasks = Executors.newVirtualThreadPerTaskExecutor()) {
            slow.forces.set(0);
            slow.gate = new CountDownLatch(1);
            var appends = new ArrayList<java.util.concurrent.Future<?>>();
            for (int i = 0; i < writers; i++) {
                var r = admitted(i);
                appends.add(tasks.submit(() -> {
                    journal.append(r);
                    return null;
                }));
            }
            Wait.until("a sync has begun", () -> slow.forces.get() > 0);
            assertThat(appends)
                    .as("nothing is acknowledged before the sync")
                    .noneMatch(java.util.concurrent.Future::isDone);
            slow.gate.countDown();
            for (var a : appends) {
                a.get();
            }
            // At worst one sync for the first, and a few for those that were not yet queued when it ended.
            assertThat(slow.forces.get()).isLessThan(writers / 4);
        }
        assertThat(JournalFile.open(file()).records()).hasSize(writers);
    }

    @Test
    void anInterruptedCallerStillGetsItsAnswerAndHarmsNobody() throws Exception {
        try (var journal = JournalFile.open(file()).journal()) {
            Thread.currentThread().interrupt();
            journal.append(admitted(1));
            assertThat(Thread.interrupted()).isTrue();
            journal.append(admitted(2));
        }
        assertThat(JournalFile.open(file()).records()).hasSize(2);
    }

    @Test
    @DisplayName("after a failed fsync nothing more is written or acknowledged; recovery makes a new file")
    void isPoisonedByAFailedSync() throws IOException {
        var lossy = new LossyFolder();
        var journal = JournalFile.open(lossy, "journal", Tuning.DEFAULT, JournalLock.none(), OnDamage.REFUSE, r -> {})
                .journal();
        var durable = admitted(1);
        journal.append(durable);
        lossy.failForces(1);
        assertThatThrownBy(() -> journal.append(admitted(2)))
                .isInstanceOfSatisfying(
                        JournalException.class, e -> assertThat(e.kind()).isEqualTo(JournalException.Kind.FAILED))
                .hasMessageContaining("Input/output error");
        int forces = lossy.forces;
        assertThatThrownBy(() -> journal.append(admitted(3))).isInstanceOf(JournalException.class);
        assertThatThrownBy(() -> journal.note(admitted(4))).isInstanceOf(JournalException.class);
        assertThat(lossy.forces).as("never synced again").isEqualTo(forces);
        assertThatThrownBy(journal::close).isInstanceOf(JournalException.class);
        lossy.restart(new Random(1));
        var records = new ArrayList<JournalRecord>();
        JournalFile.open(lossy, "journal", Tuning.DEFAULT, JournalLock.none(), OnDamage.REFUSE, records::add)
                .journal()
                .close();
        assertThat(records).startsWith(durable);
    }

    @Test
    @DisplayName(
            "I6 a full tier does not stop the journal at once: it goes on in the zeros it wrote ahead, then says so")
    void goesOnForAWhileOnAFullTier() throws IOException {
        var lossy = new LossyFolder();
        var journal = JournalFile.open(lossy, "journal", Tuning.DEFAULT, JournalLock.none(), OnDamage.REFUSE, r -> {})
                .journal();
        lossy.fullAt(0);
        var one = new JournalRecord.StepStarted(1, 1, 1, "s".repeat(1000));
        int taken = 0;
        JournalException failure = null;
        while (failure == null) {
            try {
                journal.append(one);
                taken++;
            } catch (JournalException e) {
                failure = e;
            }
        }
        assertThat(taken).isGreaterThan(900);
        assertThat(failure).hasMessageContaining("No space left");
        var records = new ArrayList<JournalRecord>();
        lossy.fullAt(Long.MAX_VALUE);
        JournalFile.open(lossy, "journal", Tuning.DEFAULT, JournalLock.none(), OnDamage.REFUSE, records::add)
                .journal()
                .close();
        assertThat(records.size()).isGreaterThanOrEqualTo(taken);
    }

    @Test
    void staysSmallWhileItemsComeAndGo() throws IOException {
        var alive = admitted(-1);
        try (var journal = JournalFile.open(file()).journal()) {
            journal.append(alive);
            for (int i = 0; i < 60_000; i++) {
                journal.note(new JournalRecord.StepStarted(i, 1, 1, "x".repeat(200)));
                journal.note(new JournalRecord.Over(i, 1, 1));
            }
            journal.append(new JournalRecord.Over(0, 1, 1));
            assertThat(Files.size(file())).isLessThan(16 << 20);
        }
        assertThat(JournalFile.open(file()).records()).containsExactly(alive);
    }

    @Test
    void recordsLargerThanABatchAreKept() throws IOException {
        var large = new JournalRecord.StepStarted(1, 1, 1, "y".repeat(3 << 20));
        try (var journal = JournalFile.open(file()).journal()) {
            journal.append(large);
            journal.append(admitted(2));
        }
        assertThat(JournalFile.open(file()).records()).startsWith(large).hasSize(2);
    }

    /** Real files, whose syncs can be held up. */
    private static final class SlowForces implements LogFolder {
        private final FolderOnDisk real;
        final AtomicInteger forces = new AtomicInteger();
        volatile CountDownLatch gate = new CountDownLatch(0);

        SlowForces(FolderOnDisk real) {
            this.real = real;
        }

        @Override
        public boolean exists(String name) {
            return real.exists(name);
        }

        @Override
        public LogFile open(String name) throws IOException {
            return real.open(name);
        }

        @Override
        public LogFile create(String name) throws IOException {
            var file = real.create(name);
            return new LogFile() {
                @Override
                public long size() throws IOException {
                    return file.size();
                }

                @Override
                public void read(ByteBuffer into, long offset) throws IOException {
                    file.read(into, offset);
                }

                @Override
                public void write(ByteBuffer bytes, long offset) throws IOException {
                    file.write(bytes, offset);
                }

                @Override
                public void force() throws IOException {
                    forces.incrementAndGet();
                    try {
                        gate.await();
                    } catch (InterruptedException e) {
                        throw new IOException(e);
                    }
                    file.force();
                }

                @Override
                public void truncate(long size) throws IOException {
                    file.truncate(size);
                }

                @Override
                public void close() throws IOException {
                    file.close();
                }
            };
        }

        @Override
        public void rename(String from, String to) throws IOException {
            real.rename(from, to);
        }

        @Override
        public void delete(String name) throws IOException {
            real.delete(name);
        }

        @Override
        public void sync() throws IOException {
            real.sync();
        }

        @Override
        public String path(String name) {
            return real.path(name);
        }
    }
}
