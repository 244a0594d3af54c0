package io.forebay.sidecar.store.posix;

/**
 * Something that calls still under way may be using when its owner has given up: released by whoever leaves last, the owner
 * ({@link #close}) or the last user. Thread-safe.
 */
final class Shared {
    private final Runnable release;
    /** Guarded by this. The owner counts as one. */
    private int holders = 1;
    /** Guarded by this. */
    private boolean closed;

    /** @param release called once, by the thread that leaves last */
    Shared(Runnable release) {
        this.release = release;
    }

    /** For calls that use nothing which must be released. */
    static Shared nothing() {
        return new Shared(() -> {});
    }

    /** Each is followed by {@link #leave}. @return false: closed, do not leave */
    synchronized boolean enter() {
        if (closed) {
            return false;
        }
        holders++;
        return true;
    }

    void leave() {
        boolean last;
        synchronized (this) {
            holders--;
            last = holders == 0;
        }
        if (last) {
            release.run();
        }
    }

    /** The owner goes; nobody enters any more. Once closed: nothing. */
    void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        leave();
    }
}
