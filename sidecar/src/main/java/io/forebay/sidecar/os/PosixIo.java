package io.forebay.sidecar.os;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;

/**
 * Bytes of open files: reading, writing, making durable, holes, copies inside the kernel. Each method is the system call of that
 * name, tried again after EINTR. All block.
 */
public final class PosixIo {
    private PosixIo() {}

    private static final Libc PREAD = Libc.transfer("pread");
    private static final Libc PWRITE = Libc.transfer("pwrite");
    private static final Libc FSYNC = Libc.words("fsync", 1);
    private static final Libc FDATASYNC = Libc.words("fdatasync", 1);
    private static final Libc SYNCFS = Libc.words("syncfs", 1);
    private static final Libc FTRUNCATE = Libc.words("ftruncate", 2);
    private static final Libc FALLOCATE = Libc.words("fallocate", 4);
    private static final Libc LSEEK = Libc.words("lseek", 3);
    private static final Libc COPY_FILE_RANGE = Libc.words("copy_file_range", 6);
    private static final Libc SENDFILE = Libc.words("sendfile", 4);
    private static final Libc FADVISE = Libc.words("posix_fadvise", 4);

    private static final Libc FCNTL = Libc.words("fcntl", 3);

    private static final int F_SETFL = 4;
    private static final int SEEK_DATA = 3;
    private static final int SEEK_HOLE = 4;
    private static final int FALLOC_FL_KEEP_SIZE = 1;
    private static final int FALLOC_FL_PUNCH_HOLE = 2;

    /** What the kernel is told about coming accesses: posix_fadvise(2). */
    public enum Advice {
        NORMAL(0),
        RANDOM(1),
        SEQUENTIAL(2),
        WILL_NEED(3),
        DONT_NEED(4);

        private final int number;

        Advice(int number) {
            this.number = number;
        }
    }

    /** Reads until {@code to} is full or the file ends. @return bytes read; less than asked only at the end of the file */
    public static long pread(Fd fd, MemorySegment to, long offset) throws PosixException {
        long done = 0;
        try (var s = Scratch.take()) {
            while (done < to.byteSize()) {
                long n = PREAD.call(s, fd.number(), to.asSlice(done), to.byteSize() - done, offset + done);
                if (n == 0) {
                    break;
                }
                if (n > 0) {
                    done += n;
                } else {
                    Posix.again(s, PREAD, fd, "");
                }
            }
        }
        return done;
    }

    /** Reads into the remaining space of a direct buffer, whose position moves on. @return bytes read, see above */
    public static int pread(Fd fd, ByteBuffer to, long offset) throws PosixException {
        int n = (int) pread(fd, direct(to), offset);
        to.position(to.position() + n);
        return n;
    }

    /** Writes all of {@code from}. */
    public static void pwrite(Fd fd, MemorySegment from, long offset) throws PosixException {
        long done = 0;
        try (var s = Scratch.take()) {
            while (done < from.byteSize()) {
                long n = PWRITE.call(s, fd.number(), from.asSlice(done), from.byteSize() - done, offset + done);
                if (n > 0) {
                    done += n;
                } else if (n == 0) {
                    // Never seen on regular files; without this a broken file system would keep us here for ever.
                    throw new PosixException(Errno.EIO.number(), "pwrite (0 bytes written)", fd.path());
                } else {
                    Posix.again(s, PWRITE, fd, "");
                }
            }
        }
    }

    /** Writes the remaining bytes of a direct buffer, whose position moves to its limit. */
    public static void pwrite(Fd fd, ByteBuffer from, long offset) throws PosixException {
        pwrite(fd, direct(from), offset);
        from.position(from.limit());
    }

    private static MemorySegment direct(ByteBuffer buffer) {
        if (!buffer.isDirect()) {
            throw new IllegalArgumentException("the kernel needs a direct buffer");
        }
        return MemorySegment.ofBuffer(buffer);
    }

    /** After a failure the kernel may have dropped the bytes and forget the error: the file must be written anew. */
    public static void fsync(Fd fd) throws PosixException {
        one(FSYNC, fd);
    }

    public static void fdatasync(Fd fd) throws PosixException {
        one(FDATASYNC, fd);
    }

    /** Makes all of the file system durable on which this file lies; reports write errors since the file was opened (Linux >= 5.8). */
    public static void syncfs(Fd fd) throws PosixException {
        one(SYNCFS, fd);
    }

