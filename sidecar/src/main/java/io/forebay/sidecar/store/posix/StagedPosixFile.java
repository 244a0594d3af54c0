package io.forebay.sidecar.store.posix;

import io.forebay.sidecar.os.Errno;
import io.forebay.sidecar.os.Fd;
import io.forebay.sidecar.os.Open;
import io.forebay.sidecar.os.Posix;
import io.forebay.sidecar.os.PosixException;
import io.forebay.sidecar.os.PosixIo;
import io.forebay.sidecar.store.Crc32c;
import io.forebay.sidecar.store.FileMeta;
import io.forebay.sidecar.store.StagedFile;
import io.forebay.sidecar.store.StagedWrite;
import io.forebay.sidecar.store.Store.PieceSource;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.StoreException.Kind;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A temporary file on its way to be sealed. Order on disk: 1 create temp (new inode), 2 write, 3 size, mode, mtime, 4 fsync, and where it is
 * wanted 4a read back and compare; the {@link Publisher} goes on. Thread-safe.
 *
 * <ul>
 *   <li>The temporary file is always a new inode: a write that an earlier life had under way lands in the old one.
 *   <li>A write whose caller has left may still be under way, from memory that holds something else by now. So the part counts as not
 *       written, and is written anew only after that write has ended.
 *   <li>After a failed fsync nothing is known of the bytes, and the next fsync would not tell: nothing but opening anew helps.
 * </ul>
 */
final class StagedPosixFile implements StagedWrite {
    private static final long NOT_WRITTEN = -1;
    /** Times that a left-over temporary name is removed before something else is held to make it again and again. */
    private static final int TRIES = 5;
    /** What a publication may set: not set-user-id and set-group-id, since the file's owner here is not who made it. */
    private static final int MODE = 01777;

    private final IoPool pool;
    private final StagedFile.Stub stub;
    private final long partBytes;
    private final String folder;
    private final Fd file;
    private final Shared uses;

    /** CRC32C of each part, or {@link #NOT_WRITTEN}. Guarded by this, as all below. */
    private final long[] crc32c;
    /** A part may hold other bytes than zeros once a write has begun. */
    private final boolean[] begun;

    private final IoPool.@Nullable Task<?>[] leftUnderWay;
    private long writtenUpTo;
    private @Nullable String broken;

    private StagedPosixFile(IoPool pool, StagedFile.Stub stub, long partBytes, String folder, Fd file) {
        this.pool = pool;
        this.stub = stub;
        this.partBytes = partBytes;
        this.folder = folder;
        this.file = file;
        this.uses = new Shared(file::close);
        int parts = Math.toIntExact(Math.max(1, Math.ceilDiv(stub.size(), partBytes)));
        this.crc32c = new long[parts];
        Arrays.fill(crc32c, NOT_WRITTEN);
        this.begun = new boolean[parts];
        this.leftUnderWay = new IoPool.Task<?>[parts];
    }

    /** Makes the temporary file. To be called on the pool. @param partBytes of all parts but the last */
    static StagedPosixFile create(
            IoPool pool, StagedFile.Stub stub, long partBytes, Destination at, Roots roots, LustreTool lustre)
            throws PosixException, StoreException {
        try (var parent = at.create(roots)) {
            refuseFolder(parent, at);
            return new StagedPosixFile(pool, stub, partBytes, at.folder(), temporary(parent, stub, lustre));
        } catch (PosixException e) {
            if (e.is(Errno.ENOENT)) {
                throw e; // see Destination.create
            }
            throw PosixErrors.ofWrite("creating " + at.path(), e, at.root(), stub.size());
        }
    }

    /** Better known before the first byte than at the commit; so are names that are too long for this file system. */
    private static void refuseFolder(Fd parent, Destination at) throws PosixException, StoreException {
        var there = Posix.lstatIfThere(parent, at.name());
        if (there != null && there.isFolder()) {
            throw new StoreException(
                    Kind.PERMANENT, "no file can be written at " + at.path() + ": a folder of that name is there");
        }
    }

