package io.forebay.sidecar.os;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Whole trees: removing them, and what they take on disk. Streamed, relative to descriptors: symbolic links are never followed.
 * Takes one descriptor a level, {@value #MAX_DEPTH} at most.
 */
public final class FileTree {
    private FileTree() {}

    /** What lies deeper is first moved up (delete), or not counted (usage). */
    private static final int MAX_DEPTH = 200;

    /** How often a folder is read again because something new had appeared in it when it was to be removed. */
    private static final int ROUNDS = 100;

    /**
     * Removes a file, link or folder with everything in it. Absent: nothing. Names that appear meanwhile are removed too.
     *
     * @throws PosixException of the first thing that could not be removed; what else could be is gone
     */
    public static void delete(String path) throws PosixException {
        delete(null, path);
    }

    /** @param dir folder of {@code name}; null: the name is absolute */
    public static void delete(@Nullable Fd dir, String name) throws PosixException {
        raise(deleteOne(new ArrayDeque<>(), dir, name));
    }

    /** Removes what is in a folder, and keeps the folder. */
    public static void empty(String path) throws PosixException {
        PosixException failure = null;
        for (int round = 0; round < ROUNDS && failure == null && !isEmpty(path); round++) {
            try (var folder = Directory.open(null, path)) {
                failure = deleteNames(new ArrayDeque<>(), folder);
            }
        }
        raise(failure);
    }

    private static boolean isEmpty(String path) throws PosixException {
        try (var folder = Directory.open(null, path)) {
            return folder.next() == null;
        }
    }

    private static void raise(@Nullable PosixException failure) throws PosixException {
        if (failure != null) {
            throw failure;
        }
    }

    /** @param above the folders that are being emptied, the top one first */
    private static @Nullable PosixException deleteOne(ArrayDeque<Directory> above, @Nullable Fd dir, String name) {
        try {
            Posix.unlinkat(dir, name);
            return null;
        } catch (PosixException e) {
            if (e.is(Errno.ENOENT)) {
                return null;
            }
            // Linux says EISDIR, POSIX allows EPERM.
            if (!e.is(Errno.EISDIR) && !e.is(Errno.EPERM)) {
                return e;
            }
            return deleteFolder(above, dir, name, e);
        }
    }

    private static @Nullable PosixException deleteFolder(
            ArrayDeque<Directory> above, @Nullable Fd dir, String name, PosixException unlinkFailure) {
        if (above.size() >= MAX_DEPTH && movedUp(above, dir, name)) {
            return null;
        }
        for (int round = 0; ; round++) {
            PosixException inside;
            try (var folder = Directory.open(dir, name)) {
                inside = deleteNames(above, folder);
            } catch (PosixException e) {
                if (e.is(Errno.ENOENT)) {
                    return null;
                }
                // A file after all: what unlink said is the reason.
                return e.is(Errno.ENOTDIR) || e.is(Errno.ELOOP) ? unlinkFailure : e;
            }
            try {
                Posix.rmdirat(dir, name);
                return null;
            } catch (PosixException e) {
                if (e.is(Errno.ENOENT)) {
                    return null;
                }
                if (inside != null) {
                    return inside;
                }
                // EEXIST: allowed by POSIX for the same.
                if (!(e.is(Errno.ENOTEMPTY) || e.is(Errno.EEXIST)) || round == ROUNDS) {
                    return e;
                }
            }
        }
    }

    private static @Nullable PosixException deleteNames(ArrayDeque<Directory> above, Directory folder)
            throws PosixException {
        above.addLast(folder);
        try {
            PosixException first = null;
            for (var n = folder.next(); n != null; n = folder.next()) {
                var failure = deleteOne(above, folder.fd(), n.name());
                if (first == null) {
                    first = failure;
                }
            }
            return first;
        } finally {
            above.removeLast();
        }
    }

    /** A folder too deep to descend into becomes a child of the top one, which is read again until it is empty. */
    private static boolean movedUp(ArrayDeque<Directory> above, @Nullable Fd dir, String name) {
        try {
            Posix.renameat(
                    dir,
                    name,
                    above.getFirst().fd(),
                    ".fb-deep-" + Posix.lstatat(dir, name).inode());
            return true;
        } catch (PosixException e) {
            return false;
        }
    }

    /** @param bytes allocated; a file with several names counts for each of them @param files everything that is no folder */
    public record Usage(long bytes, long files, long folders) {
        private Usage plus(Stat stat) {
            return stat.isFolder()
                    ? new Usage(bytes + stat.allocatedBytes(), files, folders + 1)
                    : new Usage(bytes + stat.allocatedBytes(), files + 1, folders);
        }
    }

    /** What a tree takes, on its file system alone. What disappears meanwhile, or cannot be read, or is absent counts as nothing. */
    public static Usage usage(String path) {
        var total = new Usage(0, 0, 0);
        var top = lstatIfThere(null, path);
        if (top == null) {
            return total;
        }
        total = total.plus(top);
        var open = new ArrayDeque<Directory>();
        try {
            enter(open, null, path, top, top);
            while (!open.isEmpty()) {
                var folder = open.getLast();
                var name = nextIfThere(folder);
                if (name == null) {
                    open.removeLast().close();
                    continue;
                }
                var stat = lstatIfThere(folder.fd(), name.name());
                if (stat != null) {
                    total = total.plus(stat);
                    enter(open, folder.fd(), name.name(), stat, top);
                }
            }
        } finally {
            open.forEach(Directory::close);
        }
        return total;
    }

    private static void enter(ArrayDeque<Directory> open, @Nullable Fd dir, String name, Stat stat, Stat top) {
        if (!stat.isFolder() || stat.device() != top.device() || open.size() >= MAX_DEPTH) {
            return;
        }
        try {
            open.addLast(Directory.open(dir, name));
        } catch (PosixException e) {
            // Gone or closed to us: nothing is counted, as promised.
        }
    }

    private static Directory.@Nullable Name nextIfThere(Directory folder) {
        try {
            return folder.next();
        } catch (PosixException e) {
            return null;
        }
    }

    private static @Nullable Stat lstatIfThere(@Nullable Fd dir, String name) {
        try {
            return Posix.lstatat(dir, name);
        } catch (PosixException e) {
            return null;
        }
    }
}
