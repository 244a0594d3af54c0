package io.forebay.sidecar.records;

import io.forebay.api.value.Bytes;
import io.forebay.sidecar.os.Errno;
import io.forebay.sidecar.os.Fd;
import io.forebay.sidecar.os.Open;
import io.forebay.sidecar.os.Posix;
import io.forebay.sidecar.os.PosixException;
import io.forebay.sidecar.os.PosixIo;
import io.forebay.sidecar.os.Stat;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.StoreException.Kind;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;

/** A log as one file: write behind what is durable, fsync. No channel, since an interruption must not close the file. */
final class FileLogSink implements RecordLog.Sink {
    private final Path file;
    private final Fd out;
    private final Stat self;
    private final Stat folder;
    /** Last batch that is durable here. */
    private long durable;
    /** Where it ends. */
    private long length;

    /** Creates the file and makes its name durable. */
    FileLogSink(Path file) throws StoreException {
        this.file = file;
        try {
            out = Posix.open(file.toString(), Open.WRONLY | Open.CREAT | Open.EXCL, 0644);
            self = Posix.fstat(out);
            try (var above = Posix.open(folder(), Open.RDONLY | Open.DIRECTORY)) {
                PosixIo.fsync(above);
                folder = Posix.fstat(above);
            }
        } catch (PosixException e) {
            throw failure(e, 0);
        }
    }

    @Override
    public void append(long batch, byte[] bytes) throws StoreException {
        if (batch <= durable) {
            // Whoever wrote it was interrupted before it was known to be decided: a second copy would be damage.
            return;
        }
        try (var arena = Arena.ofConfined()) {
            PosixIo.pwrite(out, arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes), length);
            PosixIo.fsync(out);
        } catch (PosixException e) {
            cutOff();
            throw failure(e, bytes.length);
        }
        requireName();
        durable = batch;
        length += bytes.length;
    }

    /** What was synced may have no name any more, or lie on a file system that nobody sees: nobody will ever read it. */
    private void requireName() throws StoreException {
        try {
            if (self.sameFile(Posix.stat(file.toString()))) {
                return;
            }
        } catch (PosixException e) {
            if (!e.is(Errno.ENOENT) && !e.is(Errno.ENOTDIR)) {
                return; // it is not known to be gone
            }
        }
        throw new StoreException(
                Kind.PERMANENT,
                isOtherFolder()
                        ? folder()
                                + " is another folder (or file system) now than when the run began: was it unmounted? It held the records of"
                                + " this job. Put back what was there, then resume"
                        : file
                                + " was removed while the job ran: keep the records folder, and its file system mounted, until the job has ended");
    }

    private boolean isOtherFolder() {
        try {
            return !folder.sameFile(Posix.stat(folder()));
        } catch (PosixException e) {
            return false; // there is none
        }
    }

    private String folder() {
        return String.valueOf(file.toAbsolutePath().getParent());
    }

    /** Part of a batch may be there. A reader would cut it too; here it makes room. */
    private void cutOff() {
        try {
            PosixIo.ftruncate(out, length);
        } catch (PosixException e) {
            // The next try writes over it.
            return;
        }
    }

    private StoreException failure(PosixException e, long neededBytes) {
        boolean full = e.is(Errno.ENOSPC) || e.is(Errno.EDQUOT);
        boolean denied = e.is(Errno.EACCES) || e.is(Errno.EPERM) || e.is(Errno.EROFS);
        var remedy = full ? needed(neededBytes) : denied ? ". Make it writable again" : "";
        return new StoreException(
                full ? Kind.NO_SPACE : denied ? Kind.DENIED : Kind.PERMANENT, file + ": " + e.reason() + remedy, e);
    }

    private String needed(long bytes) {
        var text = ". Needed: " + Bytes.of(bytes).human() + " for the next records alone";
        try {
            long free = Posix.statfs(String.valueOf(file.getParent())).freeBytes();
            text += "; free: " + Bytes.of(free).human();
        } catch (PosixException e) {
            text += "; how much is free cannot be told: " + e.reason();
        }
        return text + ". Free space on that file system";
    }

    @Override
    public void close() {
        // Everything that counts was fsynced before.
        out.close();
    }
}
