package io.forebay.sidecar.journal;

import io.forebay.sidecar.journal.JournalFormat.Frame;
import io.forebay.sidecar.journal.LogFolder.LogFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Reads frames at any place of a file through one window, which grows to the largest frame met. */
final class FrameReader {
    private static final int WINDOW_BYTES = 256 << 10;
    private static final ByteBuffer ZEROS = ByteBuffer.allocate(JournalFormat.SECTOR_BYTES);

    private final LogFile file;
    private final byte[] id;
    private final long size;
    private ByteBuffer window = ByteBuffer.allocate(WINDOW_BYTES).limit(0);
    private long windowAt;

    FrameReader(LogFile file, byte[] id, long size) {
        this.file = file;
        this.id = id;
        this.size = size;
    }

    long size() {
        return size;
    }

    /** The frame at {@code place}; null: there is none that is whole. */
    @Nullable
    Frame frameAt(long place) throws IOException {
        int length = lengthAt(place);
        if (length < JournalFormat.FIXED_BYTES
                || length > JournalFormat.MAX_LENGTH
                || length > size - place - JournalFormat.PREFIX_BYTES) {
            return null;
        }
        // A damaged length may be large: nothing is allocated for it before the checksum was found right.
        if (length > WINDOW_BYTES && !checksumRight(place, length)) {
            return null;
        }
        var frame = bytes(place, JournalFormat.PREFIX_BYTES + length);
        var body = frame.slice(JournalFormat.PREFIX_BYTES, length);
        if (frame.getInt(4)
                != (int) JournalFormat.checksum(id, place, length, body).getValue()) {
            return null;
        }
        return JournalFormat.frame(place, length, body);
    }

    private boolean checksumRight(long place, int length) throws IOException {
        int expected = bytes(place, JournalFormat.PREFIX_BYTES).getInt(4);
        var crc = JournalFormat.checksum(id, place, length, ByteBuffer.allocate(0));
        long end = place + JournalFormat.PREFIX_BYTES + length;
        for (long at = place + JournalFormat.PREFIX_BYTES; at < end; at += WINDOW_BYTES) {
            crc.update(bytes(at, (int) Math.min(WINDOW_BYTES, end - at)));
        }
        return expected == (int) crc.getValue();
    }

    /** What stands where a length would; negative also where the file ends before. */
    int lengthAt(long place) throws IOException {
        return place > size - JournalFormat.PREFIX_BYTES
                ? -1
                : bytes(place, JournalFormat.PREFIX_BYTES).getInt(0);
    }

    /** Where the first byte that is not zero lies from {@code place} on, before {@code end}; {@code end}: none. */
    long skipZeros(long place, long end) throws IOException {
        for (long at = place; at < end; ) {
            var b = bytes(at, (int) Math.min(ZEROS.capacity(), end - at));
            int first = b.mismatch(ZEROS.slice(0, b.remaining()));
            if (first >= 0) {
                return at + first;
            }
            at += b.remaining();
        }
        return end;
    }

    /** Behind the last byte from {@code place} on that is not zero; {@code place}: none. */
    long endOfNonZero(long place) throws IOException {
        long end = place;
        for (long at = place; at < size; ) {
            var b = bytes(at, (int) Math.min(WINDOW_BYTES, size - at));
            for (int i = b.remaining() - 1; i >= 0; i--) {
                if (b.get(i) != 0) {
                    end = at + i + 1;
                    break;
                }
            }
            at += b.remaining();
        }
        return end;
    }

    /** {@code n} bytes from {@code place} on, all before the end of the file; valid until the next call. */
    ByteBuffer bytes(long place, int n) throws IOException {
        if (place < windowAt || place + n > windowAt + window.limit()) {
            if (n > window.capacity()) {
                window = ByteBuffer.allocate(n);
            }
            window.clear().limit((int) Math.min(window.capacity(), size - place));
            file.read(window, place);
            // The file shrank while it was read: what is missing counts as zeros.
            Arrays.fill(window.array(), window.position(), window.limit(), (byte) 0);
            window.position(0);
            windowAt = place;
        }
        return window.slice((int) (place - windowAt), n);
    }
}
