package io.forebay.sidecar.transfer;

import io.forebay.sidecar.store.ReadReceipt;
import io.forebay.sidecar.store.Store;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.StoreException.Kind;
import io.forebay.sidecar.transfer.Transfers.BufferIoException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Brings the bytes [start, end) of one version into the buffer, in order, by one request after the other.
 *
 * <ul>
 *   <li>A request that fails is followed by one for what is still missing.
 *   <li>A request that stalls gets a second one beside it. Both are then rivals: the first that delivers a piece becomes the
 *       part's owner, the other is revoked. Only an owner ever writes, so nobody writes behind a later one's back.
 *   <li>If neither moves, both are interrupted, or left behind if that does not help, and it is a failure like others.
 * </ul>
 *
 * The waiting happens on the calling thread, the requests run on {@link IoThreads}: the caller can leave at any time.
 */
final class PartFetch {
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private final FetchJob job;
    private final Tools tools;
    private final Lane lane;
    private final Patience patience;
    private final long start;
    private final long end;
    private final int chunkBytes;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    /** All below is guarded by {@link #lock}; {@link #running} is used by the owner while {@link #busy}. */
    private final CRC32C running = new CRC32C();

    private final List<Attempt> live = new ArrayList<>();
    private long position;
    private @Nullable Attempt owner;
    private boolean busy;
    private int paying;
    private boolean over;
    private boolean resumed;
    private long movedAt;
    private long hedgedAt;
    private boolean givenUp;
    private long givenUpAt;
    private @Nullable ReadReceipt receipt;
    private @Nullable StoreException failure;
    private @Nullable BufferIoException bufferFailure;

    PartFetch(FetchJob job, long start, long end) {
        this.job = job;
        this.tools = job.tools();
        this.lane = job.lane();
        this.patience = new Patience(tools.config(), lane.gate());
        this.start = start;
        this.end = end;
        this.position = start;
        this.chunkBytes = ChunkPool.sizeFor(end - start);
    }

    /** Until the part is whole. */
    ReadReceipt run() throws StoreException, BufferIoException, InterruptedException {
        try (var tally = tools.retry().begin(job.what())) {
            while (true) {
                long before = position();
                try {
                    return tally.passed(round());
                } catch (StoreException e) {
                    if (position() > before) {
                        tally.progressed();
                    }
                    if (e.kind() == Kind.CORRUPT) {
                        restart();
                    } else if (e.kind() == Kind.TRANSIENT) {
                        lane.gate().overloaded();
                    }
                    tally.failed(e);
                }
            }
        }
    }

    /** Of the part's bytes, after {@link #run}. */
    long crc32c() {
        lock.lock();
        try {
            return running.getValue();
        } finally {
            lock.unlock();
        }
    }

    long start() {
        return start;
    }

    /** Whether it took several requests: then no single one was told what concerns the whole. */
    boolean resumed() {
        lock.lock();
        try {
            return resumed;
        } finally {
            lock.unlock();
        }
    }

    long length() {
        return end - start;
    }

    private long position() {
        lock.lock();
        try {
            return position;
        } finally {
            lock.unlock();
        }
    }

    /** What arrived of this part is not to be trusted. */
    private void restart() {
        lock.lock();
        try {
            job.target().landed(start - position);
            position = start;
            running.reset();
            over = true;
        } finally {
            lock.unlock();
        }
    }

    private ReadReceipt round() throws StoreException, BufferIoException, InterruptedException {
        var hold = ChunkHold.acquire(tools.pool(), lane.gate(), job.claim(), chunkBytes);
        lock.lock();
        try {
            failure = null;
            givenUp = false;
            hedgedAt = tools.timing().nanos();
            begin(hold);
            return watch();
        } finally {
            revoke(List.copyOf(live));
            lock.unlock();
        }
    }

    private void begin(ChunkHold hold) {
        var attempt = new Attempt(hold, position);
        movedAt = tools.timing().nanos();
        live.add(attempt);
        try {
            attempt.task = tools.io().start(attempt);
        } catch (IllegalStateException e) {
            live.remove(attempt);
            hold.close();
            throw e;
        }
    }

    private ReadReceipt watch() throws StoreException, BufferIoException, InterruptedException {
        while (true) {
            if (bufferFailure != null) {
                throw bufferFailure;
            }
            if (receipt != null) {
                return receipt;
            }
            if (failure != null && (live.isEmpty() || !failure.kind().worthRetrying() || leavesBehind())) {
                throw failure;
            }
            boolean ours = busy || paying > 0; // it is not the store that is waited for
            long idle = ours ? 0 : tools.timing().nanos() - movedAt;
            if (idle >= patience.stall() && !givenUp) {
                giveUp();
            } else if (live.size() == 1
                    && !givenUp
                    && patience.hedgeIsDue(idle, movedAt, tools.timing().nanos() - hedgedAt)) {
                hedge();
            }
            long next = live.size() == 1 ? patience.hedge() : patience.stall();
            changed.awaitNanos(ours || next <= idle ? POLL_NANOS / 25 : Math.min(POLL_NANOS, next - idle));
        }
    }

    /** They were told to end, and do not: they hang in the kernel. */
    private boolean leavesBehind() {
        return givenUp
                && !busy
                && tools.timing().nanos() - givenUpAt
                        >= tools.config().interruptGrace().toNanos();
    }

