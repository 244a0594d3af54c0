package io.forebay.sidecar.spool;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Sorts any number of lines by the bytes of their key within bounded heap: chunks are sorted in memory, spilled to a nameless
 * scratch file, and merged. One thread.
 */
public final class SpoolSort implements AutoCloseable {
    /** In memory at once: some 4 MiB of lines. */
    private static final int CHUNK_BYTES = 4 << 20;

    private static final Comparator<Line> BY_KEY = (a, b) -> Arrays.compareUnsigned(a.key, b.key);

    /** One line. */
    public record Line(byte[] key, byte[] value) {}

    /** Gets the lines in order. */
    @FunctionalInterface
    public interface Sink {
        void accept(byte[] key, byte[] value) throws IOException;
    }

    /** Bytes [from, to) of the scratch file. */
    private record Run(long from, long to) {}

    private final Path folder;
    private final List<Line> chunk = new ArrayList<>();
    private final List<Run> runs = new ArrayList<>();
    private int chunkBytes;
    private FileChannel file;

    public SpoolSort(Path folder) throws IOException {
        this.folder = folder;
        this.file = nameless(folder);
    }

    private static FileChannel nameless(Path folder) throws IOException {
        var file = Files.createTempFile(folder, "spool-", "");
        var channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
        Files.delete(file);
        return channel;
    }

    public void add(byte[] key, byte[] value) throws IOException {
        chunk.add(new Line(key, value));
        // The arrays, their headers and the record.
        chunkBytes += key.length + value.length + 64;
        if (chunkBytes >= CHUNK_BYTES) {
            spill();
        }
    }

    /** Forgets all lines. */
    public void clear() throws IOException {
        chunk.clear();
        chunkBytes = 0;
        runs.clear();
        file.close();
        file = nameless(folder);
    }

    /** Gives all lines in order of their keys' bytes, then forgets them. */
    public void drain(Sink sink) throws IOException {
        chunk.sort(BY_KEY);
        if (runs.isEmpty()) {
            for (var line : chunk) {
                sink.accept(line.key, line.value);
            }
        } else {
            spill();
            merge(sink);
        }
        clear();
    }

    private void spill() throws IOException {
        if (chunk.isEmpty()) {
            return;
        }
        chunk.sort(BY_KEY);
        long from = file.position();
        // Not closed: that would close the file.
        var out = new DataOutputStream(new BufferedOutputStream(Channels.newOutputStream(file), 1 << 16));
        for (var line : chunk) {
            out.writeInt(line.key.length);
            out.writeInt(line.value.length);
            out.write(line.key);
            out.write(line.value);
        }
        out.flush();
        runs.add(new Run(from, file.position()));
        chunk.clear();
        chunkBytes = 0;
    }

    private void merge(Sink sink) throws IOException {
        var heads = new PriorityQueue<Head>((a, b) -> BY_KEY.compare(a.line, b.line));
        for (var run : runs) {
            heads.add(new Head(new DataInputStream(new BufferedInputStream(new RunStream(file, run), 1 << 15))));
        }
        while (!heads.isEmpty()) {
            var head = heads.remove();
            sink.accept(head.line.key, head.line.value);
            if (head.advance()) {
                heads.add(head);
            }
        }
    }

    /** The next line of one run. */
    private static final class Head {
        private final DataInputStream in;
        private Line line;

        Head(DataInputStream in) throws IOException {
            this.in = in;
            this.line = read(in, in.readInt());
        }

        boolean advance() throws IOException {
            if (in.available() == 0 && in.markSupported()) {
                in.mark(1);
                if (in.read() < 0) {
                    return false;
                }
                in.reset();
            }
            line = read(in, in.readInt());
            return true;
        }

        private static Line read(DataInputStream in, int keyLength) throws IOException {
            int valueLength = in.readInt();
            return new Line(in.readNBytes(keyLength), in.readNBytes(valueLength));
        }
    }

    private static final class RunStream extends InputStream {
        private final FileChannel file;
        private final long to;
        private long at;

        RunStream(FileChannel file, Run run) {
            this.file = file;
            this.at = run.from;
            this.to = run.to;
        }

        @Override
        public int read() throws IOException {
            var one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] target, int from, int length) throws IOException {
            if (at == to) {
                return -1;
            }
            int n = file.read(ByteBuffer.wrap(target, from, (int) Math.min(length, to - at)), at);
            at += Math.max(n, 0);
            return n;
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
