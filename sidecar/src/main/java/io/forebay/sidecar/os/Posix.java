package io.forebay.sidecar.os;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * Names and metadata. Each method is the system call of that name, tried again after EINTR; what it does is in that call's manual
 * page. Names are Strings of {@link io.forebay.api.name.NameBytes}; one with a NUL is refused with EINVAL. A {@code dir} of
 * null means that the name is absolute, or counts from the working directory. All block, also a virtual thread's carrier.
 */
public final class Posix {
    private Posix() {}

    private static final int AT_FDCWD = -100;
    private static final int AT_SYMLINK_NOFOLLOW = 0x100;
    private static final int AT_REMOVEDIR = 0x200;
    private static final int AT_EMPTY_PATH = 0x1000;
    private static final int STATX_BASIC_STATS = 0x7ff;
    private static final long UTIME_OMIT = 0x3ffffffeL;
    private static final long NANOS = 1_000_000_000L;

    private static final Libc OPENAT = Libc.words("openat", 4);
    private static final Libc RENAMEAT = Libc.words("renameat", 4);
    private static final Libc LINKAT = Libc.words("linkat", 5);
    private static final Libc UNLINKAT = Libc.words("unlinkat", 3);
    private static final Libc MKDIRAT = Libc.words("mkdirat", 3);
    private static final Libc MKFIFOAT = Libc.words("mkfifoat", 3);
    private static final Libc SYMLINKAT = Libc.words("symlinkat", 3);
    private static final Libc READLINKAT = Libc.words("readlinkat", 4);
    private static final Libc STATX = Libc.words("statx", 5);
    private static final Libc FCHMOD = Libc.words("fchmod", 2);
    private static final Libc FCHMODAT = Libc.words("fchmodat", 4);
    private static final Libc FCHOWN = Libc.words("fchown", 3);
    private static final Libc FCHOWNAT = Libc.words("fchownat", 5);
    private static final Libc UTIMENSAT = Libc.words("utimensat", 4);
    private static final Libc FUTIMENS = Libc.words("futimens", 2);
    private static final Libc STATFS = Libc.words("statfs", 2);
    private static final Libc FSTATFS = Libc.words("fstatfs", 2);

    // ---- opening

    /** @param flags of {@link Open} */
    public static Fd open(String path, int flags) throws PosixException {
        return openat(null, path, flags, 0);
    }

    /** @param mode of a file that is created, less the umask */
    public static Fd open(String path, int flags, int mode) throws PosixException {
        return openat(null, path, flags, mode);
    }

    public static Fd openat(@Nullable Fd dir, String name, int flags) throws PosixException {
        return openat(dir, name, flags, 0);
    }

    public static Fd openat(@Nullable Fd dir, String name, int flags, int mode) throws PosixException {
        try (var s = Scratch.take()) {
            long at = number(dir);
            long n = s.name("openat", name);
            while (true) {
                int fd = (int) OPENAT.call(s, at, n, flags | Open.CLOEXEC, mode);
                if (fd >= 0) {
                    return new Fd(fd, path(dir, name));
                }
                again(s, OPENAT, dir, name);
            }
        }
    }

    /** A folder, never through a symbolic link in the last component (ENOTDIR or ELOOP then). */
    public static Fd openFolder(@Nullable Fd dir, String name) throws PosixException {
        return openat(dir, name, Open.RDONLY | Open.DIRECTORY | Open.NOFOLLOW);
    }

    // ---- names

    public static void rename(String from, String to) throws PosixException {
        renameat(null, from, null, to);
    }

    public static void renameat(@Nullable Fd fromDir, String from, @Nullable Fd toDir, String to)
            throws PosixException {
        try (var s = Scratch.take()) {
            long f = number(fromDir);
            long a = s.name("renameat", from);
            long t = number(toDir);
            long b = s.secondName("renameat", to);
            while ((int) RENAMEAT.call(s, f, a, t, b) != 0) {
                again(s, RENAMEAT, fromDir, path(fromDir, from) + " to " + path(toDir, to), true);
            }
        }
    }

    public static void link(String from, String to) throws PosixException {
        linkat(null, from, null, to);
    }

    public static void linkat(@Nullable Fd fromDir, String from, @Nullable Fd toDir, String to) throws PosixException {
        try (var s = Scratch.take()) {
            long f = number(fromDir);
            long a = s.name("linkat", from);
            long t = number(toDir);
            long b = s.secondName("linkat", to);
            while ((int) LINKAT.call(s, f, a, t, b, 0) != 0) {
                again(s, LINKAT, fromDir, path(fromDir, from) + " to " + path(toDir, to), true);
            }
        }
    }

    public static void unlink(String path) throws PosixException {
        unlinkat(null, path);
    }

    public static void unlinkat(@Nullable Fd dir, String name) throws PosixException {
        unlinkat(dir, name, 0);
    }

