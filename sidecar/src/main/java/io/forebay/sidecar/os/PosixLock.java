package io.forebay.sidecar.os;

import java.lang.foreign.ValueLayout;

/** Locks and leases on open files. None of these waits. */
public final class PosixLock {
    private PosixLock() {}

    private static final Libc FLOCK = Libc.words("flock", 2);
    private static final Libc FCNTL = Libc.words("fcntl", 3);

    private static final int LOCK_SH = 1;
    private static final int LOCK_EX = 2;
    private static final int LOCK_NB = 4;
    private static final int LOCK_UN = 8;

    private static final int F_SETSIG = 10;
    private static final int F_OFD_SETLK = 37;
    private static final int F_SETLEASE = 1024;
    private static final int F_RDLCK = 0;
    private static final int F_WRLCK = 1;
    private static final int F_UNLCK = 2;

    /** Ignored by a process that does not ask for it. A broken lease would otherwise raise SIGIO, which ends the process. */
    private static final int SIGURG = 23;

    /** flock(2). @return false if another opening holds it */
    public static boolean tryFlock(Fd fd, boolean exclusive) throws PosixException {
        return asked(FLOCK, fd, s -> FLOCK.call(s, fd.number(), (exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB));
    }

    public static void unlockFlock(Fd fd) throws PosixException {
        asked(FLOCK, fd, s -> FLOCK.call(s, fd.number(), LOCK_UN));
    }

    /** An open-file-description lock on the whole file: also over NFS, given back by the last close. @return false if it is held elsewhere */
    public static boolean tryLock(Fd fd, boolean exclusive) throws PosixException {
        return ofd(fd, exclusive ? F_WRLCK : F_RDLCK);
    }

    public static void unlock(Fd fd) throws PosixException {
        ofd(fd, F_UNLCK);
    }

    private static boolean ofd(Fd fd, int type) throws PosixException {
        return asked(FCNTL, fd, s -> {
            // struct flock: type i16, whence i16, start i64 at 8, length i64 at 16 (0: to the end), pid i32 at 24 (must
            // be 0)
            var lock = s.struct();
            lock.asSlice(0, 32).fill((byte) 0);
            lock.set(ValueLayout.JAVA_SHORT, 0, (short) type);
            return FCNTL.call(s, fd.number(), F_OFD_SETLK, lock.address());
        });
    }

    /**
     * Whether nobody has this file open for writing or mapped writable, found out by taking a read lease and giving it back.
     *
     * @param fd open for reading only
     * @throws PosixException EACCES (not the owner), EINVAL (the file system knows no leases)
     */
    public static boolean hasNoWriter(Fd fd) throws PosixException {
        asked(FCNTL, fd, s -> FCNTL.call(s, fd.number(), F_SETSIG, SIGURG));
        if (!asked(FCNTL, fd, s -> FCNTL.call(s, fd.number(), F_SETLEASE, F_RDLCK))) {
            return false;
        }
        asked(FCNTL, fd, s -> FCNTL.call(s, fd.number(), F_SETLEASE, F_UNLCK));
        return true;
    }

    private interface Question {
        long ask(Scratch s);
    }

    /** @return false for EAGAIN: held elsewhere */
    private static boolean asked(Libc call, Fd fd, Question question) throws PosixException {
        try (var s = Scratch.take()) {
            while ((int) question.ask(s) == -1) {
                if (s.errnoNumber() == Errno.EAGAIN.number()) {
                    return false;
                }
                Posix.again(s, call, fd, "");
            }
            return true;
        }
    }
}
