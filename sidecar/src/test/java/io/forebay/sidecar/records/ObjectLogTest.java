package io.forebay.sidecar.records;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.sidecar.records.ObjectLogFixture.Read;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.StoreException.Kind;
import io.forebay.testing.GatedStore;
import io.forebay.testing.RecordsMemoryStore;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A log of objects that are merged: what is read is what was written, whoever dies, freezes or reads meanwhile. */
class ObjectLogTest {
    private static final int BATCHES = 11;
    /** Merges after three batches, on the writer's thread. */
    private static final LogObjects STEPWISE = new LogObjects(3, 1 << 20, 1, false);

    /** Properties begin each try with another. */
    private RecordsMemoryStore bucket = new RecordsMemoryStore();

    private ObjectLogSink sink(io.forebay.sidecar.store.Store store) {
        return new ObjectLogSink(ObjectLogFixture.folder(store, STEPWISE), 1);
    }

    private static void write(ObjectLogSink sink, int from, int to) throws Exception {
        for (int batch = from; batch <= to; batch++) {
            sink.append(batch, ObjectLogFixture.batch(batch));
        }
    }

    private Read read(int ahead) throws Exception {
        return ObjectLogFixture.readAll(ObjectLogFixture.folder(bucket, new LogObjects(3, 1 << 20, ahead, false)));
    }

    @Test
    @DisplayName("many batches become few objects, which say the same in the same order")
    void merges() throws Exception {
        write(sink(bucket), 1, BATCHES);
        assertThat(bucket.keys())
                .containsExactly(
                        "records/job/log-000001/00000010",
                        "records/job/log-000001/00000011",
                        "records/job/log-000001/merged-000001",
                        "records/job/log-000001/merged-000002",
                        "records/job/log-000001/merged-000003");
        var read = read(4);
        assertThat(read.batches()).isEqualTo(BATCHES);
        assertThat(read.isWhole()).as("%s", read).isTrue();
    }

    @Test
    @DisplayName("a batch as large as merged objects are is merged at once; the next begins anew")
    void mergesByBytes() throws Exception {
        int size = ObjectLogFixture.batch(1).length;
        var folder = ObjectLogFixture.folder(bucket, new LogObjects(100, size, 1, false));
        write(new ObjectLogSink(folder, 1), 1, 4);
        assertThat(bucket.keys()).hasSize(4).allMatch(k -> k.contains("merged"));
        assertThat(read(1).isWhole()).isTrue();
    }

    @Test
    @DisplayName("a log from before there was merging is read as it was")
    void onlyBatches() throws Exception {
        for (int batch = 1; batch <= BATCHES; batch++) {
            bucket.set("records/job/" + LogObjects.batch(1, batch), ObjectLogFixture.batch(batch));
        }
        assertThat(read(4)).isEqualTo(read(1)).matches(Read::isWhole).matches(r -> r.batches() == BATCHES);
    }

    @Property
    @Label("C2 the writer is killed before any of its operations: what was durable is there, once, in order")
    void killedAnywhere(@ForAll @IntRange(max = 40) int operations, @ForAll @IntRange(min = 1, max = 4) int ahead)
            throws Exception {
        bucket = new RecordsMemoryStore();
        var gate = new GatedStore();
        gate.killAfter(operations);
        int durable = 0;
        try {
            var sink = sink(gate.over(bucket));
            for (int batch = 1; batch <= BATCHES; batch++) {
                sink.append(batch, ObjectLogFixture.batch(batch));
                durable = batch;
            }
        } catch (GatedStore.Killed e) {
            // As it should be.
        }
        var read = read(ahead);
        assertThat(read.isWhole()).as("%s", read).isTrue();
        // One more may be there that its writer never learned of.
        assertThat(read.batches()).isBetween((long) durable, durable + 1L);
        var sealed = ObjectLogFixture.read(ObjectLogFixture.folder(bucket, STEPWISE), durable);
        assertThat(sealed.isWhole()).isTrue();
        assertThat(sealed.batches()).isEqualTo(durable);
    }

