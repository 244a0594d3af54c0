package io.forebay.sidecar.store.posix;

import io.forebay.sidecar.os.Errno;
import io.forebay.sidecar.os.Fd;
import io.forebay.sidecar.os.Open;
import io.forebay.sidecar.os.Posix;
import io.forebay.sidecar.os.PosixException;
import io.forebay.sidecar.os.Stat;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.StoreException.Kind;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The folders that the manifest fixes for its outputs, as they were when they were first come to. One that is another folder later (its file
 * system was unmounted, or it was renamed and replaced) gets nothing more: half of the results would lie where nobody looks for them.
 *
 * <p>Each is kept open, for reaching it only: the kernel refuses to unmount it, an automounter does not take it for idle, and its number is
 * nobody else's meanwhile. All but {@link #close} block; to be called on the pool. Thread-safe.
 */
final class Roots implements AutoCloseable {
    private record Held(Fd folder, Stat as) {}

    private final Map<String, Held> first = new ConcurrentHashMap<>();

    /**
     * The root as it is reached now; the first time it is noted.
     *
     * @param root path, ending in a slash
     * @param now just opened
     * @throws StoreException it is not the one that it was
     */
    void require(String root, Fd now) throws PosixException, StoreException {
        var stat = Posix.fstat(now);
        var held = first.get(root);
        if (held == null) {
            held = note(root, now, stat);
        }
        if (!held.as.sameFile(stat)) {
            throw replaced(root);
        }
    }

    private Held note(String root, Fd now, Stat stat) throws PosixException {
        var mine = new Held(Posix.openat(now, ".", Open.PATH | Open.DIRECTORY), stat);
        var before = first.putIfAbsent(root, mine);
        if (before == null) {
            return mine;
        }
        mine.folder.close();
        return before;
    }

    /** It is not there: it may be made only if it never was. */
    void requireNew(String root) throws StoreException {
        if (first.containsKey(root)) {
            throw replaced(root);
        }
    }

    /** Every root that a path lies below. */
    void requireAbove(String path) throws PosixException, StoreException {
        for (var root : first.entrySet()) {
            if (path.startsWith(root.getKey()) && !isSame(root.getKey(), root.getValue())) {
                throw replaced(root.getKey());
            }
        }
    }

    private static boolean isSame(String root, Held held) throws PosixException {
        try {
            return held.as.sameFile(Posix.stat(root));
        } catch (PosixException e) {
            if (e.is(Errno.ENOENT) || e.is(Errno.ENOTDIR)) {
                return false;
            }
            throw e;
        }
    }

    private static StoreException replaced(String root) {
        return new StoreException(
                Kind.PERMANENT,
                root + " is another folder (or file system) now than when the run began: was it unmounted? Nothing more is"
                        + " published there. Put back what was there, then resume",
                null,
                true);
    }

    @Override
    public void close() {
        first.values().forEach(held -> held.folder.close());
    }
}
