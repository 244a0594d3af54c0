package io.forebay.sidecar.journal;

import io.forebay.sidecar.journal.JournalFormat.Frame;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * First pass over a journal: where it ends, whether its end is torn or its middle damaged (see {@link JournalFormat}), and
 * which attempts are alive. Reads only.
 *
 * @param end behind the last frame that counts
 * @param tornFrom first byte of the torn tail; equal to {@code tornTo}: there is none
 * @param tornTo behind its last byte that is not zero
 * @param lostBytes that are no frames, between frames or behind them, and were durable (with SALVAGE)
 * @param alive attempt to the place of the first frame of it that counts
 */
record JournalScan(long end, long tornFrom, long tornTo, long lostBytes, Map<Attempt, Long> alive) {

    @FunctionalInterface
    interface FrameVisitor {
        void visit(Frame frame) throws IOException;
    }

    static JournalScan ofNothing() {
        return ofTorn(0);
    }

    /** Of a file without a single frame. */
    static JournalScan ofTorn(long bytes) {
        return new JournalScan(JournalFormat.HEADER_BYTES, 0, bytes, 0, Map.of());
    }

    /** Of a journal that this process wrote itself. */
    static JournalScan ofRunning(long end, Map<Attempt, Long> alive) {
        return new JournalScan(end, end, end, 0, alive);
    }

    /** @throws JournalException DAMAGED (with REFUSE), NEWER */
    static JournalScan of(FrameReader in, String file, OnDamage onDamage) throws IOException {
        var alive = new HashMap<Attempt, Long>();
        long at = JournalFormat.HEADER_BYTES;
        long lost = 0;
        while (true) {
            var frame = in.frameAt(at);
            if (frame != null) {
                count(frame, alive, file);
                at = frame.end();
                continue;
            }
            if (in.skipZeros(at, in.size()) == in.size()) {
                return new JournalScan(at, at, at, lost, alive);
            }
            var next = nextFrame(in, at);
            if (isTorn(in, at, next)) {
                return new JournalScan(at, at, in.endOfNonZero(at), lost, alive);
            }
            if (onDamage == OnDamage.REFUSE) {
                throw JournalException.damaged(file, at, "a record that was durable does not have its checksum");
            }
            if (next == null) {
                return new JournalScan(at, at, at, lost + in.endOfNonZero(at) - at, alive);
            }
            lost += next.place() - at;
            at = next.place();
        }
    }

    /**
     * Second pass: the frames of living attempts, in order.
     *
     * @throws JournalException DAMAGED: a frame that the first pass saw cannot be read any more
     */
    void forEachAlive(FrameReader in, String file, FrameVisitor visitor) throws IOException {
        long at = JournalFormat.HEADER_BYTES;
        while (at < end) {
            var frame = in.frameAt(at);
            if (frame == null) {
                if (lostBytes == 0) {
                    throw JournalException.damaged(file, at, "a record that was durable does not have its checksum");
                }
                frame = nextFrame(in, at);
                if (frame == null) {
                    return;
                }
            }
            at = frame.end();
            var from = alive.get(frame.attempt());
            if (from != null && from <= frame.place()) {
                visitor.visit(frame);
            }
        }
    }

    private static void count(Frame frame, Map<Attempt, Long> alive, String file) throws JournalException {
        if (!JournalCodec.known(frame.type())) {
            throw JournalFormat.newer(
                    file, frame.place(), "a record at byte " + frame.place() + " has type " + frame.type());
        }
        if (JournalCodec.isOver(frame.type())) {
            alive.remove(frame.attempt());
        } else {
            alive.putIfAbsent(frame.attempt(), frame.place());
        }
    }

    /** The first whole frame behind {@code bad}; null: none. */
    private static @Nullable Frame nextFrame(FrameReader in, long bad) throws IOException {
        return frameFrom(in, bad + 1);
    }

    /** The first whole frame at {@code place} or behind; null: none. */
    private static @Nullable Frame frameFrom(FrameReader in, long place) throws IOException {
        long at = place;
        while (true) {
            // At most three of the four bytes of a length are zero.
            long nonZero = in.skipZeros(at, in.size());
            if (nonZero == in.size()) {
                return null;
            }
            for (at = Math.max(at, nonZero - 3); at <= nonZero; at++) {
                var frame = in.frameAt(at);
                if (frame != null) {
                    return frame;
                }
            }
        }
    }

    /** @param next the first whole frame behind it */
    private static boolean isTorn(FrameReader in, long bad, @Nullable Frame next) throws IOException {
        for (var later = next; later != null; later = frameFrom(in, later.end())) {
            if (later.durable() > bad) {
                return false;
            }
        }
        int length = in.lengthAt(bad);
        if (length < 0 || length > in.size() - bad - JournalFormat.PREFIX_BYTES) {
            return true; // the file ends inside it
        }
        if (length < JournalFormat.FIXED_BYTES) {
            long lengthEnd = bad + Integer.BYTES;
            return in.skipZeros(lengthEnd, in.size()) == in.size() || lacksSector(in, bad, lengthEnd);
        }
        long end = bad + JournalFormat.PREFIX_BYTES + length;
        return in.skipZeros(end - 1, end) == end || lacksSector(in, bad, end);
    }

    /** Whether the part of [from, to) in some sector is all zero. */
    private static boolean lacksSector(FrameReader in, long from, long to) throws IOException {
        for (long start = from; start < to; start = nextSector(start)) {
            long end = Math.min(to, nextSector(start));
            if (in.skipZeros(start, end) == end) {
                return true;
            }
        }
        return false;
    }

    private static long nextSector(long place) {
        return (place / JournalFormat.SECTOR_BYTES + 1) * JournalFormat.SECTOR_BYTES;
    }
}
