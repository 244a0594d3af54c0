package io.forebay.sidecar.records;

import io.forebay.sidecar.store.StoreException;
import java.io.ByteArrayInputStream;
import java.io.IOException;

/**
 * Reads a log of objects while its writer may still be alive, or thaw and go on.
 *
 * <p>Merged objects come first, then those of single batches. Where one of these is missing the log may end, or it was merged
 * and deleted a moment ago: then the next merged object is there, for it was written before, and reading goes on with that. What
 * was read before is left out. Nothing is ever listed: some stores tell late of what was written.
 */
final class ObjectLogReader {
    private final RecordsFolder folder;
    private final int generation;
    private final LogScanner.LineSink sink;
    /** Last batch that is wanted. */
    private final long limit;

    private long batch;
    private long merged;

    ObjectLogReader(RecordsFolder folder, int generation, long limit, LogScanner.LineSink sink) {
        this.folder = folder;
        this.generation = generation;
        this.limit = limit;
        this.sink = sink;
    }

    /** @return number of the last batch read */
    long read() throws StoreException, RecordsDamagedException, InterruptedException {
        do {
            readMerged();
            readBatches();
        } while (batch < limit && folder.exists(LogObjects.merged(generation, merged + 1)));
        return batch;
    }

    private void readMerged() throws StoreException, RecordsDamagedException, InterruptedException {
        try (var objects =
                new ObjectsAhead(folder, n -> LogObjects.merged(generation, n), merged + 1, Long.MAX_VALUE)) {
            while (batch < limit) {
                var content = objects.next();
                if (content.isEmpty()) {
                    return;
                }
                merged++;
                scanMerged(LogObjects.merged(generation, merged), content.get());
            }
        }
    }

    private void readBatches() throws StoreException, RecordsDamagedException, InterruptedException {
        try (var objects = new ObjectsAhead(folder, n -> LogObjects.batch(generation, n), batch + 1, limit)) {
            while (batch < limit) {
                var content = objects.next();
                if (content.isEmpty()) {
                    return;
                }
                scan(LogObjects.batch(generation, batch + 1), content.get(), 0, content.get().length);
            }
        }
    }

    /** What is beyond the limit is void, and what was read before is not read again. */
    private void scanMerged(String name, byte[] content)
            throws StoreException, RecordsDamagedException, InterruptedException {
        int from = 0;
        while (from < content.length && batch < limit) {
            var header = LogFormat.headerAt(content, from);
            long to = header == null ? 0 : (long) header.end() + header.bytes();
            if (header == null || to > content.length || header.batch() > batch + 1) {
                throw new RecordsDamagedException(folder.uri().resolve(name) + " is damaged at byte " + from
                        + ": batch " + (batch + 1) + " or one before it is not there");
            }
            if (header.batch() == batch + 1) {
                scan(name, content, from, (int) to);
            }
            from = (int) to;
        }
    }

    /** One batch in bytes [from, to). */
    private void scan(String name, byte[] content, int from, int to)
            throws StoreException, RecordsDamagedException, InterruptedException {
        try {
            var place = folder.uri().resolve(name);
            var extent = new LogScanner(new ByteArrayInputStream(content, from, to - from), place.toString(), batch)
                    .scan(true, sink);
            if (extent.batches() != batch + 1) {
                throw new RecordsDamagedException(place + " is not batch " + (batch + 1));
            }
            batch++;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
