package io.forebay.sidecar.journal;

import io.forebay.sidecar.journal.LogFolder.LogFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The file under a journal: frames written at its end, made durable, rewritten without what is over. Not thread-safe, and no
 * queue: {@link JournalFile} has both. After an IOException from any method only {@link #close} may be called.
 */
final class JournalWriter implements Closeable {
    /** A frame to be. */
    record Entry(int type, Attempt attempt, ByteBuffer payload) {
        Entry(JournalRecord entry) {
            this(JournalCodec.typeNumber(entry), Attempt.of(entry), JournalCodec.encode(entry));
        }

        long bytes() {
            return JournalFormat.frameBytes(payload.remaining());
        }
    }

    /**
     * @param aheadBytes zeros written ahead; new ones are written when a quarter is left, so that an attempt that finds no space
     *     can be repeated
     * @param minDeadBytes a file with less that is over is not rewritten
     * @param batchBytes several small frames are one write of this size
     */
    record Tuning(int aheadBytes, long minDeadBytes, int batchBytes) {
        /** 1 MiB ahead is about 2,000 records of an ordinary item. */
        static final Tuning DEFAULT = new Tuning(1 << 20, 4L << 20, 256 << 10);
    }

    private static final SecureRandom IDS = new SecureRandom();

    private final LogFolder folder;
    private final String name;
    private final Tuning tuning;
    private final ByteBuffer batch;
    private LogFile file;
    private byte[] id;
    private long end;
    private long durable;
    private long zerosTo;
    private long compactAtDeadBytes;
    /** What each living attempt has in the file. */
    private Map<Attempt, Span> alive;

    /** @param from place of its first frame */
    private record Span(long from, long bytes) {}

    private JournalWriter(LogFolder folder, String name, LogFile file, byte[] id, Tuning tuning) {
        this.folder = folder;
        this.name = name;
        this.tuning = tuning;
        this.batch = ByteBuffer.allocate(tuning.batchBytes());
        this.compactAtDeadBytes = tuning.minDeadBytes();
        this.file = file;
        this.id = id;
        this.end = JournalFormat.HEADER_BYTES;
        this.alive = new HashMap<>();
    }

    /**
     * A new journal beside the old one, durable, with the old one's living frames; {@link #publish} puts it in the old one's
     * place.
     *
     * @param old to be read with {@code scan}; null: there was none
     * @param also told of each frame taken over
     */
    static JournalWriter prepare(
            LogFolder folder,
            String name,
            Tuning tuning,
            @Nullable FrameReader old,
            JournalScan scan,
            JournalScan.FrameVisitor also)
            throws IOException {
        var id = new byte[JournalFormat.ID_BYTES];
        IDS.nextBytes(id);
        var writer = new JournalWriter(folder, name, folder.create(tmp(name)), id, tuning);
        try {
            writer.file.write(JournalFormat.header(id), 0);
            if (old != null) {
                scan.forEachAlive(old, folder.path(name), frame -> {
                    writer.put(frame.type(), frame.attempt(), frame.payload());
                    also.visit(frame);
                });
            }
            writer.flushBatch();
            writer.writeAhead();
            writer.sync();
            return writer;
        } catch (IOException | RuntimeException | Error e) {
            writer.closeAfter(e);
            throw e;
        }
    }

    private static String tmp(String name) {
        return name + ".tmp";
    }

    /** Once this has failed neither the old file nor this one may be gone on with. */
    void publish() throws IOException {
        try {
            folder.rename(tmp(name), name);
            folder.sync();
        } catch (IOException | RuntimeException | Error e) {
            closeAfter(e);
            throw e;
        }
    }

    /** In the file at return, durable after the next {@link #sync}. */
    void write(List<Entry> entries) throws IOException {
        for (var e : entries) {
            put(e.type(), e.attempt(), e.payload());
        }
        flushBatch();
        if (zerosTo - end < tuning.aheadBytes() / 4) {
            writeAhead();
        }
    }

    void sync() throws IOException {
        file.force();
        durable = end;
    }

    long deadBytes() {
        return end
                - JournalFormat.HEADER_BYTES
                - alive.values().stream().mapToLong(Span::bytes).sum();
    }

    /**
     * Rewrites the file when most of it is of attempts that are over. Where that fails for want of space the old file goes on.
     * All that was written must have been synced.
     */
    void compactIfWorthwhile() throws IOException {
        if (end - JournalFormat.HEADER_BYTES < compactAtDeadBytes) {
            return;
        }
        long dead = deadBytes();
        if (dead < compactAtDeadBytes || dead < (end - JournalFormat.HEADER_BYTES) / 2) {
            return;
        }
        var places = new HashMap<Attempt, Long>();
        alive.forEach((attempt, span) -> places.put(attempt, span.from()));
        JournalWriter next;
        try {
            var old = new FrameReader(file, id, end);
            next = prepare(folder, name, tuning, old, JournalScan.ofRunning(end, places), frame -> {});
        } catch (JournalException e) {
            throw e; // what was durable cannot be read any more
        } catch (IOException e) {
            compactAtDeadBytes = 2 * dead;
            return;
        }
        next.publish();
        file.close();
        file = next.file;
        id = next.id;
        end = next.end;
        durable = next.durable;
        zerosTo = next.zerosTo;
        alive = next.alive;
        compactAtDeadBytes = tuning.minDeadBytes();
    }

    private void put(int type, Attempt attempt, ByteBuffer payload) throws IOException {
        long bytes = JournalFormat.frameBytes(payload.remaining());
        if (bytes > batch.remaining()) {
            flushBatch();
        }
        long place = end + batch.position();
        if (bytes > batch.capacity()) {
            var whole = ByteBuffer.allocate((int) bytes);
            JournalFormat.putFrame(whole, id, place, durable, type, attempt, payload);
            file.write(whole.flip(), place);
            end += bytes;
        } else {
            JournalFormat.putFrame(batch, id, place, durable, type, attempt, payload);
        }
        if (JournalCodec.isOver(type)) {
            alive.remove(attempt);
        } else {
            alive.merge(
                    attempt, new Span(place, bytes), (old, added) -> new Span(old.from(), old.bytes() + added.bytes()));
        }
    }

    private void flushBatch() throws IOException {
        if (batch.position() > 0) {
            int bytes = batch.position();
            file.write(batch.flip(), end);
            end += bytes;
            batch.clear();
        }
    }

    /** Where there is no space for zeros the file grows without. */
    private void writeAhead() {
        long from = Math.max(zerosTo, end);
        long to = end + tuning.aheadBytes();
        try {
            for (long at = from; at < to; ) {
                var zeros = ByteBuffer.allocate((int) Math.min(tuning.batchBytes(), to - at));
                file.write(zeros, at);
                at += zeros.capacity();
                zerosTo = at;
            }
        } catch (IOException e) {
            // No space, or an error that the next write or sync meets and tells.
        }
    }

    private void closeAfter(Throwable cause) {
        try {
            file.close();
        } catch (IOException e) {
            cause.addSuppressed(e);
        }
    }

    /** Cuts the zeros off. */
    void finish() throws IOException {
        file.truncate(end);
        file.force();
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
