package io.forebay.sidecar.os;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.ArrayBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * The names in a folder, one after the other, in the order of the file system, without {@code .} and {@code ..}. Holds 32 KiB
 * whatever the folder's size. A name that is added or removed meanwhile may or may not be told; all others are told once. Not
 * thread-safe.
 */
public final class Directory implements AutoCloseable {
    private static final Libc SYSCALL = Libc.words("syscall", 4);

    /** getdents64 has a wrapper in glibc only since 2.30. */
    private static final int GETDENTS64 = Open.isArm(System.getProperty("os.arch", "")) ? 61 : 217;

    private static final int CAPACITY = 1 << 15;

    /** Chunks to use again: a tree of a million folders must not allocate a million of them. */
    private static final ArrayBlockingQueue<MemorySegment> POOL = new ArrayBlockingQueue<>(64);

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;

    private final Fd fd;
    private final MemorySegment chunk;
    private long filled;
    private long at;

    private Directory(Fd fd) {
        this.fd = fd;
        var pooled = POOL.poll();
        chunk = pooled == null ? Arena.ofAuto().allocate(CAPACITY, 8) : pooled;
    }

    /** @param inode as getdents64 tells it @param type as far as the file system tells it without a stat; OTHER: it does not */
    public record Name(String name, long inode, Stat.Type type) {}

    /** Never through a symbolic link in the last component. */
    public static Directory open(@Nullable Fd dir, String name) throws PosixException {
        return new Directory(Posix.openFolder(dir, name));
    }

    /** Takes the descriptor over: it is closed with this object. Its position must be at the start. */
    public static Directory of(Fd fd) {
        return new Directory(fd);
    }

    /** The folder itself, to reach its files by name; closed with this object. */
    public Fd fd() {
        return fd;
    }

    /** The next name, or null after the last. */
    public @Nullable Name next() throws PosixException {
        while (true) {
            if (at >= filled && !fill()) {
                return null;
            }
            // struct linux_dirent64: inode u64, offset i64, record length u16, type u8, name up to a NUL
            long start = at;
            at += Short.toUnsignedLong(chunk.get(SHORT, start + 16));
            var name = name(start + 19, at);
            if (!name.equals(".") && !name.equals("..")) {
                return new Name(
                        name,
                        chunk.get(LONG, start),
                        Stat.Type.ofMode(chunk.get(ValueLayout.JAVA_BYTE, start + 18) << 12));
            }
        }
    }

    private String name(long from, long limit) {
        long end = from;
        while (end < limit && chunk.get(ValueLayout.JAVA_BYTE, end) != 0) {
            end++;
        }
        return Scratch.text(chunk.asSlice(from, end - from).toArray(ValueLayout.JAVA_BYTE));
    }

    private boolean fill() throws PosixException {
        try (var s = Scratch.take()) {
            while (true) {
                long n = SYSCALL.call(s, GETDENTS64, fd.number(), chunk.address(), CAPACITY);
                if (n >= 0) {
                    filled = n;
                    at = 0;
                    return n > 0;
                }
                if (s.errnoNumber() == Errno.ENOENT.number()) {
                    // Removed while it was read (NFS, network file systems): nothing more is in it.
                    return false;
                }
                if (s.errnoNumber() != Errno.EINTR.number()) {
                    throw new PosixException(s.errnoNumber(), "getdents64", fd.path());
                }
            }
        }
    }

    @Override
    public void close() {
        if (fd.isOpen()) {
            fd.close();
            POOL.offer(chunk);
        }
    }
}
