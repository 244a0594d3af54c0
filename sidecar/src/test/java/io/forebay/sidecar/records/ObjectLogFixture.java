package io.forebay.sidecar.records;

import io.forebay.api.value.StoreUri;
import io.forebay.sidecar.records.LogEntry.NewGeneration;
import io.forebay.sidecar.store.Store;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Logs of objects whose entries are numbered through. */
final class ObjectLogFixture {
    private static final String ID = "0123456789abcdef0123456789abcdef";
    static final String FOLDER = "records/job/";

    private ObjectLogFixture() {}

    static RecordsFolder folder(Store store, LogObjects objects) {
        return new RecordsFolder(
                store,
                StoreUri.parse("s3://bucket/" + FOLDER),
                new StoreRetry(Duration.ofSeconds(60), new Random(1), d -> {}),
                objects);
    }

    static LogEntry entry(int number) {
        return new NewGeneration(ID, 7, number);
    }

    /** Batch {@code number} with two entries: 2 number - 2 and 2 number - 1. */
    static byte[] batch(int number) {
        var lines = new ByteArrayOutputStream();
        lines.writeBytes(LogFormat.line(entry(2 * number - 2)));
        lines.writeBytes(LogFormat.line(entry(2 * number - 1)));
        var whole = new ByteArrayOutputStream();
        whole.writeBytes(LogFormat.header(number, lines.size()));
        whole.writeBytes(lines.toByteArray());
        return whole.toByteArray();
    }

    /** @param batches last one read @param entries in order */
    record Read(long batches, List<Integer> entries) {
        boolean isWhole() {
            for (int i = 0; i < entries.size(); i++) {
                if (entries.get(i) != i) {
                    return false;
                }
            }
            return entries.size() == 2 * batches;
        }
    }

    static Read read(RecordsFolder folder, long limit) throws Exception {
        var entries = new ArrayList<Integer>();
        long batches = new ObjectLogReader(
                        folder,
                        1,
                        limit,
                        (line, from, to) -> entries.add(((NewGeneration) LogFormat.parse(line, from, to)).generation()))
                .read();
        return new Read(batches, entries);
    }

    static Read readAll(RecordsFolder folder) throws Exception {
        return read(folder, Long.MAX_VALUE);
    }
}
