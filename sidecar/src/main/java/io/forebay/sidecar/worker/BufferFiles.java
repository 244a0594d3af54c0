package io.forebay.sidecar.worker;

import io.forebay.sidecar.os.Errno;
import io.forebay.sidecar.os.Fd;
import io.forebay.sidecar.os.Open;
import io.forebay.sidecar.os.Posix;
import io.forebay.sidecar.os.PosixException;
import io.forebay.sidecar.os.PosixIo;
import io.forebay.sidecar.store.FileMeta;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/** Small things that the worker does to files of its own buffer. */
public final class BufferFiles {
    /** Of native memory, for buffers on the heap. */
    private static final int WINDOW = 1 << 16;
    /** No set-id bits: the owner here is not who made it. */
    private static final int PERMISSIONS = 0777;

    private BufferFiles() {}

    /** Makes a folder and its parents; those that exist are fine. */
    public static void folders(String path) throws PosixException {
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

    /** Makes an empty folder, with mode and time as far as they are known; one that is there stays as it is. */
    public static void emptyFolder(String path, FileMeta meta) throws PosixException {
        folders(path.substring(0, path.lastIndexOf('/')));
        try {
            Posix.mkdirat(null, path, 0755);
        } catch (PosixException e) {
            if (e.is(Errno.EEXIST)) {
                return;
            }
            throw e;
        }
        if (meta.mode() >= 0) {
            Posix.fchmodat(null, path, meta.mode() & PERMISSIONS);
        }
        if (meta.mtimeNanos() != -1) {
            Posix.setMtimeAt(null, path, meta.mtimeNanos());
        }
    }

    /** Fills {@code dst}, of any kind, from {@code offset} on. @throws EOFException the file is shorter */
    public static void read(String path, long offset, ByteBuffer dst) throws IOException {
        try (var fd = Posix.open(path, Open.RDONLY);
                var arena = Arena.ofConfined()) {
            var window = dst.isDirect()
                    ? MemorySegment.NULL
                    : arena.allocate(Math.max(1, Math.min(dst.remaining(), WINDOW)));
            long at = offset;
            while (dst.hasRemaining()) {
                long n = dst.isDirect() ? PosixIo.pread(fd, dst, at) : pread(fd, dst, at, window);
                if (n <= 0) {
                    throw new EOFException(path + " ends at " + at + ", " + dst.remaining() + " bytes are missing");
                }
                at += n;
            }
        }
    }

    private static long pread(Fd fd, ByteBuffer dst, long at, MemorySegment window) throws IOException {
        var piece = window.asSlice(0, Math.min(window.byteSize(), dst.remaining()));
        long n = PosixIo.pread(fd, piece, at);
        if (n > 0) {
            dst.put(piece.asSlice(0, n).asByteBuffer());
        }
        return n;
    }

    /** Makes a symbolic link; one that is there already is replaced. */
    public static void link(String target, String path) throws PosixException {
        try {
            Posix.symlinkat(target, null, path);
        } catch (PosixException e) {
            if (!e.is(Errno.EEXIST)) {
                throw e;
            }
            Posix.unlink(path);
            Posix.symlinkat(target, null, path);
        }
    }
}