    /** As {@link #unlinkat}. @return false: there was no such name. For where that is nothing out of the ordinary */
    public static boolean unlinkatIfThere(@Nullable Fd dir, String name) throws PosixException {
        try (var s = Scratch.take()) {
            long at = number(dir);
            long n = s.name("unlinkat", name);
            while ((int) UNLINKAT.call(s, at, n, 0) != 0) {
                if (s.errnoNumber() == Errno.ENOENT.number()) {
                    return false;
                }
                again(s, UNLINKAT, dir, name);
            }
            return true;
        }
    }

    public static void rmdirat(@Nullable Fd dir, String name) throws PosixException {
        unlinkat(dir, name, AT_REMOVEDIR);
    }

    private static void unlinkat(@Nullable Fd dir, String name, int flags) throws PosixException {
        try (var s = Scratch.take()) {
            long at = number(dir);
            long n = s.name("unlinkat", name);
            while ((int) UNLINKAT.call(s, at, n, flags) != 0) {
                again(s, UNLINKAT, dir, name);
            }
        }
    }

    public static void mkdirat(@Nullable Fd dir, String name, int mode) throws PosixException {
        withMode(MKDIRAT, dir, name, mode);
    }

    public static void mkfifoat(@Nullable Fd dir, String name, int mode) throws PosixException {
        withMode(MKFIFOAT, dir, name, mode);
    }

    private static void withMode(Libc call, @Nullable Fd dir, String name, int mode) throws PosixException {
        try (var s = Scratch.take()) {
            long at = number(dir);
            long n = s.name(call.name(), name);
            while ((int) call.call(s, at, n, mode) != 0) {
                again(s, call, dir, name);
            }
        }
    }

    /** @param target text of the link, as it is */
    public static void symlinkat(String target, @Nullable Fd dir, String name) throws PosixException {
        try (var s = Scratch.take()) {
            long t = s.name("symlinkat", target);
            long at = number(dir);
            long n = s.secondName("symlinkat", name);
            while ((int) SYMLINKAT.call(s, t, at, n) != 0) {
                again(s, SYMLINKAT, dir, name);
            }
        }
    }

