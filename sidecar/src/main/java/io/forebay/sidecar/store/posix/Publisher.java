package io.forebay.sidecar.store.posix;

import io.forebay.sidecar.os.Errno;
import io.forebay.sidecar.os.Fd;
import io.forebay.sidecar.os.Open;
import io.forebay.sidecar.os.Posix;
import io.forebay.sidecar.os.PosixException;
import io.forebay.sidecar.os.PosixIo;
import io.forebay.sidecar.store.StagedFile;
import io.forebay.sidecar.store.Store.PublishOutcome;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.StoreException.Kind;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.zip.CRC32C;

/**
 * Makes staged files visible. Order on disk, after {@link StagedPosixFile}'s: 5 is the temporary file still the staged one? 6 rename;
 * the caller then syncs the folders of a batch, 7. Killed before 6: nothing is visible; after: all of it. Made again: the temporary
 * name is gone, and what is at the final name decides. All blocks; to be called on the pool. Stateless.
 */
final class Publisher {
    private Publisher() {}

    private static final int CHUNK = 1 << 20;

    static PublishOutcome publish(StagedFile file, Roots roots) throws PosixException, StoreException {
        var stub = file.stub();
        var at = Destination.of(stub.root(), stub.finalKey());
        if (stub.kind() == StagedFile.Kind.FOLDER) {
            return folder(at, roots, stub);
        }
        try (var parent = at.open(roots)) {
            return publish(parent, at, file);
        } catch (PosixException e) {
            if (e.is(Errno.ENOENT)) {
                return PublishOutcome.LOST;
            }
            throw e;
        }
    }

    private static PublishOutcome publish(Fd parent, Destination at, StagedFile file)
            throws PosixException, StoreException {
        if (isStaged(parent, file) && renamed(parent, file.stub(), at)) {
            return PublishOutcome.PUBLISHED;
        }
        return isFinal(parent, at.name(), file) ? PublishOutcome.PUBLISHED : PublishOutcome.LOST;
    }

    /**
     * Some of the files, as {@link #publish(StagedFile, Roots)}; the way to a folder is gone once for all that follow each other in it.
     *
     * @param outcomes gets theirs
     * @param left whether the caller has left: the rest is left, too
     */
    static void publish(
            List<StagedFile> files, List<Integer> indexes, Roots roots, PublishOutcome[] outcomes, BooleanSupplier left)
            throws PosixException, StoreException {
        int next = 0;
        while (next < indexes.size()) {
            var first = files.get(indexes.get(next));
            var way = Destination.of(first.stub().root(), first.stub().finalKey());
            if (first.stub().kind() == StagedFile.Kind.FOLDER) {
                outcomes[indexes.get(next++)] = folder(way, roots, first.stub());
                continue;
            }
            try (var parent = way.open(roots)) {
                while (next < indexes.size() && !left.getAsBoolean()) {
                    var file = files.get(indexes.get(next));
                    var at = Destination.of(file.stub().root(), file.stub().finalKey());
                    if (!at.inFolderOf(way) || file.stub().kind() == StagedFile.Kind.FOLDER) {
                        break;
                    }
                    outcomes[indexes.get(next)] = publishOrLost(parent, at, file);
                    next++;
                }
            } catch (PosixException e) {
                if (!e.is(Errno.ENOENT)) {
                    throw e;
                }
                outcomes[indexes.get(next++)] = PublishOutcome.LOST; // without its folder
            }
            if (left.getAsBoolean()) {
                return;
            }
        }
    }

    private static PublishOutcome publishOrLost(Fd parent, Destination at, StagedFile file)
            throws PosixException, StoreException {
        try {
            return publish(parent, at, file);
        } catch (PosixException e) {
            if (e.is(Errno.ENOENT)) {
                return PublishOutcome.LOST;
            }
            throw e;
        }
    }

