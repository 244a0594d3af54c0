package io.forebay.sidecar.journal;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a journal to one process, and to one place in it. A file of its own, never deleted, since the journal itself is
 * replaced; the kernel takes the lock back when the process dies.
 */
final class JournalLock implements Closeable {
    private final @Nullable FileChannel channel;

    private JournalLock(@Nullable FileChannel channel) {
        this.channel = channel;
    }

    /** @throws JournalException LOCKED */
    static JournalLock take(Path file) throws IOException {
        var channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            if (channel.tryLock() == null) {
                throw locked(file, null);
            }
            return new JournalLock(channel);
        } catch (OverlappingFileLockException e) {
            channel.close();
            throw locked(file, e);
        } catch (IOException | RuntimeException | Error e) {
            channel.close();
            throw e;
        }
    }

    /** For a folder that no other process can reach. */
    static JournalLock none() {
        return new JournalLock(null);
    }

    private static JournalException locked(Path file, @Nullable Throwable cause) {
        return new JournalException(
                JournalException.Kind.LOCKED,
                file.toString(),
                -1,
                "journal lock " + file + " is held: another worker runs on this buffer. Wait for its end, or end it",
                cause);
    }

    @Override
    public void close() throws IOException {
        if (channel != null) {
            channel.close();
        }
    }
}