    public static String readlinkat(@Nullable Fd dir, String name) throws PosixException {
        try (var s = Scratch.take()) {
            long at = number(dir);
            long n = s.name("readlinkat", name);
            var answer = s.answer();
            while (true) {
                int length = (int) READLINKAT.call(s, at, n, answer.address(), answer.byteSize());
                if (length >= 0) {
                    return Scratch.text(answer.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE));
                }
                again(s, READLINKAT, dir, name);
            }
        }
    }

    // ---- metadata

    /** Follows symbolic links. */
    public static Stat stat(String path) throws PosixException {
        return statx(null, path, 0);
    }

    /** Of the link itself, where it is one. */
    public static Stat lstat(String path) throws PosixException {
        return statx(null, path, AT_SYMLINK_NOFOLLOW);
    }

    public static Stat statat(@Nullable Fd dir, String name) throws PosixException {
        return statx(dir, name, 0);
    }

    public static Stat lstatat(@Nullable Fd dir, String name) throws PosixException {
        return statx(dir, name, AT_SYMLINK_NOFOLLOW);
    }

    /** As {@link #lstatat}; null: there is no such name. For where that is nothing out of the ordinary. */
    public static @Nullable Stat lstatIfThere(@Nullable Fd dir, String name) throws PosixException {
        try (var s = Scratch.take()) {
            return statx(s, dir, name, AT_SYMLINK_NOFOLLOW) ? Stat.of(s.struct()) : null;
        }
    }

    public static Stat fstat(Fd fd) throws PosixException {
        return statx(fd, "", AT_EMPTY_PATH);
    }

    private static Stat statx(@Nullable Fd dir, String name, int flags) throws PosixException {
        try (var s = Scratch.take()) {
            if (statx(s, dir, name, flags)) {
                return Stat.of(s.struct());
            }
            throw new PosixException(Errno.ENOENT.number(), STATX.name(), path(dir, name));
        }
    }

    /** @return false: ENOENT */
    private static boolean statx(Scratch s, @Nullable Fd dir, String name, int flags) throws PosixException {
        long at = number(dir);
        long n = s.name("statx", name);
        while ((int) STATX.call(s, at, n, flags, STATX_BASIC_STATS, s.struct().address()) != 0) {
            if (s.errnoNumber() == Errno.ENOENT.number()) {
                return false;
            }
            again(s, STATX, dir, name);
        }
        return true;
    }

    public static void fchmod(Fd fd, int mode) throws PosixException {
        try (var s = Scratch.take()) {
            while ((int) FCHMOD.call(s, fd.number(), mode) != 0) {
                again(s, FCHMOD, fd, "");
            }
        }
    }

    /** Follows symbolic links. */
    public static void fchmodat(@Nullable Fd dir, String name, int mode) throws PosixException {
        try (var s = Scratch.take()) {
            long at = number(dir);
            long n = s.name("fchmodat", name);
            while ((int) FCHMODAT.call(s, at, n, mode, 0) != 0) {
                again(s, FCHMODAT, dir, name);
            }
        }
    }

    /** @param uid -1: unchanged @param gid -1: unchanged */
    public static void fchown(Fd fd, long uid, long gid) throws PosixException {
        try (var s = Scratch.take()) {
            while ((int) FCHOWN.call(s, fd.number(), uid, gid) != 0) {
                again(s, FCHOWN, fd, "");
            }
        }
    }

    /** Does not follow a symbolic link: changes the link. */
    public static void fchownat(@Nullable Fd dir, String name, long uid, long gid) throws PosixException {
        try (var s = Scratch.take()) {
            long at = number(dir);
            long n = s.name("fchownat", name);
            while ((int) FCHOWNAT.call(s, at, n, uid, gid, AT_SYMLINK_NOFOLLOW) != 0) {
                again(s, FCHOWNAT, dir, name);
            }
        }
    }

    /** Sets the modification time alone; the access time stays. */
    public static void setMtime(Fd fd, long mtimeNanos) throws PosixException {
        try (var s = Scratch.take()) {
            long times = times(s, mtimeNanos);
            while ((int) FUTIMENS.call(s, fd.number(), times) != 0) {
                again(s, FUTIMENS, fd, "");
            }
        }
    }

    /** Sets the modification time alone; of a symbolic link its own. */
    public static void setMtimeAt(@Nullable Fd dir, String name, long mtimeNanos) throws PosixException {
        try (var s = Scratch.take()) {
            long at = number(dir);
            long n = s.name("utimensat", name);
            long times = times(s, mtimeNanos);
            while ((int) UTIMENSAT.call(s, at, n, times, AT_SYMLINK_NOFOLLOW) != 0) {
                again(s, UTIMENSAT, dir, name);
            }
        }
    }

    /** struct timespec[2]: access, modification. */
    private static long times(Scratch s, long mtimeNanos) {
        var t = s.struct();
        t.set(ValueLayout.JAVA_LONG, 0, 0);
        t.set(ValueLayout.JAVA_LONG, 8, UTIME_OMIT);
        t.set(ValueLayout.JAVA_LONG, 16, Math.floorDiv(mtimeNanos, NANOS));
        t.set(ValueLayout.JAVA_LONG, 24, Math.floorMod(mtimeNanos, NANOS));
        return t.address();
    }

    public static FileSystemInfo statfs(String path) throws PosixException {
        try (var s = Scratch.take()) {
            long n = s.name("statfs", path);
            while ((int) STATFS.call(s, n, s.struct().address()) != 0) {
                again(s, STATFS, null, path);
            }
            return info(s.struct());
        }
    }

    public static FileSystemInfo fstatfs(Fd fd) throws PosixException {
        try (var s = Scratch.take()) {
            while ((int) FSTATFS.call(s, fd.number(), s.struct().address()) != 0) {
                again(s, FSTATFS, fd, "");
            }
            return info(s.struct());
        }
    }

    /** struct statfs of 64-bit Linux. */
    private static FileSystemInfo info(MemorySegment f) {
        long fragment = f.get(ValueLayout.JAVA_LONG, 72);
        long unit = fragment > 0 ? fragment : f.get(ValueLayout.JAVA_LONG, 8);
        long inodes = f.get(ValueLayout.JAVA_LONG, 40);
        return new FileSystemInfo(
                f.get(ValueLayout.JAVA_LONG, 0),
                f.get(ValueLayout.JAVA_LONG, 16) * unit,
                f.get(ValueLayout.JAVA_LONG, 32) * unit,
                inodes == 0 ? -1 : f.get(ValueLayout.JAVA_LONG, 48),
                (int) f.get(ValueLayout.JAVA_LONG, 64));
    }

    // ---- shared

    static int number(@Nullable Fd dir) {
        return dir == null ? AT_FDCWD : dir.number();
    }

    static String path(@Nullable Fd dir, String name) {
        if (dir == null || name.startsWith("/")) {
            return name;
        }
        if (name.isEmpty()) {
            return dir.path();
        }
        return dir.path().endsWith("/") ? dir.path() + name : dir.path() + "/" + name;
    }

    /** Returns if the call was interrupted and is to be made again, throws for anything else. */
    static void again(Scratch s, Libc call, @Nullable Fd dir, String name) throws PosixException {
        again(s, call, dir, name, false);
    }

    private static void again(Scratch s, Libc call, @Nullable Fd dir, String name, boolean whole)
            throws PosixException {
        int number = s.errnoNumber();
        if (number != Errno.EINTR.number()) {
            throw new PosixException(number, call.name(), whole ? name : path(dir, name));
        }
    }
}