    /**
     * A small file in one go: made, written, durable. To be called on the pool. A call that hangs may go on after its caller has left,
     * when the memory holds something else: so nothing is written any more then, and what was written before lies in an inode older than
     * that of the next try, which takes the name away from it.
     *
     * @param bytes all of them
     * @param left whether the caller has left
     * @param sealing called before what may take any time
     */
    static void whole(
            IoPool pool,
            StagedFile.Stub stub,
            Destination at,
            Roots roots,
            LustreTool lustre,
            MemorySegment bytes,
            BooleanSupplier left,
            Runnable sealing)
            throws PosixException, StoreException {
        try (var file = create(pool, stub, Math.max(1, stub.size()), at, roots, lustre)) {
            if (left.getAsBoolean()) {
                return;
            }
            file.put(bytes, 0, false);
            sealing.run();
            try {
                file.makeDurable();
                file.readBack(stub.readBack() ? Crc32c.of(bytes.asByteBuffer()) : Crc32c.EMPTY);
            } catch (PosixException e) {
                throw file.notDurable(e);
            }
        }
    }

    private static Fd temporary(Fd parent, StagedFile.Stub stub, LustreTool lustre) throws PosixException {
        // A file whose mode is not known gets what the umask leaves; others are nobody's business until they have their
        // own.
        int mode = stub.meta().mode() < 0 ? 0666 : 0600;
        int access = stub.readBack() ? Open.RDWR : Open.WRONLY;
        if (lustre.stripes(stub.size())) {
            Posix.unlinkatIfThere(parent, stub.handle());
            if (lustre.stripe(parent, stub.handle(), stub.size())) {
                return Posix.openat(parent, stub.handle(), access | Open.NOFOLLOW, mode);
            }
        }
        for (int i = 1; ; i++) {
            try {
                return Posix.openat(parent, stub.handle(), access | Open.CREAT | Open.EXCL | Open.NOFOLLOW, mode);
            } catch (PosixException e) {
                if (!e.is(Errno.EEXIST) || i == TRIES) {
                    throw e;
                }
            }
            Posix.unlinkatIfThere(parent, stub.handle());
        }
    }

    @Override
    public int parts() {
        return crc32c.length;
    }

    @Override
    public long offset(int part) {
        return part * partBytes;
    }

    @Override
    public long length(int part) {
        return Math.min(partBytes, stub.size() - offset(part));
    }

    @Override
    public long write(int part, PieceSource source, ByteBuffer scratch) throws StoreException, InterruptedException {
        boolean zerosToo = begin(part);
        var crc = new CRC32C();
        long end = offset(part) + length(part);
        for (long at = offset(part); at < end; ) {
            scratch.clear().limit((int) Math.min(scratch.capacity(), end - at));
            fill(stub, source, at, scratch);
            crc.update(scratch.duplicate());
            put(part, scratch, at, zerosToo);
            at += scratch.limit();
        }
        written(part, crc.getValue());
        return crc.getValue();
    }

    /** At return the buffer's position is 0. */
    static void fill(StagedFile.Stub stub, PieceSource source, long at, ByteBuffer scratch) throws StoreException {
        int length = scratch.limit();
        try {
            source.fill(at, scratch);
        } catch (IOException e) {
            throw new StoreException(Kind.PERMANENT, writing(stub) + ": its source failed: " + e.getMessage(), e);
        }
        scratch.position(0).limit(length);
    }

    /** @return whether zeros have to be written too, since something may be there already */
    private boolean begin(int part) throws StoreException, InterruptedException {
        IoPool.Task<?> before;
        synchronized (this) {
            requireWhole();
            before = leftUnderWay[part];
            crc32c[part] = NOT_WRITTEN;
        }
        if (before != null) {
            before.awaitEnd();
        }
        synchronized (this) {
            boolean again = begun[part];
            begun[part] = true;
            return again;
        }
    }

    private void put(int part, ByteBuffer piece, long at, boolean zerosToo)
            throws StoreException, InterruptedException {
        var bytes = MemorySegment.ofBuffer(piece);
        var task = pool.start(uses, () -> put(bytes, at, zerosToo), late -> {});
        try {
            task.await();
        } catch (PosixException e) {
            throw PosixErrors.of(writing(), e);
        } catch (InterruptedException e) {
            synchronized (this) {
                leftUnderWay[part] = task;
            }
            throw e;
        }
    }

