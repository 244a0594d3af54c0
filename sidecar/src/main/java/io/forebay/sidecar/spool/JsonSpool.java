package io.forebay.sidecar.spool;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.forebay.message.MessageJson;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.AbstractList;
import java.util.List;
import java.util.RandomAccess;

/**
 * A list of JSON texts in local scratch files, so that a million of them need no heap: one file of texts, one of their offsets
 * (8 bytes each). Appended by one thread, read by any after {@link #finish}. The files have no name once opened: they go with
 * the process, however it ends.
 */
public final class JsonSpool implements AutoCloseable {
    private final ScratchFile texts;
    private final ScratchFile offsets;
    private final OutputStream textsOut;
    private final OutputStream offsetsOut;
    private long end;
    private int size;

    public JsonSpool(Path folder) throws IOException {
        texts = new ScratchFile(folder);
        offsets = new ScratchFile(folder);
        textsOut = new BufferedOutputStream(texts.end(), 1 << 16);
        offsetsOut = new BufferedOutputStream(offsets.end(), 1 << 13);
    }

    public void append(byte[] json) throws IOException {
        offsetsOut.write(ByteBuffer.allocate(8).putLong(end).array());
        textsOut.write(json);
        end += json.length;
        size++;
    }

    public void append(Object value) throws IOException {
        append(json(value));
    }

    public static byte[] json(Object value) {
        try {
            return MessageJson.MAPPER.writeValueAsBytes(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("cannot be written as JSON: " + value.getClass(), e);
        }
    }

    public void finish() throws IOException {
        textsOut.flush();
        offsetsOut.flush();
    }

    /** Back to empty. */
    public void clear() throws IOException {
        finish();
        texts.clear();
        offsets.clear();
        end = 0;
        size = 0;
    }

    public int size() {
        return size;
    }

    /** @throws IndexOutOfBoundsException not in the list */
    public byte[] get(long index) throws IOException {
        if (index < 0 || index >= size) {
            throw new IndexOutOfBoundsException("number " + index + " of " + size);
        }
        var at = ByteBuffer.allocate(16);
        offsets.read(at, index * 8);
        long start = at.getLong(0);
        long stop = index + 1 < size ? at.getLong(8) : end;
        var json = ByteBuffer.allocate(Math.toIntExact(stop - start));
        texts.read(json, start);
        return json.array();
    }

    public <T> T get(long index, Class<T> type) {
        try {
            return MessageJson.MAPPER.readValue(get(index), type);
        } catch (IOException e) {
            throw new UncheckedIOException("the scratch folder cannot be read", e);
        }
    }

    /** A view that reads each element anew. */
    public <T> List<T> asList(Class<T> type) {
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

    @Override
    public void close() throws IOException {
        try (texts;
                offsets) {
            // Closed is deleted: they have no name.
        }
    }
}
