package io.forebay.sidecar.store.posix;

import io.forebay.sidecar.os.Fd;
import io.forebay.sidecar.os.Open;
import io.forebay.sidecar.os.Posix;
import io.forebay.sidecar.os.PosixException;
import io.forebay.sidecar.os.PosixIo;
import io.forebay.sidecar.store.Store.PieceSink;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.StoreException.Kind;
import io.forebay.sidecar.store.Version;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.concurrent.ArrayBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * One ranged read of one pinned version: open, still that version? read, still that version? close. While the sink takes a piece the
 * next one is read, unless so many other reads are under way that they overlap anyway. Pieces are in memory of our own, not in the caller's: when a read hangs, its caller leaves and uses that memory for
 * something else, into which a late read must not write. Used by one caller.
 */
final class RangeReader {
    /** Large enough that the change of threads does not count, small enough for the caches. */
    private static final int PIECE = 512 << 10;

    /** With as many calls under way reading ahead would only take memory. */
    private static final int BUSY = 4;

    /** Memory to use again: as much as is read into at once. */
    private static final ArrayBlockingQueue<MemorySegment> POOL = new ArrayBlockingQueue<>(32);

    /** What holes are given to the sink as. */
    private static final MemorySegment ZEROS = Arena.global().allocate(PIECE).asReadOnly();

    private final IoPool pool;
    private final Version.Posix version;
    private final long end;
    private final int pieceBytes;
    private final Shared uses = new Shared(this::release);

    /** All below is used by one call on the pool at a time, {@link #release} last. */
    private @Nullable Fd file;

    private final MemorySegment[] memory = new MemorySegment[2];
    private long at;
    /** Whether the file has holes that can be told. */
    private boolean holes;
    /** Where data was last found, at or after the offset that was asked about. */
    private long data;
    /** Which memory is filled next; changed by the caller between two calls. */
    private int turn;

    RangeReader(IoPool pool, Version.Posix version, long offset, long length, int pieceBytes) {
        this.pool = pool;
        this.version = version;
        this.at = offset;
        this.end = offset + length;
        this.data = -1;
        this.pieceBytes = Math.min(pieceBytes, PIECE);
    }

    private record Piece(long offset, ByteBuffer bytes) {}

    void readTo(PieceSink sink) throws StoreException, InterruptedException {
        try {
            var coming = next();
            while (true) {
                var piece = coming.await();
                boolean last = piece.offset + piece.bytes.remaining() >= end;
                boolean ahead = pool.load() < BUSY;
                if (!last && ahead) {
                    turn = 1 - turn;
                    coming = next();
                }
                give(sink, piece);
                if (last) {
                    return;
                }
                if (!ahead) {
                    coming = next();
                }
            }
        } catch (PosixException e) {
            throw PosixErrors.of("reading " + version.key(), e);
        } finally {
            uses.close();
        }
    }

    private IoPool.Task<Piece> next() throws StoreException {
        return pool.start(uses, this::readPiece, late -> {});
    }

    private void give(PieceSink sink, Piece piece) throws StoreException {
        if (!piece.bytes.hasRemaining()) {
            return;
        }
        try {
            sink.accept(piece.offset, piece.bytes);
        } catch (IOException e) {
            throw new StoreException(
                    Kind.PERMANENT, "reading " + version.key() + ": where it goes failed: " + e.getMessage(), e);
        }
    }

    private Piece readPiece() throws PosixException, StoreException {
        var fd = file;
        if (fd == null) {
            // NONBLOCK: if a FIFO has taken the name, opening it must not wait for a writer.
            fd = Posix.open(version.key(), Open.RDONLY | Open.NONBLOCK);
            file = fd;
            var stat = Posix.fstat(fd);
            Pins.requireSame(version, stat);
            if (end - at > PIECE) {
                PosixIo.advise(fd, at, end - at, PosixIo.Advice.SEQUENTIAL);
            }
            holes = stat.allocatedBytes() < stat.size() && Posix.fstatfs(fd).tellsHolesRightly();
        }
        long offset = at;
        long length = Math.min(pieceBytes, end - at);
        var piece = (isHole(fd, length) ? ZEROS : memory()).asSlice(0, length);
        long n = piece.isReadOnly() ? length : PosixIo.pread(fd, piece, offset);
        at += n;
        if (n < piece.byteSize() || at == end) {
            Pins.requireSame(version, Posix.fstat(fd));
        }
        if (n < piece.byteSize()) {
            throw new StoreException(
                    Kind.TRANSIENT,
                    "reading " + version.key() + ": the file ended at byte " + at + ", though its size is still "
                            + version.size());
        }
        return new Piece(offset, piece.asByteBuffer());
    }

    /** Whether the next bytes are known to be zeros without reading them. */
    private boolean isHole(Fd fd, long length) throws PosixException {
        if (!holes) {
            return false;
        }
        if (data < at) {
            long next = PosixIo.seekData(fd, at);
            data = next < 0 ? Long.MAX_VALUE : next;
        }
        return data >= at + length;
    }

    /** Two in turn: one is at the sink while the other is filled. */
    private MemorySegment memory() {
        var m = memory[turn];
        if (m == null) {
            var pooled = POOL.poll();
            m = pooled == null ? Arena.ofAuto().allocate(PIECE, 4096) : pooled;
            memory[turn] = m;
        }
        return m;
    }

    private void release() {
        if (file != null) {
            file.close();
        }
        for (var m : memory) {
            if (m != null) {
                POOL.offer(m);
            }
        }
    }
}
