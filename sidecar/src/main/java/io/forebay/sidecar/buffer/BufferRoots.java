package io.forebay.sidecar.buffer;

import io.forebay.api.value.Bytes;
import io.forebay.sidecar.os.Directory;
import io.forebay.sidecar.os.Errno;
import io.forebay.sidecar.os.FileTree;
import io.forebay.sidecar.os.Posix;
import io.forebay.sidecar.os.PosixException;
import io.forebay.sidecar.os.PosixProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

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

    /** Where disk buffers lie, to be swept. */
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

    /** What a dead run left. @param bytes allocated @param removed false: it holds what is not exported, see {@code forebay resume} */
    public record Leftover(String root, long bytes, boolean removed) {}

    /**
     * Removes the buffers of dead runs: those below {@code base} that are this user's, that no process has locked, and of which
     * nothing is wanted any more.
     *
     * @param holdsUnexported whether a root's journal names an attempt that is not over: then it stays
     */
    public static List<Leftover> sweep(String base, Predicate<String> holdsUnexported) throws IOException {
        var found = new ArrayList<Leftover>();
        for (var root : candidates(base)) {
            try (var lock = RootLock.tryTake(root).orElse(null)) {
                if (lock == null) {
                    continue;
                }
                long bytes = FileTree.usage(root).bytes();
                boolean keep = holdsUnexported.test(root);
                if (!keep) {
                    FileTree.delete(root);
                }
                found.add(new Leftover(root, bytes, !keep));
            } catch (PosixException e) {
                if (!e.is(Errno.ENOENT)) {
                    throw e;
                }
            }
        }
        return found;
    }

    private static List<String> candidates(String base) throws PosixException {
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
