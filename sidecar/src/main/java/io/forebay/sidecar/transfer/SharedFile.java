package io.forebay.sidecar.transfer;

import io.forebay.sidecar.transfer.Transfers.BufferIoException;
import org.jspecify.annotations.Nullable;

/**
 * Closes something that several threads use when the last of them is done with it, so that a request that was given up, but has
 * not come back yet, cannot touch a descriptor that means another file by then. Thread-safe.
 */
final class SharedFile<F extends AutoCloseable> implements AutoCloseable {
    private final Opening<F> opening;
    /** All guarded by this. */
    private @Nullable F file;

    private int users;
    private boolean closed;

    @FunctionalInterface
    interface Opening<F> {
        F open() throws BufferIoException;
    }

    /** Of what is open already. */
    static <F extends AutoCloseable> SharedFile<F> of(F open) {
        var shared = new SharedFile<>(() -> open);
        shared.file = open;
        return shared;
    }

    /** @param opening called when it is first entered */
    SharedFile(Opening<F> opening) {
        this.opening = opening;
    }

    /** Each is followed by {@link #leave}. @throws BufferIoException it cannot be opened, or was closed: then do not leave */
    synchronized F enter() throws BufferIoException {
        if (closed) {
            throw new BufferIoException("the transfer was given up", false, new IllegalStateException("closed"));
        }
        var open = file;
        if (open == null) {
            open = opening.open();
            file = open;
        }
        users++;
        return open;
    }

    synchronized void leave() {
        users--;
        closeIfUnused();
    }

    /** No one enters any more. Closed at once, or when the last user leaves. */
    @Override
    public synchronized void close() {
        closed = true;
        closeIfUnused();
    }

    private void closeIfUnused() {
        var open = file;
        if (closed && users == 0 && open != null) {
            file = null;
            try {
                open.close();
            } catch (Exception e) {
                throw new IllegalStateException("closing failed, though it never does", e);
            }
        }
    }
}
