package io.forebay.sidecar.records;

import io.forebay.api.value.Bytes;
import io.forebay.sidecar.os.Errno;
import io.forebay.sidecar.os.Fd;
import io.forebay.sidecar.os.Open;
import io.forebay.sidecar.os.Posix;
import io.forebay.sidecar.os.PosixException;
import io.forebay.sidecar.os.PosixIo;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.StoreException.Kind;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;

/** A log as one file: write behind what is durable, fsync. No channel, since an interruption must not close the file. */
final class FileLogSink implements RecordLog.Sink {
    private final Path file;
    private final Fd out;
    /** Last batch that is durable here. */
    private long durable;
    /** Where it ends. */
    private long length;

    /** Creates the file and makes its name durable. */
    FileLogSink(Path file) throws StoreException {
        this.file = file;
        try {
            out = Posix.open(file.toString(), Open.WRONLY | Open.CREAT | Open.EXCL, 0644);
            try (var folder =
                    Posix.open(String.valueOf(file.toAbsolutePath().getParent()), Open.RDONLY | Open.DIRECTORY)) {
                PosixIo.fsync(folder);
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
        if (Files.notExists(file)) {
            // What was synced has no name any more: nobody will ever read it.
            throw new StoreException(
                    Kind.PERMANENT,
                    file + " was removed while the job ran: keep the records folder until the job has ended");
        }
        durable = batch;
        length += bytes.length;
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
