package io.forebay.sidecar.store.posix;

import io.forebay.sidecar.os.Fd;
import io.forebay.sidecar.os.PosixException;
import io.forebay.sidecar.os.PosixIo;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Writing without the blocks that are all zeros, into a file that reads as zeros there already. Stateless. */
final class ZeroBlocks {
    private ZeroBlocks() {}

    /** Unit in which holes are left, counted from the start of the file: what file systems with large blocks still make a hole of. */
    static final int BLOCK = 1 << 16;

    private static final MemorySegment ZEROS = Arena.global().allocate(BLOCK);

    /** @return end of the last byte written; 0: all were zeros */
    static long pwrite(Fd fd, MemorySegment bytes, long offset) throws PosixException {
        long length = bytes.byteSize();
        long written = 0;
        long pending = 0;
        for (long at = 0; at < length; ) {
            long end = Math.min(length, at + BLOCK - (offset + at) % BLOCK);
            // A block cut off by the edge of the piece may have its other part elsewhere: no hole would come of it.
            if (end - at == BLOCK && MemorySegment.mismatch(bytes, at, end, ZEROS, 0, BLOCK) < 0) {
                written = put(fd, bytes, offset, pending, at, written);
                pending = end;
            }
            at = end;
        }
        return put(fd, bytes, offset, pending, length, written);
    }

    private static long put(Fd fd, MemorySegment bytes, long offset, long from, long to, long written)
            throws PosixException {
        if (from == to) {
            return written;
        }
        PosixIo.pwrite(fd, bytes.asSlice(from, to - from), offset + from);
        return offset + to;
    }
}
