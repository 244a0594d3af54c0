package io.forebay.sidecar.buffer;

import io.forebay.sidecar.os.Errno;
import io.forebay.sidecar.os.Fd;
import io.forebay.sidecar.os.Open;
import io.forebay.sidecar.os.Posix;
import io.forebay.sidecar.os.PosixException;
import io.forebay.sidecar.os.PosixLock;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/** Says that a buffer lives in a folder: a flock that the kernel takes back when its process dies. */
final class RootLock implements Closeable {
    private static final String NAME = "/.lock";
    /** One who sweeps holds it only while he looks, or removes the folder. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final String root;
    private final Fd fd;

    private RootLock(String root, Fd fd) {
        this.root = root;
        this.fd = fd;
    }

    /** As mkdir -p. @return whether the last one was missing */
    static boolean makeFolders(String path) throws PosixException {
        try {
            Posix.mkdirat(null, path, 0700);
            return true;
        } catch (PosixException e) {
            if (e.is(Errno.EEXIST)) {
                return false;
            }
            int slash = path.lastIndexOf('/');
            if (!e.is(Errno.ENOENT) || slash <= 0) {
                throw e;
            }
            makeFolders(path.substring(0, slash));
            Posix.mkdirat(null, path, 0700);
            return true;
        }
    }

    /** @throws IOException another one holds it */
    static RootLock take(String root) throws IOException {
        return get(root, true);
    }

    private static RootLock get(String root, boolean exclusive) throws IOException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            var lock = tryGet(root, exclusive);
            if (lock.isPresent()) {
                return lock.get();
            }
            if (System.nanoTime() - end > 0) {
                throw new IOException("buffer " + root + " is in use by another Forebay process (" + root + NAME
                        + " is locked). Wait for its end, or give this run another folder");
            }
            LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
            makeFolders(root); // whoever held it may have removed it
        }
    }

    /** Beside others who share it; against those who take it. @throws IOException one has taken it */
    static RootLock share(String root) throws IOException {
        return get(root, false);
    }

    /** Empty: held by another one, or removed meanwhile. */
    static Optional<RootLock> tryTake(String root) throws PosixException {
        return tryGet(root, true);
    }

    private static Optional<RootLock> tryGet(String root, boolean exclusive) throws PosixException {
        Fd fd;
        try {
            fd = Posix.open(root + NAME, Open.RDWR | Open.CREAT | Open.NOFOLLOW, 0600);
        } catch (PosixException e) {
            if (e.is(Errno.ENOENT)) {
                return Optional.empty();
            }
            throw e;
        }
        try {
            if (PosixLock.tryFlock(fd, exclusive) && isStillThere(root, fd)) {
                return Optional.of(new RootLock(root, fd));
            }
        } catch (PosixException | RuntimeException | Error e) {
            fd.close();
            throw e;
        }
        fd.close();
        return Optional.empty();
    }

    private static boolean isStillThere(String root, Fd fd) throws PosixException {
        try {
            return Posix.lstat(root + NAME).sameFile(Posix.fstat(fd));
        } catch (PosixException e) {
            if (e.is(Errno.ENOENT)) {
                return false;
            }
            throw e;
        }
    }

    /** Before the folder goes; the lock is held until {@link #close}. */
    void remove() throws PosixException {
        try {
            Posix.unlink(root + NAME);
        } catch (PosixException e) {
            if (!e.is(Errno.ENOENT)) {
                throw e;
            }
        }
    }

    @Override
    public void close() {
        fd.close();
    }
}
