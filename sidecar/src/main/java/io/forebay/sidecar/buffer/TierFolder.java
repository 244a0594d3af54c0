package io.forebay.sidecar.buffer;

import io.forebay.sidecar.os.Directory;
import io.forebay.sidecar.os.Errno;
import io.forebay.sidecar.os.FileSystemInfo;
import io.forebay.sidecar.os.FileTree;
import io.forebay.sidecar.os.Open;
import io.forebay.sidecar.os.Posix;
import io.forebay.sidecar.os.PosixException;
import io.forebay.sidecar.os.PosixIo;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One tier's folder and what is done to it. Layout:
 *
 * <pre>
 * .lock                                    held while a buffer uses it ({@link RootLock})
 * items/ITEM.GENERATION.MARK/in work out   one attempt of an item ({@link ItemFolder.Owner#mark})
 * shared/INPUT/in work out                 an input that all items share
 * trash/N                                  on its way out
 * </pre>
 *
 * Thread-safe: it has no state but names. Blocks.
 */
final class TierFolder implements AutoCloseable {
    static final String ITEMS = "items";
    static final String SHARED = "shared";
    static final String TRASH = "trash";
    private static final int PROBE_BYTES = 4096;
    private static final int OWN = 0700;
    /** By the group, if there is one. */
    private static final int WRITABLE = 02770;

    private static final int READABLE = 02750;

    private final String root;
    private final OptionalInt group;
    private final RootLock lock;
    private final boolean madeRoot;
    private final AtomicLong trashNumber = new AtomicLong();

    private TierFolder(String root, OptionalInt group, RootLock lock, boolean madeRoot) {
        this.root = root;
        this.group = group;
        this.lock = lock;
        this.madeRoot = madeRoot;
    }

    /** @param group that may use what is in it @throws IOException it cannot be made, or another buffer uses it */
    static TierFolder open(String root, OptionalInt group) throws IOException {
        boolean made = RootLock.makeFolders(root);
        var lock = RootLock.take(root);
        try {
            for (var part : List.of(ITEMS, SHARED, TRASH)) {
                makeIfMissing(root + "/" + part, group, WRITABLE);
            }
            if (made) {
                share(root, group, WRITABLE);
            }
            return new TierFolder(root, group, lock, made);
        } catch (IOException | RuntimeException | Error e) {
            lock.close();
            throw e;
        }
    }

    String root() {
        return root;
    }

    String path(String name) {
        return root + "/" + name;
    }

    FileSystemInfo statfs() throws PosixException {
        return Posix.statfs(root);
    }

    /** Makes in/, work/ and out/ below it; what is there already stays. */
    void make(String name) throws PosixException {
        makeIfMissing(path(name), group, WRITABLE);
        makeIfMissing(path(name) + "/in", group, READABLE);
        makeIfMissing(path(name) + "/work", group, WRITABLE);
        makeIfMissing(path(name) + "/out", group, WRITABLE);
    }

    /** Makes a folder that begins with what is in another one's in/. */
    void makeWithInputsOf(String former, String name) throws PosixException {
        make(name);
        Posix.rename(path(former) + "/in", path(name) + "/in");
    }

    private static void makeIfMissing(String path, OptionalInt group, int mode) throws PosixException {
        try {
            Posix.mkdirat(null, path, OWN);
        } catch (PosixException e) {
            if (!e.is(Errno.EEXIST)) {
                throw e;
            }
        }
        share(path, group, mode);
    }

    /** Whatever the umask is. What is made below gets the group too. */
    private static void share(String path, OptionalInt group, int mode) throws PosixException {
        if (group.isPresent()) {
            Posix.fchownat(null, path, -1, group.getAsInt());
            Posix.fchmodat(null, path, mode);
        }
    }

    boolean exists(String name) throws PosixException {
        try {
            return Posix.lstat(path(name)).isFolder();
        } catch (PosixException e) {
            if (e.is(Errno.ENOENT)) {
                return false;
            }
            throw e;
        }
    }

    /** Durable at return. */
    void mark(String file) throws PosixException {
        try (var fd = Posix.open(path(file), Open.RDWR | Open.CREAT | Open.NOFOLLOW, 0600)) {
            PosixIo.fsync(fd);
        }
    }

    boolean isMarked(String file) throws PosixException {
        try {
            return Posix.lstat(path(file)).isFile();
        } catch (PosixException e) {
            if (e.is(Errno.ENOENT) || e.is(Errno.ENOTDIR)) {
                return false;
            }
            throw e;
        }
    }

    /** @return the names below it, with it: {@code items/17.1.3k9x} */
    List<String> list(String part) throws PosixException {
        var names = new ArrayList<String>();
        try (var folder = Directory.open(null, path(part))) {
            for (var n = folder.next(); n != null; n = folder.next()) {
                names.add(part + "/" + n.name());
            }
        }
        return names;
    }

    /** Out of the way at once, whatever its size. @return its new name */
    String toTrash(String name) throws PosixException {
        var trash = TRASH + "/" + trashNumber.incrementAndGet() + "-"
                + ProcessHandle.current().pid() + "-" + name.replace('/', '-');
        Posix.rename(path(name), path(trash));
        return trash;
    }

    /** Removes it with all below it, also where a step took the permissions away. Absent: nothing. */
    void delete(String name) throws PosixException {
        try {
            FileTree.delete(path(name));
        } catch (PosixException e) {
            if (!e.is(Errno.EACCES)) {
                throw e;
            }
            openUp(path(name));
            FileTree.delete(path(name));
        }
    }

    /** Gives the owner all permissions on the folders. */
    private static void openUp(String path) throws PosixException {
        Posix.fchmodat(null, path, 0700);
        var below = new ArrayList<String>();
        try (var folder = Directory.open(null, path)) {
            for (var n = folder.next(); n != null; n = folder.next()) {
                if (Posix.lstatat(folder.fd(), n.name()).isFolder()) {
                    below.add(path + "/" + n.name());
                }
            }
        }
        for (var b : below) {
            openUp(b);
        }
    }

    /** Writes, syncs, reads and removes a small file. @throws IOException the tier does not do that */
    void probe() throws IOException {
        var file = path(".probe");
        var written = ByteBuffer.allocateDirect(PROBE_BYTES);
        while (written.hasRemaining()) {
            written.put((byte) 0x5A);
        }
        written.flip();
        var read = ByteBuffer.allocateDirect(PROBE_BYTES);
        try (var fd = Posix.open(file, Open.RDWR | Open.CREAT | Open.TRUNC | Open.NOFOLLOW, 0600)) {
            PosixIo.pwrite(fd, written.duplicate(), 0);
            PosixIo.fsync(fd);
            PosixIo.pread(fd, read, 0);
        }
        if (!written.equals(read.flip())) {
            throw new IOException(file + " does not hold what was written to it");
        }
        Posix.unlink(file);
    }

    /** Removes what is its own, if empty: the parts, the lock, and a root that this process made. */
    void removeIfEmpty() throws PosixException {
        for (var part : List.of(ITEMS, SHARED, TRASH)) {
            removeFolder(path(part));
        }
        lock.remove();
        if (madeRoot || BufferRoots.isOurName(root)) {
            removeFolder(root);
        }
    }

    private static void removeFolder(String path) throws PosixException {
        try {
            Posix.rmdirat(null, path);
        } catch (PosixException e) {
            if (!e.is(Errno.ENOTEMPTY) && !e.is(Errno.EEXIST) && !e.is(Errno.ENOENT) && !e.is(Errno.EBUSY)) {
                throw e;
            }
        }
    }

    @Override
    public void close() {
        lock.close();
    }
}
