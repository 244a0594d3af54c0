package io.forebay.sidecar.store.posix;

import io.forebay.api.name.NameBytes;
import io.forebay.sidecar.os.Errno;
import io.forebay.sidecar.os.Fd;
import io.forebay.sidecar.os.Open;
import io.forebay.sidecar.os.Posix;
import io.forebay.sidecar.os.PosixException;
import io.forebay.sidecar.os.PosixIo;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.StoreException.Kind;
import java.util.Arrays;
import java.util.List;

/**
 * A place below a root folder, and the only way to get there: one component after the other, each relative to the folder before,
 * never through a symbolic link. Links that are part of the root's own path are the manifest author's and are followed.
 *
 * @param root folder, ending in a slash
 * @param folders components between root and name; may be empty
 * @param name last component
 */
record Destination(String root, List<String> folders, String name) {
    /** NAME_MAX of Linux, in bytes. File systems with less say so themselves when the file is opened. */
    static final int MAX_NAME_BYTES = 255;

    private static final int PASS_THROUGH = Open.PATH | Open.DIRECTORY;

    /**
     * @param key absolute path; a trailing slash says folder and is not part of the name
     * @throws StoreException BAD_NAME: not below the root, {@code .}, {@code ..}, an empty or too long component
     */
    static Destination of(String root, String key) throws StoreException {
        var base = root.endsWith("/") ? root : root + "/";
        if (!base.startsWith("/") || !key.startsWith(base)) {
            throw bad(key, "it does not lie below " + base);
        }
        var below = key.substring(base.length());
        var parts =
                Arrays.asList((below.endsWith("/") ? below.substring(0, below.length() - 1) : below).split("/", -1));
        for (var part : parts) {
            check(key, part);
        }
        return new Destination(base, List.copyOf(parts.subList(0, parts.size() - 1)), parts.getLast());
    }

    private static void check(String key, String part) throws StoreException {
        if (part.isEmpty()) {
            throw bad(key, "it has an empty component, which no file name can be");
        }
        if (part.equals(".") || part.equals("..")) {
            throw bad(key, "it has the component '" + part + "', which names no file of its own");
        }
        if (part.indexOf(0) >= 0) {
            throw bad(key.replace("\0", "\\0"), "it has a NUL character, which no file name can hold");
        }
        int bytes;
        try {
            bytes = NameBytes.encode(part).length;
        } catch (IllegalArgumentException e) {
            throw bad(key, "it cannot be written as bytes");
        }
        if (bytes > MAX_NAME_BYTES) {
            throw bad(key, "its component '" + part + "' has " + bytes + " bytes, the limit is " + MAX_NAME_BYTES);
        }
    }

    private static StoreException bad(String key, String why) {
        return new StoreException(Kind.BAD_NAME, "no file can be written at " + key + ": " + why);
    }

    /** The folder that holds the name, ending in a slash; for messages. */
    String folder() {
        return folders.isEmpty() ? root : root + String.join("/", folders) + "/";
    }

    /** Whether both lie in one folder below the same root. */
    boolean inFolderOf(Destination other) {
        return root.equals(other.root) && folders.equals(other.folders);
    }

    String path() {
        return folder() + name;
    }

    /**
     * The folder that holds the name. Good for reaching files in it, not for reading or syncing it.
     *
     * @param roots what the root was before
     * @throws PosixException ENOENT: it does not exist
     * @throws StoreException BAD_NAME: a symbolic link, or no folder, is on the way; PERMANENT: the root is another folder now
     */
    Fd open(Roots roots) throws PosixException, StoreException {
        return walk(same(roots, openRoot(roots)), false);
    }

    /**
     * As {@link #open}, but makes what is missing, durably.
     *
     * @throws PosixException ENOENT: what was made a moment ago cannot be seen yet (distributed file systems), or was removed: try again
     */
    Fd create() throws PosixException, StoreException {
        return walk(createRoot(), true);
    }

