package io.forebay.sidecar.local;

import io.forebay.sidecar.buffer.BufferRoots;
import io.forebay.sidecar.os.FileTree;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;

/**
 * A worker's control folder, and whether what lies there and in the buffer is kept when its process ends. Kept, unless a run has ended
 * well: it may be all that is left of an earlier one. A start that fails keeps only what was there before it.
 */
final class BufferHold implements AutoCloseable {
    /** In the control folder: the folders of its tiers, one a line. */
    private static final String TIERS = "tiers";
    /** In the control folder: the job's token and the worker's name, a line each. */
    private static final String OWNER = "owner";

    private final BufferPlace place;
    /** Tells whoever looks for what dead runs left that this one lives. */
    private final Closeable use;

    private volatile boolean keep;

    private BufferHold(BufferPlace place, Closeable use, boolean keep) {
        this.place = place;
        this.use = use;
        this.keep = keep;
    }

    /** Makes the control folder, or finds it again. */
    static BufferHold open(BufferPlace place, Resources resources) throws IOException {
        boolean earlier = Files.exists(place.control());
        BufferRoots.make(place.control().toString());
        var hold = new BufferHold(place, BufferRoots.use(place.control().toString()), earlier);
        resources.add(hold);
        resources.ifLeftBehind(hold::forget);
        hold.writeRoots();
        hold.write(OWNER, place.jobToken() + "\n" + place.worker() + "\n");
        return hold;
    }

    /** Those of earlier lives too: the manifest may have named others. */
    private void writeRoots() throws IOException {
        var roots = new LinkedHashSet<>(rootsOf(place.control()));
        place.tiers().forEach(tier -> roots.add(tier.root()));
        write(TIERS, String.join("\n", roots) + "\n");
    }

    private void write(String name, String text) throws IOException {
        var part = place.control().resolve(name + ".tmp");
        Files.writeString(part, text);
        Files.move(part, place.control().resolve(name), StandardCopyOption.ATOMIC_MOVE);
    }

    /** Whose a control folder is. @param job its token @param worker empty: the only one of the job on this machine */
    record Owner(String job, String worker) {}

    /** @return empty: it does not say */
    static Optional<Owner> ownerOf(Path control) throws IOException {
        var file = control.resolve(OWNER);
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        var lines = Files.readAllLines(file);
        return lines.size() == 2 ? Optional.of(new Owner(lines.getFirst(), lines.getLast())) : Optional.empty();
    }

    /** The tiers that a control folder belongs to; none if it does not say. */
    static List<String> rootsOf(Path control) throws IOException {
        var list = control.resolve(TIERS);
        return Files.exists(list) ? Files.readAllLines(list) : List.of();
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
        try (use) {
            if (!keep) {
                FileTree.delete(place.control().toString());
            }
        }
    }
}