    private void hedge() {
        var permit = lane.gate().tryExtra(job.claim(), chunkBytes);
        if (permit.isEmpty()) {
            return;
        }
        var chunk = tools.pool().tryAcquire(chunkBytes);
        if (chunk.isEmpty()) {
            permit.get().close();
            return;
        }
        owner = null;
        hedgedAt = tools.timing().nanos();
        long stalledSince = movedAt;
        begin(new ChunkHold(permit.get(), chunk.get()));
        movedAt = stalledSince; // the part as a whole has not moved
        tools.counters().hedges.increment();
        tools.counters().say("a second request was started for " + job.version().key() + ": the first one stalls");
    }

    private void giveUp() {
        givenUp = true;
        givenUpAt = tools.timing().nanos();
        if (failure == null) {
            failure = new StoreException(
                    Kind.TRANSIENT,
                    job.what() + ": no byte came for "
                            + tools.config().readStallAfter().toSeconds() + " s");
        }
        live.forEach(a -> a.task.interrupt());
    }

    private void revoke(List<Attempt> attempts) {
        for (var a : attempts) {
            a.revoked = true;
            live.remove(a);
            a.task.interrupt();
            a.hold.leave();
        }
    }

    private void ended(Attempt attempt, @Nullable ReadReceipt told, @Nullable StoreException problem) {
        lock.lock();
        try {
            if (attempt.revoked) {
                return;
            }
            live.remove(attempt);
            if (problem == null && told != null && position == end && (owner == null || owner == attempt)) {
                receipt = told;
            } else if (failure == null || problem != null && !problem.kind().worthRetrying()) {
                failure = problem != null ? problem : endedEarly();
            }
            if (owner == attempt) {
                owner = null;
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private StoreException endedEarly() {
        return new StoreException(
                Kind.TRANSIENT,
                job.what() + ": the answer ended at byte " + position + " of " + end + " without an error");
    }

    /** One request. */
    private final class Attempt implements Runnable, Store.PieceSink {
        private final ChunkHold hold;
        private final long from;
        /** Set before anything else can reach it, under the lock. */
        @SuppressWarnings("NullAway.Init")
        private IoThreads.Task task;
        /** Guarded by the part's lock. */
        private boolean revoked;
        /** Used by the request's thread only: when it last asked the store for more. */
        private long askedAt;

        private boolean first = true;

        Attempt(ChunkHold hold, long from) {
            this.hold = hold;
            this.from = from;
        }

        @Override
        public void run() {
            ReadReceipt told = null;
            StoreException problem = null;
            try {
                var scratch = lane.scratch(hold.chunk());
                payFirst(Math.min(scratch.capacity(), end - from));
                askedAt = tools.timing().nanos();
                told = job.store().read(job.version(), from, end - from, scratch, this);
            } catch (StoreException e) {
                problem = e;
            } catch (InterruptedException e) {
                problem = new StoreException(Kind.TRANSIENT, job.what() + " was given up", e);
            } catch (RuntimeException | Error e) {
                problem = new StoreException(Kind.PERMANENT, job.what() + ": " + e, e);
            } finally {
                hold.close();
                ended(this, told, problem);
            }
        }

        @Override
        public void accept(long offset, ByteBuffer piece) throws IOException {
            int length = piece.remaining();
            long arrived = tools.timing().nanos();
            boolean zerosToo = own(offset, length);
            if (first) {
                first = false;
                lane.gate().latency(chunkBytes == ChunkPool.SMALL, arrived - askedAt);
            }
            lane.gate().moved(length, arrived - askedAt);
            BufferIoException problem = null;
            try {
                running.update(piece.duplicate());
                job.target().write(piece.duplicate(), offset, zerosToo);
                job.target().landed(length);
                lane.pay(Math.min(length, end - offset - length));
            } catch (BufferIoException e) {
                problem = e;
                throw new IOException(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt(); // the store looks at it
            } finally {
                disown(length, problem);
            }
            askedAt = tools.timing().nanos();
        }

        private void payFirst(long bytes) throws InterruptedException {
            changePaying(1);
            try {
                lane.pay(bytes);
            } finally {
                changePaying(-1);
            }
        }

        private void changePaying(int by) {
            lock.lock();
            try {
                paying += by;
                movedAt = tools.timing().nanos();
            } finally {
                lock.unlock();
            }
        }

        /** From here to {@link #disown} no other request can become the owner. */
        private boolean own(long offset, int length) throws IOException {
            lock.lock();
            try {
                if (revoked) {
                    throw new IOException("another request delivers this part");
                }
                if (offset != position || length > end - position) {
                    failure = new StoreException(
                            Kind.PERMANENT,
                            job.what() + ": " + length + " bytes at " + offset + " came instead of those at "
                                    + position);
                    throw new IOException(failure);
                }
                if (owner == null) {
                    owner = this;
                    resumed = from > start;
                    revoke(live.stream().filter(a -> a != this).toList());
                }
                busy = true;
                return over;
            } finally {
                lock.unlock();
            }
        }

        private void disown(int length, @Nullable BufferIoException problem) {
            lock.lock();
            try {
                busy = false;
                movedAt = tools.timing().nanos();
                if (problem == null) {
                    position += length; // nobody waits for this: who watches looks at the time now and then
                } else {
                    bufferFailure = problem;
                    changed.signalAll();
                }
            } finally {
                lock.unlock();
            }
        }
    }
}
