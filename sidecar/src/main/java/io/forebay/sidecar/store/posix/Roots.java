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
    /** By root: the deepest folder on the way to it that was there when the run began. */
    private final Map<String, Held> before = new ConcurrentHashMap<>();

    /**
     * Notes on which file system the root, which may not be there yet, would be made now. Whether it is the same folder counts only from its
     * first use on: until then nothing can be split.
     */
    void expect(String root) throws PosixException {
        for (var path = root; ; path = Names.parent(path)) {
            try {
                var folder = Posix.open(path, Open.PATH | Open.DIRECTORY);
                var held = new Held(folder, Posix.fstat(folder));
                if (before.putIfAbsent(root, held) != null) {
                    folder.close();
                }
                return;
            } catch (PosixException e) {
                if (!e.is(Errno.ENOENT) || path.equals("/")) {
                    throw e;
                }
            }
        }
    }

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

    private Held note(String root, Fd now, Stat stat) throws PosixException, StoreException {
        var expected = before.get(root);
        if (expected != null && expected.as.device() != stat.device()) {
            throw replaced(root);
        }
        var mine = new Held(Posix.openat(now, ".", Open.PATH | Open.DIRECTORY), stat);
        var others = first.putIfAbsent(root, mine);
        if (others == null) {
            return mine;
        }
        mine.folder.close();
        return others;
    }

    /** It was not there a moment ago: it may be made only if it never was, and on the file system that was there. */
    void requireNew(String root) throws PosixException, StoreException {
        var held = first.get(root);
        if (held != null && isSame(root, held)) {
            return; // made by another thread meanwhile
        }
        var expected = before.get(root);
        if (held != null
                || expected != null && Posix.stat(expected.folder.path()).device() != expected.as.device()) {
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
                root
                        + " is another folder (or file system) now than when the run began: was it unmounted? Nothing more is"
                        + " published there. Put back what was there, then resume",
                null,
                true);
    }

    @Override
    public void close() {
        first.values().forEach(held -> held.folder.close());
        before.values().forEach(held -> held.folder.close());
    }
}
