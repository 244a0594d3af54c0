package io.forebay.sidecar.store.posix;

import io.forebay.sidecar.os.Errno;
import io.forebay.sidecar.os.Fd;
import io.forebay.sidecar.os.Open;
import io.forebay.sidecar.os.Posix;
import io.forebay.sidecar.os.PosixException;
import io.forebay.sidecar.os.PosixIo;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.StoreException.Kind;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Whole small files, as records are. Written under a temporary name, synced, then given their final name by link(2), which refuses
 * an existing one, or rename(2), which replaces it. All blocks; to be called on the pool. Stateless.
 */
final class SmallFiles {
    private SmallFiles() {}

    private static final int MODE = 0666;

    /** @return false: the name exists */
    static boolean createExclusively(Destination at, byte[] content) throws PosixException, StoreException {
        try (var parent = at.create()) {
            var temp = write(parent, content);
            try {
                Posix.linkat(parent, temp, parent, at.name());
            } catch (PosixException e) {
                if (!e.is(Errno.EEXIST)) {
                    throw e;
                }
                // NFS: the answer may have been lost and the request sent twice; then the second finds what the first
                // made.
                if (!Posix.lstatat(parent, at.name()).sameFile(Posix.lstatat(parent, temp))) {
                    return false;
                }
            } finally {
                Posix.unlinkatIfThere(parent, temp);
            }
            Destination.sync(parent);
            return true;
        }
    }

    static void put(Destination at, byte[] content) throws PosixException, StoreException {
        try (var parent = at.create()) {
            var temp = write(parent, content);
            try {
                Posix.renameat(parent, temp, parent, at.name());
            } catch (PosixException e) {
                Posix.unlinkatIfThere(parent, temp);
                throw e;
            }
            Destination.sync(parent);
        }
    }

    /** Whole and durable under a temporary name of its own, or not there at all. */
    private static String write(Fd parent, byte[] content) throws PosixException {
        var temp = Names.temporary(
                "o-" + HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong()));
        try (var file = Posix.openat(parent, temp, Open.WRONLY | Open.CREAT | Open.EXCL | Open.NOFOLLOW, MODE);
                var arena = Arena.ofConfined()) {
            PosixIo.pwrite(file, arena.allocateFrom(ValueLayout.JAVA_BYTE, content), 0);
            PosixIo.fsync(file);
            return temp;
        } catch (PosixException e) {
            if (!e.is(Errno.ENOENT)) {
                Posix.unlinkatIfThere(parent, temp);
            }
            throw e;
        }
    }

    static byte[] get(String key, int limit) throws PosixException, StoreException {
        try (var file = Posix.open(key, Open.RDONLY | Open.NONBLOCK);
                var arena = Arena.ofConfined()) {
            var stat = Posix.fstat(file);
            if (!stat.isFile()) {
                throw new StoreException(
                        Kind.PERMANENT, "reading " + key + " failed: it is a " + stat.type() + ", not a file");
            }
            if (stat.size() > limit) {
                throw new StoreException(
                        Kind.TOO_LARGE,
                        "reading " + key + " failed: it has " + stat.size() + " bytes, at most " + limit
                                + " were expected");
            }
            // One more, to notice a file that grows; what is expected at most may be far more than what there is.
            for (long room = stat.size() + 1; ; room = Math.min(limit + 1L, 2 * room)) {
                var bytes = arena.allocate(room);
                long n = PosixIo.pread(file, bytes, 0);
                if (n < room) {
                    return bytes.asSlice(0, n).toArray(ValueLayout.JAVA_BYTE);
                }
                if (n > limit) {
                    throw new StoreException(
                            Kind.TOO_LARGE, "reading " + key + " failed: it has more than " + limit + " bytes");
                }
            }
        }
    }

    /** A folder only if it is empty. */
    static void delete(String key) throws PosixException {
        try {
            Posix.unlink(key.endsWith("/") && key.length() > 1 ? key.substring(0, key.length() - 1) : key);
        } catch (PosixException e) {
            if (e.is(Errno.EISDIR) || e.is(Errno.EPERM)) {
                Posix.rmdirat(null, key);
            } else if (!e.is(Errno.ENOENT) && !e.is(Errno.ENOTDIR)) {
                throw e;
            }
        }
    }
}
