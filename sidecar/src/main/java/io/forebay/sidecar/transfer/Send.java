package io.forebay.sidecar.transfer;

import io.forebay.sidecar.store.Store;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.StoreException.Kind;
import io.forebay.sidecar.transfer.Transfers.BufferIoException;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * One try to give parts of a buffer file to a store. It runs on {@link IoThreads} while the caller
 * waits and watches; it is never made twice at once, since the later of two would decide what the store keeps. Gives the bytes
 * to the store, and their checksum as they were read from the buffer.
 */
final class Send<T> implements Runnable, Store.PieceSource {
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final Tools tools;
    private final Lane lane;
    private final SharedFile<BufferFile> source;
    private final String what;
    private final LongConsumer landed;
    private final Body<T> body;
    private final ChunkHold hold;
    private final boolean tiny;
    /** What follows is used by the request's thread alone. */
    private final Pass given = new Pass();

    private final Pass peeked = new Pass();
    private long start;
    private long length;
    private long largest;
    private long counted;
    private long paidNanos;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    /** All below is guarded by {@link #lock}. */
    private long movedAt;

    private long givenUpAt;
    private boolean patient;
    private boolean paying;
    private boolean over;
    private @Nullable T result;
    private @Nullable StoreException failure;
    private @Nullable BufferIoException bufferFailure;

    /** Bytes given since the start of the part, and their CRC32C. */
    private static final class Pass {
        private final CRC32C crc = new CRC32C();
        private long count;

        void begin() {
            crc.reset();
            count = 0;
        }
    }

    /** What the store is asked to do. */
    @FunctionalInterface
    interface Body<T> {
        /** @param scratch the chunk's memory */
        T run(Send<T> send, ByteBuffer scratch) throws StoreException, BufferIoException, InterruptedException;
    }

    private Send(
            Tools tools,
            Lane lane,
            SharedFile<BufferFile> source,
            String what,
            LongConsumer landed,
            Body<T> body,
            ChunkHold hold) {
        this.tools = tools;
        this.lane = lane;
        this.source = source;
        this.what = what;
        this.landed = landed;
        this.body = body;
        this.hold = hold;
        this.tiny = hold.chunk().size() == ChunkPool.SMALL;
        this.movedAt = tools.timing().nanos();
    }

    /**
     * Takes a permit and a chunk, runs the body, and returns what it returned.
     *
     * @param bytes about how many will be sent
     * @param landed told how many bytes more, or fewer, the store has
     */
    static <T> T once(
            Tools tools,
            Lane lane,
            Gate.Claim claim,
            SharedFile<BufferFile> source,
            String what,
            long bytes,
            LongConsumer landed,
            Body<T> body)
            throws StoreException, BufferIoException, InterruptedException {
        var hold = ChunkHold.acquire(tools.pool(), lane.gate(), claim, bytes);
        var send = new Send<>(tools, lane, source, what, landed, body, hold);
        IoThreads.Task task;
        try {
            task = tools.io().start(send);
        } catch (IllegalStateException e) {
            hold.close();
            throw e;
        }
        return send.watch(task);
    }

    private T watch(IoThreads.Task task) throws StoreException, BufferIoException, InterruptedException {
        lock.lock();
        try {
            while (!over) {
                long now = tools.timing().nanos();
                long idle = patient || paying ? 0 : now - movedAt;
                if (failure == null && idle >= tools.config().writeStallAfter().toNanos()) {
                    failure = new StoreException(
                            Kind.TRANSIENT, what + ": nothing moved for " + idle / 1_000_000_000 + " s");
                    givenUpAt = now;
                    task.interrupt();
                } else if (failure != null
                        && now - givenUpAt >= tools.config().interruptGrace().toNanos()) {
                    hold.leave(); // it hangs in the kernel: others need not wait with us
                }
                changed.awaitNanos(POLL_NANOS);
            }
            return outcome();
        } catch (InterruptedException e) {
            task.interrupt();
            lock.unlock();
            try {
                // So that what the caller does next (discard) seldom meets a request still under way.
                task.awaitEnd(tools.config().interruptGrace());
            } finally {
                hold.leave();
                lock.lock();
            }
            throw e;
        } finally {
            lock.unlock();
        }
    }

    private T outcome() throws StoreException, BufferIoException {
        if (bufferFailure != null) {
            throw bufferFailure;
        }
        if (failure != null) {
            throw failure;
        }
        if (result == null) {
            throw new IllegalStateException(what + " gave nothing back");
        }
        return result;
    }

