package io.forebay.sidecar.transfer;

import io.forebay.sidecar.os.Errno;
import io.forebay.sidecar.os.Fd;
import io.forebay.sidecar.os.Open;
import io.forebay.sidecar.os.Posix;
import io.forebay.sidecar.os.PosixException;
import io.forebay.sidecar.os.PosixIo;
import io.forebay.sidecar.store.FileMeta;
import io.forebay.sidecar.transfer.Transfers.BufferIoException;
import java.nio.ByteBuffer;

/** A file of a buffer that is a file system: the only kind outside tests. */
final class PosixBufferFile implements BufferFile {
    static final Opener OPENER = new Opener() {
        @Override
        public BufferFile create(String path) throws BufferIoException {
            try {
                try {
                    return createNew(path);
                } catch (PosixException e) {
                    if (!e.is(Errno.EEXIST)) {
                        throw e;
                    }
                }
                Posix.unlink(path);
                return createNew(path);
            } catch (PosixException e) {
                throw failure(e);
            }
        }

        private BufferFile createNew(String path) throws PosixException {
            return new PosixBufferFile(Posix.open(path, Open.RDWR | Open.CREAT | Open.EXCL | Open.NOFOLLOW, 0600));
        }

        @Override
        public BufferFile open(String path) throws BufferIoException {
            try {
                return new PosixBufferFile(Posix.open(path, Open.RDONLY | Open.NOFOLLOW));
            } catch (PosixException e) {
                throw failure(e);
            }
        }
    };

    private static final int PERMISSIONS = 0777;
    private static final int UNKNOWN_MODE = 0644;

    private final Fd fd;

    private PosixBufferFile(Fd fd) {
        this.fd = fd;
    }

    @Override
    public int read(ByteBuffer to, long offset) throws BufferIoException {
        try {
            return PosixIo.pread(fd, to, offset);
        } catch (PosixException e) {
            throw failure(e);
        }
    }

    @Override
    public void write(ByteBuffer from, long offset) throws BufferIoException {
        try {
            PosixIo.pwrite(fd, from, offset);
        } catch (PosixException e) {
            throw failure(e);
        }
    }

    @Override
    public void resize(long size) throws BufferIoException {
        try {
            PosixIo.ftruncate(fd, size);
        } catch (PosixException e) {
            throw failure(e);
        }
    }

    @Override
    public long size() throws BufferIoException {
        try {
            return Posix.fstat(fd).size();
        } catch (PosixException e) {
            throw failure(e);
        }
    }

    @Override
    public long nextData(long offset) throws BufferIoException {
        try {
            long at = PosixIo.seekData(fd, offset);
            return at < 0 ? size() : at;
        } catch (PosixException e) {
            throw failure(e);
        }
    }

    @Override
    public void describe(FileMeta meta) throws BufferIoException {
        try {
            // No set-id bits: a copy in the buffer must not run with its owner's rights.
            Posix.fchmod(fd, meta.mode() < 0 ? UNKNOWN_MODE : meta.mode() & PERMISSIONS);
            if (meta.mtimeNanos() >= 0) {
                Posix.setMtime(fd, meta.mtimeNanos());
            }
        } catch (PosixException e) {
            throw failure(e);
        }
    }

    @Override
    public void close() {
        fd.close();
    }

    private static BufferIoException failure(PosixException e) {
        return new BufferIoException("buffer: " + e.getMessage(), e.is(Errno.ENOSPC) || e.is(Errno.EDQUOT), e);
    }
}
