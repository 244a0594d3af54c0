package io.forebay.sidecar.transfer;

import io.forebay.sidecar.os.Errno;
import io.forebay.sidecar.os.PosixException;
import io.forebay.sidecar.store.FileMeta;
import io.forebay.sidecar.transfer.Transfers.BufferIoException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntPredicate;

/** A buffer whose reads and writes fail by rule: "read" and "write" are counted from 1 over all files. */
final class FaultyBuffer implements BufferFile.Opener {
    private final String operation;
    private final IntPredicate which;
    private final Errno errno;
    final AtomicInteger calls = new AtomicInteger();
    final AtomicInteger open = new AtomicInteger();

    FaultyBuffer(String operation, IntPredicate which, Errno errno) {
        this.operation = operation;
        this.which = which;
        this.errno = errno;
    }

    private void call(String name) throws BufferIoException {
        if (name.equals(operation) && which.test(calls.incrementAndGet())) {
            var e = new PosixException(errno.number(), "p" + name, "buffer");
            throw new BufferIoException("buffer: " + e.getMessage(), errno == Errno.ENOSPC, e);
        }
    }

    @Override
    public BufferFile create(String path) throws BufferIoException {
        return new Faulty(PosixBufferFile.OPENER.create(path));
    }

    @Override
    public BufferFile open(String path) throws BufferIoException {
        return new Faulty(PosixBufferFile.OPENER.open(path));
    }

    private final class Faulty implements BufferFile {
        private final BufferFile file;

        Faulty(BufferFile file) {
            this.file = file;
            open.incrementAndGet();
        }

        @Override
        public int read(ByteBuffer to, long offset) throws BufferIoException {
            call("read");
            return file.read(to, offset);
        }

        @Override
        public void write(ByteBuffer from, long offset) throws BufferIoException {
            call("write");
            file.write(from, offset);
        }

        @Override
        public void resize(long size) throws BufferIoException {
            file.resize(size);
        }

        @Override
        public long size() throws BufferIoException {
            return file.size();
        }

        @Override
        public long nextData(long offset) throws BufferIoException {
            return file.nextData(offset);
        }

        @Override
        public void describe(FileMeta meta) throws BufferIoException {
            file.describe(meta);
        }

        @Override
        public void close() {
            open.decrementAndGet();
            file.close();
        }
    }
}
