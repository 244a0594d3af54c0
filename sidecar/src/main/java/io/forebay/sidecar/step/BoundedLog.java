package io.forebay.sidecar.step;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A file with the first and the last {@value #KEPT} bytes of a stream, whatever its length; between them a line says what was left out.
 * The last ones are a ring in the file until {@link #close} puts them in order. Not thread-safe. The step runner's own is {@code log.c}.
 */
final class BoundedLog implements Closeable {
    static final int KEPT = 512 * 1024;

    private final FileChannel file;
    private long total;

    BoundedLog(Path path) throws IOException {
        file = FileChannel.open(
                path,
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE);
    }

    void add(byte[] bytes, int length) throws IOException {
        int at = 0;
        while (at < length) {
            long place = total < KEPT ? total : KEPT + (total - KEPT) % KEPT;
            long room = total < KEPT ? KEPT - total : 2L * KEPT - place;
            int piece = (int) Math.min(room, length - at);
            write(ByteBuffer.wrap(bytes, at, piece), place);
            total += piece;
            at += piece;
        }
    }

    @Override
    public void close() throws IOException {
        try (file) {
            if (total > 2L * KEPT) {
                var ring = ByteBuffer.allocate(KEPT);
                while (ring.hasRemaining()) {
                    if (file.read(ring, KEPT + (long) ring.position()) < 0) {
                        throw new IOException("it was cut by another process");
                    }
                }
                int first = (int) ((total - KEPT) % KEPT);
                var cut = "\n[... %d bytes left out ...]\n"
                        .formatted(total - 2L * KEPT)
                        .getBytes(StandardCharsets.UTF_8);
                write(ByteBuffer.wrap(cut), KEPT);
                write(ring.slice(first, KEPT - first), (long) KEPT + cut.length);
                write(ring.slice(0, first), (long) KEPT + cut.length + KEPT - first);
            }
        }
    }

    private void write(ByteBuffer bytes, long place) throws IOException {
        while (bytes.hasRemaining()) {
            place += file.write(bytes, place);
        }
    }
}
