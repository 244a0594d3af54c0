package io.forebay.sidecar.transfer;

import io.forebay.sidecar.store.FileMeta;
import io.forebay.sidecar.transfer.Transfers.BufferIoException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** The new file of the buffer that a fetch fills, created with its first byte. Thread-safe. */
final class FetchTarget implements AutoCloseable {
    private final long size;
    private final boolean sparse;
    /** Absent: nowhere. */
    private final @Nullable SharedFile<BufferFile> file;

    private final LongAdder total;
    private final LongAdder landed = new LongAdder();

    /** @param total bytes of all files, for displays */
    FetchTarget(BufferFile.Opener opener, String path, long size, LongAdder total) {
        this.total = total;
        this.size = size;
        this.sparse = SparseWriter.suits(size);
        this.file = new SharedFile<>(() -> create(opener, path));
    }

    private FetchTarget() {
        this.total = new LongAdder();
        this.size = 0;
        this.sparse = false;
        this.file = null;
    }

    /** For bytes that nobody wants, only what the store tells beside them. */
    static FetchTarget nowhere() {
        return new FetchTarget();
    }

    private BufferFile create(BufferFile.Opener opener, String path) throws BufferIoException {
        var created = opener.create(path);
        if (sparse) {
            try {
                created.resize(size);
            } catch (BufferIoException e) {
                created.close();
                throw e;
            }
        }
        return created;
    }

    /** @param over bytes may have been written there before: zeros must be written too */
    void write(ByteBuffer piece, long offset, boolean over) throws BufferIoException {
        if (file == null) {
            return;
        }
        var open = file.enter();
        try {
            if (sparse && !over) {
                SparseWriter.write(open, piece, offset);
            } else {
                open.write(piece, offset);
            }
        } finally {
            file.leave();
        }
    }

    /** So many bytes more (or fewer, if they were wrong) are in the file. */
    void landed(long bytes) {
        landed.add(bytes);
        total.add(bytes);
    }

    /** Nothing of what was written counts: the file is given up. */
    void forget() {
        total.add(-landed.sumThenReset());
    }

    /** The file is whole: gives it its mode and time. */
    void finish(FileMeta meta) throws BufferIoException {
        if (file == null) {
            return;
        }
        var open = file.enter();
        try {
            open.describe(meta);
        } finally {
            file.leave();
        }
    }

    @Override
    public void close() {
        if (file != null) {
            file.close();
        }
    }
}
