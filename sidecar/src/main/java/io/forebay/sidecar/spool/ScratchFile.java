package io.forebay.sidecar.spool;

import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A scratch file without a name: it goes with the process, however it ends. Not a FileChannel, which is closed for all when a thread that
 * uses it is interrupted; workers in this process call the coordinator on threads that drains and cancels interrupt. Thread-safe.
 */
final class ScratchFile implements AutoCloseable {
    /** Room taken before it is needed: others may fill the file system while a job runs, and what is noted meanwhile must find room. */
    private static final int AHEAD_BYTES = 256 << 10;

    private final RandomAccessFile file;
    /** Where the next append goes. */
    private long end;
    /** Where the zeros behind it end. */
    private long room;

    ScratchFile(Path folder) throws IOException {
        var path = Files.createTempFile(folder, "spool-", "");
        file = new RandomAccessFile(path.toFile(), "rw");
        Files.delete(path);
    }

    /** Fills the buffer, which has an array. @return bytes read: fewer than asked only at the end of the file; zeros behind what was appended */
    synchronized int read(ByteBuffer into, long position) throws IOException {
        file.seek(position);
        int total = 0;
        while (into.hasRemaining()) {
            int n = file.read(into.array(), into.arrayOffset() + into.position(), into.remaining());
            if (n < 0) {
                break;
            }
            into.position(into.position() + n);
            total += n;
        }
        return total;
    }

    /** Writes all of the buffer, which has an array. */
    synchronized void write(ByteBuffer from, long position) throws IOException {
        file.seek(position);
        file.write(from.array(), from.arrayOffset() + from.position(), from.remaining());
        from.position(from.limit());
    }

    private synchronized void append(byte[] bytes, int offset, int length) throws IOException {
        file.seek(end);
        file.write(bytes, offset, length);
        end += length;
        if (room - end < AHEAD_BYTES / 4) {
            takeRoom();
        }
    }

    private synchronized void takeRoom() {
        try {
            long from = Math.max(room, end);
            int zeros = Math.toIntExact(end + AHEAD_BYTES - from);
            file.seek(from);
            file.write(new byte[zeros]);
            room = from + zeros;
        } catch (IOException e) {
            // No space now: the next append finds some, or tells.
            return;
        }
    }

    /** Writes behind what was appended before; not buffered. For files that nothing is written to but this. */
    OutputStream end() {
        takeRoom();
        return new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                append(new byte[] {(byte) b}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                append(bytes, offset, length);
            }
        };
    }

    /** Back to empty. */
    synchronized void clear() throws IOException {
        file.setLength(0);
        end = 0;
        room = 0;
        takeRoom();
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
