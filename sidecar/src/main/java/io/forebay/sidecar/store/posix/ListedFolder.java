package io.forebay.sidecar.store.posix;

import io.forebay.sidecar.os.Directory;
import io.forebay.sidecar.os.Errno;
import io.forebay.sidecar.os.Fd;
import io.forebay.sidecar.os.Open;
import io.forebay.sidecar.os.Posix;
import io.forebay.sidecar.os.PosixException;
import io.forebay.sidecar.os.Stat;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A folder in the middle of being listed: its descriptor, how far its names were read, and folders in it still to be entered. */
final class ListedFolder {
    private final String path;
    private final Directory names;
    private final Stat stat;
    private final Shared uses;

    /** Used by the lister's caller only, as is {@link #empty}. */
    private final ArrayDeque<String> below = new ArrayDeque<>();

    private boolean empty = true;

    private ListedFolder(String path, Fd fd, Stat stat) {
        this.path = path;
        this.names = Directory.of(fd);
        this.stat = stat;
        this.uses = new Shared(names::close);
    }

    /** @param isFolder whether the file system said so already */
    record Name(String name, boolean isFolder) {}

    /** Takes the descriptor over. */
    static ListedFolder of(String path, Fd fd) throws PosixException {
        try {
            return new ListedFolder(path, fd, Posix.fstat(fd));
        } catch (PosixException e) {
            fd.close();
            throw e;
        }
    }

    /** @return null: it is gone, or no folder any more */
    static @Nullable ListedFolder below(ListedFolder above, String name, String path, boolean follow)
            throws PosixException {
        try {
            var flags = Open.RDONLY | Open.DIRECTORY | (follow ? 0 : Open.NOFOLLOW);
            return of(path, Posix.openat(above.fd(), name, flags));
        } catch (PosixException e) {
            if (e.is(Errno.ENOENT) || e.is(Errno.ENOTDIR) || e.is(Errno.ELOOP)) {
                return null;
            }
            throw e;
        }
    }

    /** Ending in a slash. */
    String path() {
        return path;
    }

    Fd fd() {
        return names.fd();
    }

    Stat stat() {
        return stat;
    }

    Shared uses() {
        return uses;
    }

    /** The next names that are wanted; none: there are no more. */
    List<Name> names(int atMost, Predicate<String> wanted) throws PosixException {
        var batch = new ArrayList<Name>(atMost);
        while (batch.size() < atMost) {
            var next = names.next();
            if (next == null) {
                break;
            }
            if (wanted.test(next.name())) {
                batch.add(new Name(next.name(), next.type() == Stat.Type.FOLDER));
            }
        }
        return batch;
    }

    /** With all symbolic links resolved, as the kernel knows it. */
    String realPath() throws PosixException {
        return realPath(fd());
    }

    static String realPath(Fd fd) throws PosixException {
        return Posix.readlinkat(null, "/proc/self/fd/" + fd.number());
    }

    void addBelow(String name) {
        below.addLast(name);
    }

    @Nullable
    String nextBelow() {
        return below.pollFirst();
    }

    void hasSomething() {
        empty = false;
    }

    boolean isEmpty() {
        return empty;
    }

    static void closeIfAny(@Nullable ListedFolder folder) {
        if (folder != null) {
            folder.close();
        }
    }

    void close() {
        uses.close();
    }
}