    /** On the pool. */
    private Long put(MemorySegment bytes, long at, boolean zerosToo) throws PosixException, StoreException {
        try {
            long end = at + bytes.byteSize();
            if (zerosToo) {
                PosixIo.pwrite(file, bytes, at);
            } else {
                end = ZeroBlocks.pwrite(file, bytes, at);
            }
            synchronized (this) {
                writtenUpTo = Math.max(writtenUpTo, end);
            }
            return end;
        } catch (PosixException e) {
            throw PosixErrors.ofWrite(writing(), e, folder, stub.size());
        }
    }

    private String writing() {
        return writing(stub);
    }

    private static String writing(StagedFile.Stub stub) {
        return "writing " + stub.finalKey();
    }

    private synchronized void written(int part, long crc) {
        crc32c[part] = crc;
    }

    private void requireWhole() throws StoreException {
        if (broken != null) {
            throw new StoreException(Kind.TRANSIENT, writing() + ": " + broken + "; it must be staged anew");
        }
    }

    @Override
    public StagedFile seal() throws StoreException, InterruptedException {
        long whole;
        synchronized (this) {
            requireWhole();
            whole = combined();
        }
        try {
            pool.run(uses, () -> {
                makeDurable();
                readBack(whole);
                return null;
            });
        } catch (PosixException e) {
            breakOff("making it durable failed: " + e.reason());
            throw notDurable(e);
        } catch (InterruptedException e) {
            // Whether its fsync failed will not be known.
            breakOff("making it durable was given up");
            throw e;
        }
        return new StagedFile(stub, List.of(), stub.size(), whole);
    }

    private StoreException notDurable(PosixException e) {
        var lost = PosixErrors.kind(e) == Kind.NO_SPACE || PosixErrors.kind(e) == Kind.DENIED
                ? PosixErrors.kind(e)
                : Kind.TRANSIENT;
        return new StoreException(
                lost, "making " + stub.finalKey() + " durable failed: " + e.reason() + "; it must be staged anew", e);
    }

    private long combined() {
        long whole = Crc32c.EMPTY;
        for (int part = 0; part < crc32c.length; part++) {
            if (crc32c[part] == NOT_WRITTEN) {
                throw new IllegalStateException("part " + part + " of " + stub.finalKey() + " is not written");
            }
            whole = Crc32c.combine(whole, crc32c[part], length(part));
        }
        return whole;
    }

    /** Where it is wanted. A difference is like a failed fsync: nothing but writing it anew helps. */
    private void readBack(long whole) throws PosixException, StoreException {
        if (!stub.readBack()) {
            return;
        }
        try {
            ReadBack.require(file, stub, whole);
        } catch (StoreException e) {
            breakOff("read back, it was not what was written");
            throw e;
        }
    }

    private synchronized void breakOff(String why) {
        broken = why;
    }

    private void makeDurable() throws PosixException, StoreException {
        long end;
        synchronized (this) {
            end = writtenUpTo;
        }
        try {
            if (end < stub.size()) {
                PosixIo.ftruncate(file, stub.size());
            }
            setMeta(file, stub.meta());
            PosixIo.fsync(file);
        } catch (PosixException e) {
            if (PosixErrors.kind(e) == Kind.NO_SPACE) {
                breakOff("making it durable failed: " + e.reason());
                throw PosixErrors.ofWrite("making " + stub.finalKey() + " durable", e, folder, stub.size());
            }
            throw e;
        }
    }

    /** File systems that keep no modes or times refuse them (vfat, some gateways): that must not cost the bytes. */
    static void setMeta(Fd file, FileMeta meta) throws PosixException {
        try {
            if (meta.mode() >= 0) {
                Posix.fchmod(file, meta.mode() & MODE);
            }
            if (meta.mtimeNanos() != -1) {
                Posix.setMtime(file, meta.mtimeNanos());
            }
        } catch (PosixException e) {
            if (!e.is(Errno.EPERM) && !e.is(Errno.EOPNOTSUPP) && !e.is(Errno.ENOSYS)) {
                throw e;
            }
        }
    }

    /** The descriptor goes when the last write under way has ended. */
    @Override
    public void close() {
        uses.close();
    }
}
