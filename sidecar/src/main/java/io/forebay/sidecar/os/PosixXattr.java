package io.forebay.sidecar.os;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Extended attributes of files. EOPNOTSUPP where the file system has none. */
public final class PosixXattr {
    private PosixXattr() {}

    private static final Libc FGETXATTR = Libc.words("fgetxattr", 4);
    private static final Libc FSETXATTR = Libc.words("fsetxattr", 5);
    private static final Libc FLISTXATTR = Libc.words("flistxattr", 3);

    private static final Libc LLISTXATTR = Libc.words("llistxattr", 3);

    /** XATTR_SIZE_MAX and XATTR_LIST_MAX of Linux. */
    private static final int MAX = 65536;

    /** @param name with its namespace, {@code user.x} @return empty if it has no such attribute */
    public static Optional<byte[]> get(Fd fd, String name) throws PosixException {
        try (var s = Scratch.take();
                var arena = Arena.ofConfined()) {
            var value = arena.allocate(MAX);
            long n = s.name("fgetxattr", name);
            while (true) {
                long length = FGETXATTR.call(s, fd.number(), n, value.address(), MAX);
                if (length >= 0) {
                    return Optional.of(value.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE));
                }
                if (s.errnoNumber() == Errno.ENODATA.number()) {
                    return Optional.empty();
                }
                Posix.again(s, FGETXATTR, fd, "");
            }
        }
    }

    public static void set(Fd fd, String name, byte[] value) throws PosixException {
        try (var s = Scratch.take();
                var arena = Arena.ofConfined()) {
            var bytes = arena.allocateFrom(ValueLayout.JAVA_BYTE, value);
            long n = s.name("fsetxattr", name);
            while ((int) FSETXATTR.call(s, fd.number(), n, bytes.address(), value.length, 0) != 0) {
                Posix.again(s, FSETXATTR, fd, "");
            }
        }
    }

    /** Names of all attributes that this user can see. */
    public static List<String> list(Fd fd) throws PosixException {
        try (var s = Scratch.take();
                var arena = Arena.ofConfined()) {
            var names = arena.allocate(MAX);
            while (true) {
                long length = FLISTXATTR.call(s, fd.number(), names.address(), MAX);
                if (length >= 0) {
                    return split(names.asSlice(0, length));
                }
                Posix.again(s, FLISTXATTR, fd, "");
            }
        }
    }

    /** As {@link #list(Fd)}, of a file that is not open; of a symbolic link itself. */
    public static List<String> list(String path) throws PosixException {
        try (var s = Scratch.take();
                var arena = Arena.ofConfined()) {
            long p = s.name("llistxattr", path);
            long count = 0;
            while ((count = LLISTXATTR.call(s, p, 0, 0)) < 0) {
                Posix.again(s, LLISTXATTR, null, path);
            }
            if (count == 0) {
                return List.of();
            }
            var names = arena.allocate(MAX);
            while (true) {
                long length = LLISTXATTR.call(s, p, names.address(), MAX);
                if (length >= 0) {
                    return split(names.asSlice(0, length));
                }
                Posix.again(s, LLISTXATTR, null, path);
            }
        }
    }

    private static List<String> split(MemorySegment names) {
        var found = new ArrayList<String>();
        long start = 0;
        for (long i = 0; i < names.byteSize(); i++) {
            if (names.get(ValueLayout.JAVA_BYTE, i) == 0) {
                found.add(Scratch.text(names.asSlice(start, i - start).toArray(ValueLayout.JAVA_BYTE)));
                start = i + 1;
            }
        }
        return found;
    }
}