    /** Whether the temporary name is there and nobody has cut it, appended to it, or put something else in its place. */
    private static boolean isStaged(Fd parent, StagedFile file) throws PosixException {
        var s = Posix.lstatIfThere(parent, file.stub().handle());
        if (s == null) {
            return false;
        }
        if (file.stub().kind() == StagedFile.Kind.LINK) {
            return s.isSymlink();
        }
        return s.isFile() && s.size() == file.size() && (!file.stub().readBack() || isSame(parent, file));
    }

    /** It was read back when it was staged, which may be long ago. */
    private static boolean isSame(Fd parent, StagedFile file) throws PosixException {
        return content(parent, file.stub().handle()) == file.crc32c();
    }

    /** @return false: someone else, who carries out the same intent, was faster */
    private static boolean renamed(Fd parent, StagedFile.Stub stub, Destination at)
            throws PosixException, StoreException {
        try {
            Posix.renameat(parent, stub.handle(), parent, at.name());
            return true;
        } catch (PosixException e) {
            if (e.is(Errno.ENOENT)) {
                return false;
            }
            if (e.is(Errno.EISDIR) || e.is(Errno.ENOTEMPTY) || e.is(Errno.EEXIST)) {
                throw new StoreException(
                        Kind.PERMANENT,
                        "publishing " + at.path() + " failed: a folder of that name is there. Remove it, then resume.",
                        e);
            }
            throw e;
        }
    }

    private static boolean isFinal(Fd parent, String name, StagedFile file) throws PosixException {
        if (file.stub().kind() == StagedFile.Kind.LINK) {
            return Posix.lstatat(parent, name).isSymlink()
                    && Posix.readlinkat(parent, name).equals(file.stub().meta().linkTarget());
        }
        var s = Posix.lstatat(parent, name);
        if (!s.isFile() || s.size() != file.size()) {
            return false;
        }
        return content(parent, name) == file.crc32c();
    }

    /** CRC32C of what a name stands for. */
    private static long content(Fd parent, String name) throws PosixException {
        try (var fd = Posix.openat(parent, name, Open.RDONLY | Open.NOFOLLOW | Open.NONBLOCK)) {
            return checksum(fd);
        }
    }

    private static long checksum(Fd fd) throws PosixException {
        var crc = new CRC32C();
        try (var arena = Arena.ofConfined()) {
            var chunk = arena.allocate(CHUNK);
            long at = 0;
            for (long n = PosixIo.pread(fd, chunk, at); n > 0; n = PosixIo.pread(fd, chunk, at)) {
                crc.update(chunk.asSlice(0, n).asByteBuffer());
                at += n;
            }
        }
        return crc.getValue();
    }

    /** Made only now, so that it stays invisible before; it has no bytes that could be lost. */
    private static PublishOutcome folder(Destination at, Roots roots, StagedFile.Stub stub)
            throws PosixException, StoreException {
        try (var parent = at.create(roots)) {
            try {
                Posix.mkdirat(parent, at.name(), 0777);
            } catch (PosixException e) {
                if (!e.is(Errno.EEXIST)) {
                    throw e;
                }
                if (!Posix.lstatat(parent, at.name()).isFolder()) {
                    throw new StoreException(
                            Kind.PERMANENT,
                            "the folder " + at.path() + " cannot be made: a file of that name is there",
                            e);
                }
                return PublishOutcome.PUBLISHED;
            }
            try (var made = Posix.openFolder(parent, at.name())) {
                StagedPosixFile.setMeta(made, stub.meta());
            }
            return PublishOutcome.PUBLISHED;
        }
    }

    /** Makes a symbolic link under its temporary name. */
    static void link(Destination at, Roots roots, StagedFile.Stub stub) throws PosixException, StoreException {
        var target = Objects.requireNonNull(stub.meta().linkTarget(), "target of a symbolic link");
        try (var parent = at.create(roots)) {
            Posix.unlinkatIfThere(parent, stub.handle());
            Posix.symlinkat(target, parent, stub.handle());
            if (stub.meta().mtimeNanos() != -1) {
                Posix.setMtimeAt(parent, stub.handle(), stub.meta().mtimeNanos());
            }
        }
    }
}