    private static void one(Libc call, Fd fd) throws PosixException {
        try (var s = Scratch.take()) {
            while ((int) call.call(s, fd.number()) != 0) {
                Posix.again(s, call, fd, "");
            }
        }
    }

    public static void ftruncate(Fd fd, long size) throws PosixException {
        try (var s = Scratch.take()) {
            while ((int) FTRUNCATE.call(s, fd.number(), size) != 0) {
                Posix.again(s, FTRUNCATE, fd, "");
            }
        }
    }

    /** Reserves space; the size grows where needed. EOPNOTSUPP where the file system cannot. */
    public static void allocate(Fd fd, long offset, long length) throws PosixException {
        fallocate(fd, 0, offset, length);
    }

    /** Gives space back; the bytes read as zeros, the size stays. EOPNOTSUPP where the file system cannot. */
    public static void punchHole(Fd fd, long offset, long length) throws PosixException {
        fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, length);
    }

    private static void fallocate(Fd fd, int mode, long offset, long length) throws PosixException {
        try (var s = Scratch.take()) {
            while ((int) FALLOCATE.call(s, fd.number(), mode, offset, length) != 0) {
                Posix.again(s, FALLOCATE, fd, "");
            }
        }
    }

    /** First offset at or after {@code offset} that holds data; -1: only a hole up to the end. */
    public static long seekData(Fd fd, long offset) throws PosixException {
        return seek(fd, offset, SEEK_DATA);
    }

    /** First offset at or after {@code offset} that is a hole; the end of the file counts as one; -1: {@code offset} lies behind it. */
    public static long seekHole(Fd fd, long offset) throws PosixException {
        return seek(fd, offset, SEEK_HOLE);
    }

    private static long seek(Fd fd, long offset, int whence) throws PosixException {
        try (var s = Scratch.take()) {
            while (true) {
                long at = LSEEK.call(s, fd.number(), offset, whence);
                if (at >= 0) {
                    return at;
                }
                if (s.errnoNumber() == Errno.ENXIO.number()) {
                    return -1;
                }
                Posix.again(s, LSEEK, fd, "");
            }
        }
    }

    /** One call: may copy less than asked. @return bytes copied; 0 at the end of {@code from}. EXDEV, EOPNOTSUPP: not between these two */
    public static long copyFileRange(Fd from, long fromOffset, Fd to, long toOffset, long length)
            throws PosixException {
        try (var s = Scratch.take()) {
            var offsets = s.struct();
            while (true) {
                offsets.set(ValueLayout.JAVA_LONG, 0, fromOffset);
                offsets.set(ValueLayout.JAVA_LONG, 8, toOffset);
                long a = offsets.address();
                long n = COPY_FILE_RANGE.call(s, from.number(), a, to.number(), a + 8, length, 0);
                if (n >= 0) {
                    return n;
                }
                Posix.again(s, COPY_FILE_RANGE, to, "");
            }
        }
    }

    /** One call: appends to the position of {@code to}, which must not be shared. @return bytes sent; 0 at the end of {@code from} */
    public static long sendfile(Fd to, Fd from, long fromOffset, long length) throws PosixException {
        try (var s = Scratch.take()) {
            var offset = s.struct();
            while (true) {
                offset.set(ValueLayout.JAVA_LONG, 0, fromOffset);
                long n = SENDFILE.call(s, to.number(), from.number(), offset.address(), length);
                if (n >= 0) {
                    return n;
                }
                Posix.again(s, SENDFILE, to, "");
            }
        }
    }

    /**
     * Whether what is read from now on comes from the medium rather than from the page cache (O_DIRECT): then memory, offset and length have
     * to be aligned to its blocks. Not while another thread uses the descriptor.
     *
     * @return false: this file system does not know that; nothing is changed
     */
    public static boolean pastCache(Fd fd, boolean wanted) {
        try (var s = Scratch.take()) {
            return FCNTL.call(s, fd.number(), F_SETFL, wanted ? Open.DIRECT : 0) == 0;
        }
    }

    /** A hint; never fails. @param length 0: to the end */
    public static void advise(Fd fd, long offset, long length, Advice advice) {
        try (var s = Scratch.take()) {
            FADVISE.call(s, fd.number(), offset, length, advice.number);
        }
    }
}
