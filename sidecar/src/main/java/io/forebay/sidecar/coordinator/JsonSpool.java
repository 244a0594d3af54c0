package io.forebay.sidecar.coordinator;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.forebay.message.MessageJson;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.AbstractList;
import java.util.List;
import java.util.RandomAccess;

/**
 * A list of JSON texts in local scratch files, so that a million of them need no heap: one file of texts, one of their offsets
 * (8 bytes each). Appended by one thread, read by any after {@link #finish}. The files have no name once opened: they go with
 * the process, however it ends.
 */
final class JsonSpool implements AutoCloseable {
    private final FileChannel texts;
    private final FileChannel offsets;
    private final OutputStream textsOut;
    private final OutputStream offsetsOut;
    private long end;
    private int size;

    JsonSpool(Path folder) throws IOException {
        texts = nameless(folder);
        offsets = nameless(folder);
        textsOut = new BufferedOutputStream(Channels.newOutputStream(texts), 1 << 16);
        offsetsOut = new BufferedOutputStream(Channels.newOutputStream(offsets), 1 << 13);
    }

    static FileChannel nameless(Path folder) throws IOException {
        var file = Files.createTempFile(folder, "spool-", "");
        var channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
        Files.delete(file);
        return channel;
    }

    void append(byte[] json) throws IOException {
        offsetsOut.write(ByteBuffer.allocate(8).putLong(end).array());
        textsOut.write(json);
        end += json.length;
        size++;
    }

    void append(Object value) throws IOException {
        append(json(value));
    }

    static byte[] json(Object value) {
        try {
            return MessageJson.MAPPER.writeValueAsBytes(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("cannot be written as JSON: " + value.getClass(), e);
        }
    }

    void finish() throws IOException {
        textsOut.flush();
        offsetsOut.flush();
    }

    /** Back to empty. */
    void clear() throws IOException {
        finish();
        texts.truncate(0).position(0);
        offsets.truncate(0).position(0);
        end = 0;
        size = 0;
    }

    int size() {
        return size;
    }

    /** @throws IndexOutOfBoundsException not in the list */
    byte[] get(long index) throws IOException {
        if (index < 0 || index >= size) {
            throw new IndexOutOfBoundsException("number " + index + " of " + size);
        }
        var at = ByteBuffer.allocate(16);
        read(offsets, at, index * 8);
        long start = at.getLong(0);
        long stop = index + 1 < size ? at.getLong(8) : end;
        var json = ByteBuffer.allocate(Math.toIntExact(stop - start));
        read(texts, json, start);
        return json.array();
    }

    <T> T get(long index, Class<T> type) {
        try {
            return MessageJson.MAPPER.readValue(get(index), type);
        } catch (IOException e) {
            throw new UncheckedIOException("the scratch folder cannot be read", e);
        }
    }

    /** A view that reads each element anew. */
    <T> List<T> asList(Class<T> type) {
        return new View<>(this, type);
    }

    private static final class View<T> extends AbstractList<T> implements RandomAccess {
        private final JsonSpool spool;
        private final Class<T> type;

        View(JsonSpool spool, Class<T> type) {
            this.spool = spool;
            this.type = type;
        }

        @Override
        public T get(int index) {
            return spool.get(index, type);
        }

        @Override
        public int size() {
            return spool.size();
        }
    }

    private static void read(FileChannel from, ByteBuffer into, long position) throws IOException {
        while (into.hasRemaining()) {
            int n = from.read(into, position + into.position());
            if (n < 0) {
                return;
            }
        }
    }

    @Override
    public void close() throws IOException {
        try (texts;
                offsets) {
            // Closed is deleted: they have no name.
        }
    }
}
