package io.forebay.sidecar.store.posix;

import io.forebay.sidecar.os.Errno;
import io.forebay.sidecar.os.Fd;
import io.forebay.sidecar.os.Posix;
import io.forebay.sidecar.os.PosixException;
import io.forebay.sidecar.os.PosixIo;
import io.forebay.sidecar.os.PosixIo.Advice;
import io.forebay.sidecar.store.StagedFile;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.StoreException.Kind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.zip.CRC32C;

/**
 * Reads a file again from where it is kept, rather than from this machine's memory, as far as the file system lets it: its pages are
 * dropped, and read past the page cache where that is known. All blocks; to be called on the pool. Stateless.
 */
final class ReadBack {
    private static final int CHUNK = 1 << 20;
    /** Addresses, offsets and lengths of reads past the page cache are multiples of the medium's block, which is no larger. */
    private static final int ALIGNED = 4096;

    private ReadBack() {}

    /**
     * @param file open for reading, synced
     * @throws StoreException CORRUPT: it is not what was written
     * @throws PosixException it cannot be read
     */
    static void require(Fd file, StagedFile.Stub stub, long crc32c) throws PosixException, StoreException {
        PosixIo.advise(file, 0, 0, Advice.DONT_NEED);
        long size = Posix.fstat(file).size();
        if (size != stub.size()) {
            throw differs(stub, "has " + size + " bytes instead of " + stub.size());
        }
        long found = crc32c(file, size);
        if (found != crc32c) {
            throw differs(stub, "has CRC32C %08x instead of %08x".formatted(found, crc32c));
        }
    }

    private static StoreException differs(StagedFile.Stub stub, String how) {
        return new StoreException(
                Kind.CORRUPT,
                "read back, " + stub.finalKey() + " is not what was written: its temporary file " + stub.handle() + " "
                        + how + ". Something else writes to it, or the medium fails");
    }

    private static long crc32c(Fd file, long size) throws PosixException {
        var crc = new CRC32C();
        long direct = size - size % ALIGNED;
        long done = 0;
        try (var arena = Arena.ofConfined()) {
            var chunk = arena.allocate(Math.clamp((size + ALIGNED - 1) / ALIGNED * ALIGNED, ALIGNED, CHUNK), ALIGNED);
            if (direct > 0 && PosixIo.pastCache(file, true)) {
                try {
                    done = read(file, chunk, 0, direct, crc);
                } catch (PosixException e) {
                    if (!e.is(Errno.EINVAL) && !e.is(Errno.EOPNOTSUPP)) {
                        throw e;
                    }
                    crc.reset(); // not here
                } finally {
                    PosixIo.pastCache(file, false);
                }
            }
            read(file, chunk, done, size, crc);
        }
        return crc.getValue();
    }

    /** @return {@code to}, or where the file ends before it */
    private static long read(Fd file, MemorySegment chunk, long from, long to, CRC32C crc) throws PosixException {
        long at = from;
        while (at < to) {
            var piece = chunk.asSlice(0, Math.min(chunk.byteSize(), to - at));
            long n = PosixIo.pread(file, piece, at);
            crc.update(piece.asSlice(0, n).asByteBuffer());
            at += n;
            if (n < piece.byteSize()) {
                break;
            }
        }
        return at;
    }
}