    @Override
    public void run() {
        T done = null;
        StoreException problem = null;
        long begun = tools.timing().nanos();
        try {
            done = body.run(this, lane.scratch(hold.chunk()));
            long nanos = tools.timing().nanos() - begun - paidNanos;
            lane.gate().latency(tiny, tiny ? nanos : nanos / Math.max(1, counted >> 20));
        } catch (StoreException e) {
            problem = e;
        } catch (BufferIoException e) {
            problem = bufferFailed(e);
        } catch (InterruptedException e) {
            problem = new StoreException(Kind.TRANSIENT, what + " was given up", e);
        } catch (RuntimeException | Error e) {
            problem = new StoreException(Kind.PERMANENT, what + ": " + e, e);
        } finally {
            hold.close();
            end(done, problem);
        }
    }

    private void end(@Nullable T done, @Nullable StoreException problem) {
        if (problem != null) {
            landed.accept(-counted);
            if (problem.kind() == Kind.TRANSIENT) {
                lane.gate().overloaded();
            }
        }
        lock.lock();
        try {
            over = true;
            result = done;
            if (problem != null && failure == null) {
                failure = problem;
            }
            if (problem == null) {
                failure = null; // given up, but it came through after all
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** From now on it may take any time (fsync). */
    void bePatient() {
        lock.lock();
        try {
            patient = true;
        } finally {
            lock.unlock();
        }
    }

    /** What the store asks for from now on are the bytes [offset, offset + count). */
    void beginPart(long offset, long count) {
        start = offset;
        length = count;
        given.begin();
        peeked.begin();
        largest = 0;
    }

    /** All bytes of the part are at the store, also if it had them before. @return their CRC32C, as they were read from the buffer */
    long endPart() throws StoreException {
        var whole = given.count == length ? given : peeked;
        if (whole.count != length) {
            throw new StoreException(
                    Kind.CORRUPT, what + ": the store took " + given.count + " of " + length + " bytes");
        }
        count(length);
        return whole.crc.getValue();
    }

    @Override
    public void fill(long offset, ByteBuffer dst) throws IOException {
        pay(dst.remaining());
        long asked = tools.timing().nanos();
        int bytes = take(given, offset, dst);
        count(given.count);
        lane.gate().moved(bytes, moved(asked));
    }

    @Override
    public void peek(long offset, ByteBuffer dst) throws IOException {
        take(peeked, offset, dst);
        moved(tools.timing().nanos());
    }

    private int take(Pass pass, long offset, ByteBuffer dst) throws IOException {
        int wanted = dst.remaining();
        if (offset == start) {
            pass.begin();
        }
        if (offset != start + pass.count || pass.count + wanted > length) {
            throw new IOException(
                    "the store asked for " + wanted + " bytes at " + offset + ", not at " + (start + pass.count));
        }
        var piece = dst.duplicate();
        if (dst.isDirect()) {
            read(offset, dst);
        } else {
            throughChunk(offset, dst);
        }
        pass.crc.update(piece);
        pass.count += wanted;
        return wanted;
    }

    /** The kernel needs direct memory. */
    private void throughChunk(long offset, ByteBuffer dst) throws IOException {
        long at = offset;
        while (dst.hasRemaining()) {
            var part = hold.chunk().bytes().clear().limit(Math.min(hold.chunk().size(), dst.remaining()));
            read(at, part);
            at += part.flip().remaining();
            dst.put(part);
        }
    }

    private void count(long sent) {
        if (sent > largest) {
            landed.accept(sent - largest);
            counted += sent - largest;
            largest = sent;
        }
    }

    private void pay(int bytes) throws IOException {
        long before = tools.timing().nanos();
        try {
            setPaying(true);
            try {
                lane.pay(bytes);
            } finally {
                setPaying(false);
                paidNanos += tools.timing().nanos() - before;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(what + " was given up", e);
        }
    }

    private void setPaying(boolean value) {
        lock.lock();
        try {
            paying = value;
            movedAt = tools.timing().nanos();
        } finally {
            lock.unlock();
        }
    }

    private void read(long offset, ByteBuffer dst) throws IOException {
        try {
            var file = source.enter();
            try {
                int wanted = dst.remaining();
                int got = file.read(dst, offset);
                if (got < wanted) {
                    throw new BufferIoException(
                            what + ": its file in the buffer ends at byte " + (offset + got)
                                    + "; it became shorter meanwhile",
                            false,
                            new EOFException());
                }
            } finally {
                source.leave();
            }
        } catch (BufferIoException e) {
            bufferFailed(e);
            throw new IOException(e);
        }
    }

    private StoreException bufferFailed(BufferIoException e) {
        lock.lock();
        try {
            bufferFailure = e;
        } finally {
            lock.unlock();
        }
        return new StoreException(Kind.PERMANENT, String.valueOf(e.getMessage()), e);
    }

    /** It is under way, even if it asks for no bytes. */
    void progressed() {
        moved(tools.timing().nanos());
    }

    /** @return nanoseconds since the piece before, or the start */
    private long moved(long now) {
        lock.lock();
        try {
            long since = now - movedAt;
            movedAt = tools.timing().nanos();
            return since;
        } finally {
            lock.unlock();
        }
    }
}
