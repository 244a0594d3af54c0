package io.forebay.sidecar.records;

import io.forebay.sidecar.store.StoreException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads one log from its beginning, in constant memory but for its longest line.
 *
 * <p>Whoever wrote the log appended a batch only when the one before was durable, and stopped for good when a write failed. So
 * only the last batch can be torn: its file ends early, or holds zeros where a block never reached the disk. Whole lines of a
 * torn batch count up to the first that is not (nobody has acted on them, but they were decided); the rest is cut. Anything
 * else that is not as it was written is damage, and refused: a wrong checksum before the last batch, in a log that a seal
 * says was read before, or without the signs of a tear.
 */
final class LogScanner {
    /** Gets valid entries in order. */
    @FunctionalInterface
    interface LineSink {
        /** @param line holds the line at [from, to), without its line break; valid during the call only */
        void accept(byte[] line, int from, int to) throws StoreException, RecordsDamagedException, InterruptedException;
    }

    /**
     * @param bytes how far the log counts
     * @param batches number of the last batch that counts, the last one perhaps not whole
     * @param torn something was cut
     */
    record Extent(long bytes, long batches, boolean torn) {}

    private final InputStream in;
    private final String name;
    private final long batchesBefore;
    private byte[] buffer = new byte[1 << 16];
    private int start;
    private int end;
    private boolean ended;
    private long offset;

    /**
     * @param name for messages
     * @param batchesBefore batches of the log that come before the stream's
     */
    LogScanner(InputStream in, String name, long batchesBefore) {
        this.in = in;
        this.name = name;
        this.batchesBefore = batchesBefore;
    }

    /** @param sealed everything in the stream was read before, and must be valid */
    Extent scan(boolean sealed, LineSink sink)
            throws IOException, StoreException, RecordsDamagedException, InterruptedException {
        long batch = batchesBefore;
        while (true) {
            int length = nextLine();
            if (length < 0) {
                return new Extent(offset, batch, false);
            }
            var header = header(length);
            if (header == null || header.batch() != batch + 1) {
                return cut(batch, batch + 1, sealed, length);
            }
            consume(length);
            batch++;
            long batchEnd = offset + header.bytes();
            while (offset < batchEnd) {
                length = nextLine();
                if (length < 0) {
                    // A whole number of lines is missing at the end. A seal may lie here.
                    return new Extent(offset, batch, !sealed);
                }
                if (!isValid(length) || header(length) != null) {
                    return cut(batch, batch, sealed, length);
                }
                sink.accept(buffer, start, start + length);
                consume(length);
            }
        }
    }

    /**
     * At a line that is not valid: a tear, or damage?
     *
     * @param batches counted so far
     * @param broken number of the batch that the line must belong to
     */
    private Extent cut(long batches, long broken, boolean sealed, int length)
            throws IOException, RecordsDamagedException {
        long at = offset;
        if (sealed) {
            throw damage(at, "it was valid when it was sealed");
        }
        boolean zeros = false;
        boolean open = false;
        while (length >= 0) {
            zeros |= containsZero(length);
            open = !terminated(length);
            var header = header(length);
            if (header != null && header.batch() > broken) {
                throw damage(at, "batch " + header.batch() + " follows it");
            }
            consume(length);
            length = nextLine();
        }
        if (!zeros && !open) {
            throw damage(at, "it is whole, but not what was written");
        }
        return new Extent(at, batches, true);
    }

    private RecordsDamagedException damage(long at, String why) {
        return new RecordsDamagedException(name + " is damaged at byte " + at + ": a line has a wrong checksum, and "
                + why + ". Restore the file from a copy, or run with --fresh to ignore the records");
    }

    /** Makes the next line available at {@code start}. @return its length without the line break; -1 at the end */
    private int nextLine() throws IOException {
        int searched = 0;
        while (true) {
            for (int i = start + searched; i < end; i++) {
                if (buffer[i] == '\n') {
                    return i - start;
                }
            }
            searched = end - start;
            if (ended) {
                return searched == 0 ? -1 : searched;
            }
            if (start > 0) {
                System.arraycopy(buffer, start, buffer, 0, searched);
                start = 0;
                end = searched;
            }
            if (end == buffer.length) {
                buffer = Arrays.copyOf(buffer, buffer.length * 2);
            }
            int n = in.read(buffer, end, buffer.length - end);
            if (n < 0) {
                ended = true;
            } else {
                end += n;
            }
        }
    }

    private boolean terminated(int length) {
        return start + length < end;
    }

    private void consume(int length) {
        int whole = terminated(length) ? length + 1 : length;
        start += whole;
        offset += whole;
    }

    private boolean isValid(int length) {
        return terminated(length) && LogFormat.isValid(buffer, start, start + length);
    }

    private boolean containsZero(int length) {
        for (int i = start; i < start + length; i++) {
            if (buffer[i] == 0) {
                return true;
            }
        }
        return false;
    }

    private LogFormat.@Nullable Header header(int length) {
        return terminated(length) ? LogFormat.header(buffer, start, start + length) : null;
    }
}
