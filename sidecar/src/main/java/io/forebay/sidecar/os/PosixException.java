package io.forebay.sidecar.os;

import java.io.IOException;

/** A system call failed. The message names call, path and reason: {@code openat /data/x: permission denied (EACCES)}. */
public final class PosixException extends IOException {
    private static final long serialVersionUID = 1L;

    private final int number;
    private final String call;
    private final String path;

    /** @param number errno, as the kernel gave it */
    public PosixException(int number, String call, String path) {
        super(call + (path.isEmpty() ? "" : " " + path) + ": " + reason(number));
        this.number = number;
        this.call = call;
        this.path = path;
    }

    private PosixException(Errno errno, String call, String path, String why) {
        super(call + " " + path + ": " + why + " (" + errno + ")");
        this.number = errno.number();
        this.call = call;
        this.path = path;
    }

    /** A name that no system call can be given: it holds a NUL, or is no name at all. */
    static PosixException badName(String call, String path, String why) {
        return new PosixException(Errno.EINVAL, call, path.replace("\0", "\\0"), why);
    }

    private static String reason(int number) {
        var errno = Errno.of(number);
        return errno == Errno.UNKNOWN ? "error " + number : errno.text() + " (" + errno + ")";
    }

    /** The number, also where {@link #errno} is UNKNOWN. */
    public int number() {
        return number;
    }

    public Errno errno() {
        return Errno.of(number);
    }

    /** Symbol, or {@code E<number>} for one that has none here. */
    public String symbol() {
        var errno = errno();
        return errno == Errno.UNKNOWN ? "E" + number : errno.name();
    }

    /** Words and symbol, without call and path: {@code permission denied (EACCES)}. */
    public String reason() {
        return reason(number);
    }

    /** Name of the function that failed, as in its manual page. */
    public String call() {
        return call;
    }

    /** What it was called on, as far as known; may be empty. */
    public String path() {
        return path;
    }

    public boolean is(Errno errno) {
        return number == errno.number();
    }
}
