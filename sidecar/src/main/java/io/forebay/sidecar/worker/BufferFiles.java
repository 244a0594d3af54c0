package io.forebay.sidecar.worker;

import io.forebay.sidecar.os.Errno;
import io.forebay.sidecar.os.Open;
import io.forebay.sidecar.os.Posix;
import io.forebay.sidecar.os.PosixException;
import io.forebay.sidecar.os.PosixIo;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;

/** Small things that the worker does to files of its own buffer. */
final class BufferFiles {
    /** The kernel needs direct memory; bytes for the heap go through this much of it. */
    private static final int BOUNCE = 64 << 10;

    private BufferFiles() {}

    /** Makes a folder and its parents; those that exist are fine. */
    static void folders(String path) throws PosixException {
        try {
            Posix.mkdirat(null, path, 0755);
        } catch (PosixException e) {
            if (e.is(Errno.EEXIST)) {
                return;
            }
            int slash = path.lastIndexOf('/');
            if (!e.is(Errno.ENOENT) || slash <= 0) {
                throw e;
            }
            folders(path.substring(0, slash));
            folders(path);
        }
    }

    /** Fills {@code dst}, heap or direct, from {@code offset} on. @throws EOFException the file is shorter */
    static void read(String path, long offset, ByteBuffer dst) throws IOException {
        try (var fd = Posix.open(path, Open.RDONLY);
                var arena = Arena.ofConfined()) {
            var direct = dst.isDirect() ? dst : arena.allocate(Math.min(dst.remaining(), BOUNCE)).asByteBuffer();
            long at = offset;
            while (dst.hasRemaining()) {
                if (direct != dst) {
                    direct.clear().limit(Math.min(direct.capacity(), dst.remaining()));
                }
                int n = PosixIo.pread(fd, direct, at);
                if (n <= 0) {
                    throw new EOFException(path + " ends at " + at + ", " + dst.remaining() + " bytes are missing");
                }
                if (direct != dst) {
                    dst.put(direct.flip());
                }
                at += n;
            }
        }
    }
}
