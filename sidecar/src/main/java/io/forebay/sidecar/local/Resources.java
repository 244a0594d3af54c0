package io.forebay.sidecar.local;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** What a process has opened; closed in reverse, and all of it, whatever fails. Used by one thread at a time, but for {@link #leftBehind}. */
public final class Resources implements AutoCloseable {
    private final List<AutoCloseable> open = new ArrayList<>();
    private final List<Runnable> ifLeftBehind = new CopyOnWriteArrayList<>();

    public <T extends AutoCloseable> T add(T resource) {
        open.add(resource);
        return resource;
    }

    /** @param undo what can be undone even if whoever opens, or closes, all this hangs */
    void ifLeftBehind(Runnable undo) {
        ifLeftBehind.add(undo);
    }

    /** Nobody waits for the opening any more. Any thread. */
    void leftBehind() {
        ifLeftBehind.forEach(Runnable::run);
    }

    @Override
    public void close() {
        RuntimeException first = null;
        for (var resource : open.reversed()) {
            try {
                resource.close();
            } catch (Exception e) {
                if (first == null) {
                    first = new IllegalStateException(
                            "closing " + resource.getClass().getSimpleName() + ": " + e.getMessage(), e);
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        open.clear();
        if (first != null) {
            throw first;
        }
    }
}
