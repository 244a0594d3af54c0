package io.forebay.sidecar.os;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * An open file descriptor and the duty to close it. Given back by {@link #close}, nothing else. May be used by several threads at
 * once, but none may be using it when it is closed (the number may be another file's a moment later). Always close-on-exec.
 */
public final class Fd implements AutoCloseable {
    private static final Libc CLOSE = Libc.words("close", 1);
    private static final int CLOSED = -1;

    private final AtomicInteger number;
    private final String path;

    Fd(int number, String path) {
        this.number = new AtomicInteger(number);
        this.path = path;
    }

    /** The kernel's number. @throws IllegalStateException closed */
    public int number() {
        int n = number.get();
        if (n == CLOSED) {
            throw new IllegalStateException("descriptor of " + path + " is closed");
        }
        return n;
    }

    /** What was opened, for messages. */
    public String path() {
        return path;
    }

    public boolean isOpen() {
        return number.get() != CLOSED;
    }

    /** Closes it; what close(2) answers is not looked at, since {@link PosixIo#fsync} alone tells whether bytes are safe. Once closed: nothing. */
    @Override
    public void close() {
        int n = number.getAndSet(CLOSED);
        if (n != CLOSED) {
            try (var s = Scratch.take()) {
                CLOSE.call(s, n);
            }
        }
    }

    @Override
    public String toString() {
        return path + " (fd " + number.get() + ")";
    }
}
