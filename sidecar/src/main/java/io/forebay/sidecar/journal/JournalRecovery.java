package io.forebay.sidecar.journal;

import io.forebay.sidecar.journal.JournalWriter.Tuning;
import io.forebay.sidecar.journal.LogFolder.LogFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * From the journal of an earlier life to the one of this life, in passes: 1 header, 2 where it ends and what is alive ({@link
 * JournalScan}), 3 set aside what is torn or damaged, 4 living records to the caller and to a new file, 5 the new file in
 * the old one's place. Killed after any of them, the next start finds the old file or the new one, whole.
 */
record JournalRecovery(JournalWriter writer, long records, long cutBytes, long lostBytes, Optional<String> setAside) {
    /** Of a torn tail as much is kept: more than any batch of ordinary records. */
    private static final long MAX_KEPT_TAIL_BYTES = 16L << 20;

    static JournalRecovery run(
            LogFolder folder, String name, Tuning tuning, OnDamage onDamage, Consumer<JournalRecord> replay)
            throws IOException {
        if (!folder.exists(name)) {
            return replace(folder, name, tuning, null, JournalScan.ofNothing(), replay, 0, Optional.empty());
        }
        try (var file = folder.open(name)) {
            long size = file.size();
            if (size < JournalFormat.HEADER_BYTES) {
                // Its header was durable before it had this name: it was cut, and held no record.
                var kept = setAside(folder, name, ".torn", file, 0, size);
                return replace(folder, name, tuning, null, JournalScan.ofTorn(size), replay, 0, kept);
            }
            byte[] id;
            try {
                id = header(file, folder.path(name));
            } catch (JournalException e) {
                if (e.kind() != JournalException.Kind.DAMAGED || onDamage == OnDamage.REFUSE) {
                    throw e;
                }
                // The id is gone, and with it all checksums.
                var kept = setAside(folder, name, ".damaged", file, 0, size);
                return replace(folder, name, tuning, null, JournalScan.ofNothing(), replay, size, kept);
            }
            var in = new FrameReader(file, id, size);
            var scan = JournalScan.of(in, folder.path(name), onDamage);
            var kept = scan.lostBytes() > 0
                    ? setAside(folder, name, ".damaged", file, 0, size)
                    : setAside(folder, name, ".torn", file, scan.tornFrom(), scan.tornTo());
            return replace(folder, name, tuning, in, scan, replay, scan.lostBytes(), kept);
        }
    }

    private static JournalRecovery replace(
            LogFolder folder,
            String name,
            Tuning tuning,
            @Nullable FrameReader old,
            JournalScan scan,
            Consumer<JournalRecord> replay,
            long lost,
            Optional<String> setAside)
            throws IOException {
        var records = new long[1];
        var writer = JournalWriter.prepare(folder, name, tuning, old, scan, frame -> {
            replay.accept(decode(frame, folder.path(name)));
            records[0]++;
        });
        writer.publish();
        return new JournalRecovery(writer, records[0], scan.tornTo() - scan.tornFrom(), lost, setAside);
    }

    private static JournalRecord decode(JournalFormat.Frame frame, String path) throws JournalException {
        try {
            return JournalCodec.decode(frame.type(), frame.payload());
        } catch (IOException e) {
            // Its checksum is right: it was meant so.
            throw JournalFormat.newer(
                    path, frame.place(), "the record at byte " + frame.place() + " cannot be read: " + e.getMessage());
        }
    }

    private static byte[] header(LogFile file, String path) throws IOException {
        var header = ByteBuffer.allocate(JournalFormat.HEADER_BYTES);
        file.read(header, 0);
        return JournalFormat.readHeader(header.flip(), path);
    }

    /** For people to look at; not worth failing for. One of each kind is kept. */
    private static Optional<String> setAside(
            LogFolder folder, String name, String suffix, LogFile file, long from, long to) {
        if (from >= to) {
            return Optional.empty();
        }
        var aside = name + suffix;
        try (var out = folder.create(aside)) {
            long end = suffix.equals(".torn") ? Math.min(to, from + MAX_KEPT_TAIL_BYTES) : to;
            var piece = ByteBuffer.allocate(64 << 10);
            for (long at = from; at < end; at += piece.limit()) {
                piece.clear().limit((int) Math.min(piece.capacity(), end - at));
                file.read(piece, at);
                out.write(piece.rewind(), at - from);
            }
            return Optional.of(folder.path(aside));
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
