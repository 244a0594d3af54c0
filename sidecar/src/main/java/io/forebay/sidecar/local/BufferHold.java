package io.forebay.sidecar.local;

import io.forebay.sidecar.buffer.BufferRoots;
import io.forebay.sidecar.os.FileTree;
import java.io.IOException;
import java.nio.file.Files;

/**
 * A worker's control folder, and whether what lies there and in the buffer is kept when its process ends. Kept, unless a run has ended
 * well: it may be all that is left of an earlier one. A start that fails keeps only what was there before it.
 */
final class BufferHold implements AutoCloseable {
    private final BufferPlace place;
    private volatile boolean keep;

    private BufferHold(BufferPlace place, boolean keep) {
        this.place = place;
        this.keep = keep;
    }

    /** Makes the control folder, or finds it again. */
    static BufferHold open(BufferPlace place, Resources resources) throws IOException {
        boolean earlier = Files.exists(place.control());
        BufferRoots.make(place.control().toString());
        var hold = new BufferHold(place, earlier);
        resources.add(hold);
        resources.ifLeftBehind(hold::forget);
        return hold;
    }

    /** Nothing was started: what this run made goes. */
    private void forget() {
        try {
            close();
        } catch (IOException e) {
            // Left for the next run's sweep; there is nothing of anybody's in it.
        }
    }

    BufferPlace place() {
        return place;
    }

    boolean keep() {
        return keep;
    }

    void keep(boolean value) {
        keep = value;
    }

    /** Last of all: after the buffer's own end. */
    @Override
    public void close() throws IOException {
        if (!keep) {
            FileTree.delete(place.control().toString());
        }
    }
}
