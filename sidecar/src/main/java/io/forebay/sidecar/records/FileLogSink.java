package io.forebay.sidecar.records;

import io.forebay.sidecar.os.Open;
import io.forebay.sidecar.os.Posix;
import io.forebay.sidecar.os.PosixIo;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.StoreException.Kind;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A log as one file: append, fsync. Streams instead of channels, since an interrupt must not close the file. */
final class FileLogSink implements RecordLog.Sink {
    private final Path file;
    private final FileOutputStream out;
    /** Last batch that is durable here. */
    private long durable;

    /** Creates the file and makes its name durable. */
    FileLogSink(Path file) throws StoreException {
        this.file = file;
        try {
            Files.createFile(file);
            out = new FileOutputStream(file.toFile(), true);
            // Not by a FileChannel, which an interruption of this thread would close.
            try (var folder =
                    Posix.open(String.valueOf(file.toAbsolutePath().getParent()), Open.RDONLY | Open.DIRECTORY)) {
                PosixIo.fsync(folder);
            }
        } catch (IOException e) {
            throw failure(e);
        }
    }

    @Override
    public void append(long batch, byte[] bytes) throws StoreException {
        if (batch <= durable) {
            // Whoever wrote it was interrupted before it was known to be decided: a second copy would be damage.
            return;
        }
        try {
            out.write(bytes);
            out.getFD().sync();
            if (Files.notExists(file)) {
                // What was synced has no name any more: nobody will ever read it.
                throw new StoreException(
                        Kind.PERMANENT,
                        file + " was removed while the job ran: keep the records folder until the job has ended");
            }
            durable = batch;
        } catch (IOException e) {
            throw failure(e);
        }
    }

    private StoreException failure(IOException e) {
        var text = String.valueOf(e.getMessage());
        boolean full = text.contains("No space left") || text.contains("quota exceeded");
        return new StoreException(
                full ? Kind.NO_SPACE : Kind.PERMANENT,
                file + ": " + text + (full ? "; free space and run again" : ""),
                e);
    }

    @Override
    public void close() {
        try {
            out.close();
        } catch (IOException e) {
            // Everything that counts was fsynced before.
        }
    }
}