    @Property(tries = 3100)
    @Label(
            "C10 the writer goes on, merges and deletes between any two operations of a reader: nothing durable is missed")
    void writerGoesOn(
            @ForAll @IntRange(max = BATCHES) int before,
            @ForAll @IntRange(max = 20) int operation,
            @ForAll @IntRange(max = BATCHES) int meanwhile)
            throws Exception {
        bucket = new RecordsMemoryStore();
        var sink = sink(bucket);
        write(sink, 1, before);
        int goesOnTo = Math.min(BATCHES, before + meanwhile);
        var left = new AtomicInteger(operation);
        var seen = bucket.seenThrough((name, key) -> {
            if (left.getAndDecrement() == 0) {
                try {
                    write(sink, before + 1, goesOnTo);
                } catch (StoreException | InterruptedException | RuntimeException e) {
                    throw e;
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            }
        });
        var read = ObjectLogFixture.readAll(ObjectLogFixture.folder(seen, STEPWISE));
        assertThat(read.isWhole()).as("%s", read).isTrue();
        assertThat(read.batches()).isBetween((long) before, (long) goesOnTo);
        // And whoever reads as far as that again reads the same.
        write(sink, goesOnTo + 1, BATCHES);
        var again = ObjectLogFixture.read(ObjectLogFixture.folder(bucket, STEPWISE), read.batches());
        assertThat(again).isEqualTo(read);
    }

    @Test
    @DisplayName("a PUT or DELETE that arrives long after it was given up changes nothing")
    void lateRequests() throws Exception {
        write(sink(bucket), 1, BATCHES);
        var whole = read(1);
        bucket.set("records/job/" + LogObjects.batch(1, 2), ObjectLogFixture.batch(2));
        bucket.set("records/job/" + LogObjects.batch(1, 9), ObjectLogFixture.batch(9));
        assertThat(read(1)).isEqualTo(whole);
        assertThat(read(4)).isEqualTo(whole);
        bucket.delete("records/job/" + LogObjects.batch(1, 2));
        assertThat(read(1)).isEqualTo(whole);
    }

    @Test
    @DisplayName("a merge that fails ends merging, not the log; nothing is deleted")
    void mergeFails() throws Exception {
        var refusing = bucket.seenThrough((operation, key) -> {
            if (operation.equals("put") && key.endsWith("merged-000002")) {
                throw new StoreException(Kind.DENIED, "403");
            }
        });
        write(sink(refusing), 1, BATCHES);
        assertThat(bucket.keys()).filteredOn(k -> k.contains("merged")).hasSize(1);
        assertThat(bucket.keys()).filteredOn(k -> !k.contains("merged")).hasSize(BATCHES - 3);
        assertThat(read(2)).matches(Read::isWhole).matches(r -> r.batches() == BATCHES);
    }

    @Test
    @DisplayName("the same batch again, as after an interruption, is there once")
    void sameBatchAgain() throws Exception {
        var sink = sink(bucket);
        for (int batch : List.of(1, 1, 2, 3, 3, 3, 4, 4, 5, 6, 6)) {
            sink.append(batch, ObjectLogFixture.batch(batch));
        }
        assertThat(read(1)).matches(Read::isWhole).matches(r -> r.batches() == 6);
    }

    @Test
    @DisplayName("C5 a merged object with a byte changed is refused, naming it")
    void damagedMerged() throws Exception {
        write(sink(bucket), 1, BATCHES);
        var name = "records/job/" + LogObjects.merged(1, 2);
        var content = bucket.text(name).getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        for (int at = 0; at < content.length; at += 7) {
            var changed = content.clone();
            changed[at] ^= 1;
            bucket.set(name, changed);
            assertThatThrownBy(() -> read(1))
                    .as("byte %d", at)
                    .isInstanceOf(RecordsDamagedException.class)
                    .hasMessageContaining("merged-000002");
        }
    }

    @Test
    @DisplayName("C5 what a seal says was read before is missing: refused, naming it")
    void missing() throws Exception {
        write(sink(bucket), 1, BATCHES);
        bucket.remove("records/job/" + LogObjects.batch(1, 11));
        var claim = new Claim("job", 1, "h", 1, 1, "", "", 0, "objects");
        var reader = new LogReader(ObjectLogFixture.folder(bucket, STEPWISE), claim);
        assertThatThrownBy(() -> reader.read(new Seal.Read(0, BATCHES), (line, from, to) -> {}))
                .isInstanceOf(RecordsDamagedException.class)
                .hasMessageContaining("log-000001/00000011");
    }
}
