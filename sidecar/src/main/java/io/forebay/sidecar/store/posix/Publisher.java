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
import java.util.Objects;
import java.util.zip.CRC32C;

/**
 * Makes staged files visible. Order on disk, after {@link StagedPosixFile}'s: 5 is the temporary file still the staged one? 6 rename;
 * the caller then syncs the folders of a batch, 7. Killed before 6: nothing is visible; after: all of it. Made again: the temporary
 * name is gone, and what is at the final name decides. All blocks; to be called on the pool. Stateless.
 */
final class Publisher {
    private Publisher() {}

    private static final int CHUNK = 1 << 20;

    static PublishOutcome publish(StagedFile file) throws PosixException, StoreException {
        var stub = file.stub();
        var at = Destination.of(stub.root(), stub.finalKey());
        if (stub.kind() == StagedFile.Kind.FOLDER) {
            return folder(at, stub);
        }
        try (var parent = at.open()) {
            if (isStaged(parent, file) && renamed(parent, stub, at)) {
                return PublishOutcome.PUBLISHED;
            }
            return isFinal(parent, at.name(), file) ? PublishOutcome.PUBLISHED : PublishOutcome.LOST;
        } catch (PosixException e) {
            if (e.is(Errno.ENOENT)) {
                return PublishOutcome.LOST;
            }
            throw e;
        }
    }

    /** Whether the temporary name is there and nobody has cut it, appended to it, or put something else in its place. */
    private static boolean isStaged(Fd parent, StagedFile file) throws PosixException {
        try {
            var s = Posix.lstatat(parent, file.stub().handle());
            return file.stub().kind() == StagedFile.Kind.LINK ? s.isSymlink() : s.isFile() && s.size() == file.size();
        } catch (PosixException e) {
            if (e.is(Errno.ENOENT)) {
                return false;
            }
            throw e;
        }
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
        try (var fd = Posix.openat(parent, name, Open.RDONLY | Open.NOFOLLOW | Open.NONBLOCK)) {
            return checksum(fd) == file.crc32c();
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
    private static PublishOutcome folder(Destination at, StagedFile.Stub stub) throws PosixException, StoreException {
        try (var parent = at.create()) {
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
    static void link(Destination at, StagedFile.Stub stub) throws PosixException, StoreException {
        var target = Objects.requireNonNull(stub.meta().linkTarget(), "target of a symbolic link");
        try (var parent = at.create()) {
            StagedPosixFile.unlinkIfThere(parent, stub.handle());
            Posix.symlinkat(target, parent, stub.handle());
            if (stub.meta().mtimeNanos() != -1) {
                Posix.setMtimeAt(parent, stub.handle(), stub.meta().mtimeNanos());
            }
        }
    }
}
