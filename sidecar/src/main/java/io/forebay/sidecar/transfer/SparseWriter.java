package io.forebay.sidecar.transfer;

import io.forebay.sidecar.transfer.Transfers.BufferIoException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * Writes pieces of a file that already has its final size and reads as zeros: blocks of 64 KiB (of the file, not of the piece)
 * that are all zeros are left out, so that a sparse file stays sparse and takes no memory in a tmpfs. Stateless.
 */
final class SparseWriter {
    private static final int BLOCK = 1 << 16;
    private static final MemorySegment ZEROS = Arena.global().allocate(BLOCK);

    private SparseWriter() {}

    /** Whether a file of this size is worth it. */
    static boolean suits(long fileSize) {
        return fileSize >= 2L * BLOCK;
    }

    static void write(BufferFile file, ByteBuffer piece, long offset) throws BufferIoException {
        var bytes = MemorySegment.ofBuffer(piece);
        long length = bytes.byteSize();
        long pending = 0; // start of what is to be written
        long at = 0;
        while (at < length) {
            long end = Math.min(length, at + BLOCK - (offset + at) % BLOCK);
            if (allZeros(bytes, at, end)) {
                put(file, piece, offset, pending, at);
                pending = end;
            }
            at = end;
        }
        put(file, piece, offset, pending, length);
    }

    private static boolean allZeros(MemorySegment bytes, long from, long to) {
        return MemorySegment.mismatch(bytes, from, to, ZEROS, 0, to - from) == -1;
    }

    private static void put(BufferFile file, ByteBuffer piece, long offset, long from, long to)
            throws BufferIoException {
        if (from < to) {
            file.write(piece.slice(piece.position() + (int) from, (int) (to - from)), offset + from);
        }
    }
}
