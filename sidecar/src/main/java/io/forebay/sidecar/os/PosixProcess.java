package io.forebay.sidecar.os;

import java.lang.foreign.ValueLayout;

/** This process and others. */
public final class PosixProcess {
    private PosixProcess() {}

    private static final Libc GETUID = Libc.words("getuid", 0);
    private static final Libc GETEUID = Libc.words("geteuid", 0);
    private static final Libc GETGID = Libc.words("getgid", 0);
    private static final Libc KILL = Libc.words("kill", 2);
    private static final Libc PRLIMIT = Libc.words("prlimit", 4);
    private static final int RLIMIT_NOFILE = 7;

    /** @param soft what counts now @param hard up to which it may be raised; Long.MAX_VALUE: no limit */
    public record Limit(long soft, long hard) {}

    public static long uid() {
        return id(GETUID);
    }

    public static long euid() {
        return id(GETEUID);
    }

    public static long gid() {
        return id(GETGID);
    }

    private static long id(Libc call) {
        try (var s = Scratch.take()) {
            return Integer.toUnsignedLong((int) call.call(s));
        }
    }

    /** Whether a process of that number exists; a zombie does, and the number may be another one's by now. */
    public static boolean exists(long pid) throws PosixException {
        return signal(pid, 0);
    }

    /**
     * @param pid negative: a process group
     * @return false if there is none
     * @throws PosixException EPERM: it exists, but is another user's ({@code signal} 0: no exception, true)
     */
    public static boolean signal(long pid, int signal) throws PosixException {
        try (var s = Scratch.take()) {
            if ((int) KILL.call(s, pid, signal) == 0) {
                return true;
            }
            int number = s.errnoNumber();
            if (number == Errno.ESRCH.number()) {
                return false;
            }
            if (signal == 0 && number == Errno.EPERM.number()) {
                return true;
            }
            throw new PosixException(number, "kill", Long.toString(pid));
        }
    }

    /** How many descriptors this process may have. */
    public static Limit openFiles() throws PosixException {
        try (var s = Scratch.take()) {
            if ((int) PRLIMIT.call(s, 0, RLIMIT_NOFILE, 0, s.struct().address()) != 0) {
                throw new PosixException(s.errnoNumber(), "prlimit", "RLIMIT_NOFILE");
            }
            return new Limit(limit(s, 0), limit(s, 8));
        }
    }

    /** @param soft at most the hard limit */
    public static void setOpenFiles(Limit limit) throws PosixException {
        try (var s = Scratch.take()) {
            s.struct().set(ValueLayout.JAVA_LONG, 0, limit.soft());
            s.struct().set(ValueLayout.JAVA_LONG, 8, limit.hard() == Long.MAX_VALUE ? -1 : limit.hard());
            if ((int) PRLIMIT.call(s, 0, RLIMIT_NOFILE, s.struct().address(), 0) != 0) {
                throw new PosixException(s.errnoNumber(), "prlimit", "RLIMIT_NOFILE " + limit.soft());
            }
        }
    }

    private static long limit(Scratch s, long offset) {
        long value = s.struct().get(ValueLayout.JAVA_LONG, offset);
        return value < 0 ? Long.MAX_VALUE : value;
    }
}