    /** As {@link #create()}, if the root is what it was before. @throws StoreException also PERMANENT: it is another folder now */
    Fd create(Roots roots) throws PosixException, StoreException {
        Fd at;
        try {
            at = openRoot(roots);
        } catch (PosixException e) {
            if (!e.is(Errno.ENOENT)) {
                throw forAll(e);
            }
            at = createRoot();
        }
        return walk(same(roots, at), true);
    }

    private Fd openRoot(Roots roots) throws PosixException, StoreException {
        try {
            return Posix.open(root, PASS_THROUGH);
        } catch (PosixException e) {
            if (e.is(Errno.ENOENT)) {
                roots.requireNew(root);
            }
            throw e;
        }
    }

    private Fd same(Roots roots, Fd opened) throws PosixException, StoreException {
        try {
            roots.require(root, opened);
            return opened;
        } catch (PosixException | StoreException e) {
            opened.close();
            throw e;
        }
    }

    private Fd createRoot() throws PosixException, StoreException {
        try {
            return Posix.open(root, PASS_THROUGH);
        } catch (PosixException e) {
            if (!e.is(Errno.ENOENT)) {
                throw forAll(e);
            }
        }
        var at = Posix.open("/", PASS_THROUGH);
        for (var part : root.split("/")) {
            if (!part.isEmpty()) {
                at = into(at, part, 0, true);
            }
        }
        return at;
    }

    /** A root that is closed to us is closed to every file below it. */
    private PosixException forAll(PosixException e) throws StoreException {
        if (PosixErrors.kind(e) == Kind.DENIED) {
            throw PosixErrors.ofWholeStore("opening " + root, e);
        }
        return e;
    }

    private Fd walk(Fd start, boolean create) throws PosixException, StoreException {
        var at = start;
        for (var part : folders) {
            at = into(at, part, Open.NOFOLLOW, create);
        }
        return at;
    }

    /** One step down; the folder above is closed, whatever happens. */
    private Fd into(Fd above, String part, int nofollow, boolean create) throws PosixException, StoreException {
        try (above) {
            try {
                return Posix.openat(above, part, PASS_THROUGH | nofollow);
            } catch (PosixException e) {
                if (!e.is(Errno.ENOENT) || !create) {
                    throw explained(above, part, nofollow, e);
                }
            }
            make(above, part);
            return Posix.openat(above, part, PASS_THROUGH | nofollow);
        }
    }

    private static void make(Fd above, String part) throws PosixException {
        try {
            Posix.mkdirat(above, part, 0777);
        } catch (PosixException e) {
            if (!e.is(Errno.EEXIST)) {
                throw e;
            }
            return;
        }
        sync(above);
    }

    /** Makes names in a folder durable, where the file system knows how. */
    static void sync(Fd folder) throws PosixException {
        try (var readable = Posix.openat(folder, ".", Open.RDONLY | Open.DIRECTORY)) {
            PosixIo.fsync(readable);
        } catch (PosixException e) {
            // EINVAL, EOPNOTSUPP: it cannot be asked for it. EACCES: a folder that may be written but not read; its
            // file system's fsync
            // of the file is all there is.
            if (!e.is(Errno.EINVAL) && !e.is(Errno.EOPNOTSUPP) && !e.is(Errno.EACCES)) {
                throw e;
            }
        }
    }

    private PosixException explained(Fd above, String part, int nofollow, PosixException e) throws StoreException {
        if (!e.is(Errno.ENOTDIR) && !e.is(Errno.ELOOP)) {
            return e;
        }
        boolean link = false;
        try {
            link = Posix.lstatat(above, part).isSymlink();
        } catch (PosixException gone) {
            e.addSuppressed(gone);
        }
        var what = link && nofollow != 0 ? "a symbolic link, and below " + root + " none is followed" : "no folder";
        throw new StoreException(
                Kind.BAD_NAME, "no file can be written at " + path() + ": " + e.path() + " is " + what, e);
    }
}
