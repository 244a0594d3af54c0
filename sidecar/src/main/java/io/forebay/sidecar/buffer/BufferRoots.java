package io.forebay.sidecar.buffer;

import io.forebay.api.value.Bytes;
import io.forebay.sidecar.os.Directory;
import io.forebay.sidecar.os.Errno;
import io.forebay.sidecar.os.FileTree;
import io.forebay.sidecar.os.Posix;
import io.forebay.sidecar.os.PosixException;
import io.forebay.sidecar.os.PosixProcess;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Where buffers lie on a machine that is not ours alone: private folders with names that a restart finds again ({@code
 * forebay-UID-JOB-NAME}), how much memory they may take, and what dead runs left there.
 */
public final class BufferRoots {
    private BufferRoots() {}

    private static final String PREFIX = "forebay-";
    /** Of 255 that a name may have: enough for any job that people type. */
    private static final int LONGEST_JOB = 120;

    /** @param name of this run, or of the place: the same again after a restart */
    public static String memory(String job, String name) {
        return SharedMemory.OF_THE_MACHINE.folder() + "/" + leaf(job, name);
    }

    /** Why a tier of that size cannot lie at {@link #memory}, in words; empty: the file system there has room, whatever the machine's memory. */
    public static Optional<String> noMemory(String root, Bytes size) throws IOException {
        return SharedMemory.OF_THE_MACHINE.obstacle(root, size);
    }

    /**
     * Below the first of $FOREBAY_DISK, $TMPDIR, $XDG_CACHE_HOME, ~/.cache, /var/tmp that is set and is a folder.
     *
     * @throws IOException none is
     */
    public static String disk(Map<String, String> environment, String job, String name) throws IOException {
        return diskBase(environment) + "/" + leaf(job, name);
    }

    /** Where memory buffers lie. */
    public static String memoryBase() {
        return SharedMemory.OF_THE_MACHINE.folder();
    }

    /** Where disk buffers lie. */
    public static String diskBase(Map<String, String> environment) throws IOException {
        var asked = environment.get("FOREBAY_DISK");
        if (asked != null && !asked.isEmpty()) {
            if (!isFolder(asked)) {
                throw new IOException("FOREBAY_DISK is " + asked + ", which is no folder. Make it, or set another one");
            }
            return asked;
        }
        var home = environment.get("HOME");
        var candidates = Arrays.asList(
                environment.get("TMPDIR"),
                environment.get("XDG_CACHE_HOME"),
                home == null ? null : home + "/.cache",
                "/var/tmp");
        for (var folder : candidates) {
            if (folder != null && folder.startsWith("/") && isFolder(folder)) {
                return folder;
            }
        }
        throw new IOException(
                "no folder for a disk buffer: none of $TMPDIR, $XDG_CACHE_HOME, ~/.cache and /var/tmp is one. Set FOREBAY_DISK");
    }

    private static boolean isFolder(String path) {
        try {
            return Posix.stat(path).isFolder();
        } catch (PosixException e) {
            return false;
        }
    }

    private static String leaf(String job, String name) {
        var shortJob = job.length() <= LONGEST_JOB
                ? job
                : job.substring(0, LONGEST_JOB - 9) + "-%08x".formatted(job.hashCode());
        var leaf = PREFIX + PosixProcess.euid() + "-" + shortJob + "-" + name;
        if (leaf.indexOf('/') >= 0 || leaf.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("not a name for a buffer: '" + leaf + "'");
        }
        return leaf;
    }

    /** Whether a folder of that name was made by {@link #make}. */
    static boolean isOurName(String root) {
        return root.substring(root.lastIndexOf('/') + 1).startsWith(PREFIX);
    }

    /**
     * Makes such a folder, or finds it again.
     *
     * @throws IOException it is another user's, others may write to it, or it is no folder (somebody made it before us)
     */
    public static void make(String root) throws IOException {
        RootLock.makeFolders(root);
        var stat = Posix.lstat(root);
        if (!stat.isFolder() || stat.uid() != PosixProcess.euid() || (stat.permissions() & 077) != 0) {
            throw new IOException("buffer folder " + root + " is not private to user " + PosixProcess.euid()
                    + " (owner " + stat.uid() + ", mode " + Integer.toOctalString(stat.permissions()) + ", "
                    + stat.type() + "). Remove it, or give the run another name");
        }
    }

    /**
     * Most that a memory tier in /dev/shm may have: half of what is available, or of the limit of our cgroup.
     *
     * @param root whose own contents, from an earlier life, do not count against it; need not exist
     */
    public static Bytes mostMemory(String root) throws IOException {
        long ours = FileTree.usage(root).bytes();
        return Bytes.of(MemoryLimit.mostBytes(new MemoryFigures(Path.of("/proc")).read(ours)));
    }

    /** Something done with a folder. */
    @FunctionalInterface
    public interface Action<T> {
        T run() throws IOException;
    }

    /** Says that this process uses a folder made by {@link #make}, until it is closed, or dies. Several processes may. */
    public static Closeable use(String root) throws IOException {
        return RootLock.share(root);
    }

    /** Does something while no other process uses the folder or has a buffer in it. @return empty: one has, or the folder is gone */
    public static <T> Optional<T> ifUnused(String root, Action<T> action) throws IOException {
        try (var lock = RootLock.tryTake(root).orElse(null)) {
            return lock == null ? Optional.empty() : Optional.of(action.run());
        }
    }

    /** Whether it has a name of this user's buffers. */
    public static boolean isOurs(String root) {
        return root.startsWith("/")
                && root.substring(root.lastIndexOf('/') + 1).startsWith(PREFIX + PosixProcess.euid() + "-");
    }

    /** The folder of this user's buffers that a path lies in; empty: in none. */
    public static Optional<String> rootOf(String path) {
        for (int slash = path.indexOf('/', 1); slash > 0; slash = path.indexOf('/', slash + 1)) {
            var folder = path.substring(0, slash);
            if (isOurs(folder)) {
                return Optional.of(folder);
            }
        }
        return Optional.empty();
    }

    /** Private folders of this user's below {@code base}, of living and dead runs; none if there is no such folder. */
    public static List<String> ours(String base) throws IOException {
        var own = PREFIX + PosixProcess.euid() + "-";
        var roots = new ArrayList<String>();
        try (var folder = Directory.open(null, base)) {
            for (var n = folder.next(); n != null; n = folder.next()) {
                if (!n.name().startsWith(own)) {
                    continue;
                }
                try {
                    var stat = Posix.lstatat(folder.fd(), n.name());
                    if (stat.isFolder() && stat.uid() == PosixProcess.euid()) {
                        roots.add(base + "/" + n.name());
                    }
                } catch (PosixException e) {
                    if (!e.is(Errno.ENOENT)) {
                        throw e;
                    }
                }
            }
        } catch (PosixException e) {
            if (!e.is(Errno.ENOENT)) {
                throw e;
            }
        }
        return roots;
    }
}
