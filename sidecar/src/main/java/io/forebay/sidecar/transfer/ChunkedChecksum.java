package io.forebay.sidecar.transfer;

import io.forebay.sidecar.store.Crc32c;
import java.util.TreeMap;

/**
 * The CRC32C of a file whose pieces come in any order, each once. Holds one entry per gap-free run of pieces. Thread-safe.
 */
public final class ChunkedChecksum {
    private record Run(long length, long crc32c) {
        Run then(Run next) {
            return new Run(length + next.length, Crc32c.combine(crc32c, next.crc32c, next.length));
        }
    }

    /** Runs by offset; neighbours are always joined. Guarded by this. */
    private final TreeMap<Long, Run> runs = new TreeMap<>();

    /**
     * Adds the bytes [offset, offset + length).
     *
     * @throws IllegalArgumentException if some of them were added before
     */
    public synchronized void add(long offset, long length, long crc32c) {
        if (offset < 0 || length < 0) {
            throw new IllegalArgumentException("no piece of a file: " + length + " bytes at " + offset);
        }
        if (length == 0) {
            return;
        }
        long start = offset;
        var run = new Run(length, crc32c);
        var before = runs.floorEntry(offset);
        var after = runs.higherEntry(offset);
        if ((before != null && before.getKey() + before.getValue().length() > offset)
                || (after != null && offset + length > after.getKey())) {
            throw new IllegalArgumentException(length + " bytes at " + offset + " were partly added before");
        }
        if (before != null && before.getKey() + before.getValue().length() == offset) {
            start = before.getKey();
            run = before.getValue().then(run);
        }
        if (after != null && offset + length == after.getKey()) {
            runs.remove(after.getKey());
            run = run.then(after.getValue());
        }
        runs.put(start, run);
    }

    /**
     * Of the bytes [0, size).
     *
     * @throws IllegalStateException if they are not exactly what was added
     */
    public synchronized long value(long size) {
        if (size == 0 && runs.isEmpty()) {
            return Crc32c.EMPTY;
        }
        var whole = runs.get(0L);
        if (runs.size() != 1 || whole == null || whole.length() != size) {
            throw new IllegalStateException("pieces cover "
                    + runs.values().stream().mapToLong(Run::length).sum() + " of " + size + " bytes");
        }
        return whole.crc32c();
    }
}
