package io.forebay.sidecar.transfer;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Admits requests to one store in one direction: at most as many as {@link AdaptiveLimit} finds good, and at most so many bytes
 * of chunks. Fair over files: who waits and has the fewest requests running comes first, then who came first. Thread-safe.
 *
 * <p>A request that its caller has left, but that has not come back (it hangs in the kernel), no longer counts against the
 * adaptive limit, else few of them would stop a store whose limit is low; it counts against the most there may be, and its
 * bytes are still held.
 */
final class Gate {
    private final Timing timing;
    private final AdaptiveLimit adaptive;
    private final int most;
    private final long maxBytes;
    private final ReentrantLock lock = new ReentrantLock();
    /** All below is guarded by {@link #lock}. */
    private final List<Waiter> waiters = new ArrayList<>();

    private int running;
    private int extras;
    private int left;
    private long runningBytes;
    private boolean heldBack;
    private long lastProgress;
    private double pieceNanos;

    /** @param most requests ever under way at once, second ones aside */
    Gate(AdaptiveLimit adaptive, int most, long maxBytes, Timing timing) {
        this.adaptive = adaptive;
        this.most = most;
        this.maxBytes = maxBytes;
        this.timing = timing;
        this.lastProgress = timing.nanos();
    }

    /** One file's requests, for fairness. */
    static final class Claim {
        /** Guarded by the gate's lock. */
        private int held;
    }

    private final class Waiter {
        final Claim claim;
        final int bytes;
        final Condition ready = lock.newCondition();

        @Nullable
        Permit permit;

        Waiter(Claim claim, int bytes) {
            this.claim = claim;
            this.bytes = bytes;
        }
    }

    /** The right to have one request running. Given back by {@link #close}, once; nothing else releases it. */
    final class Permit implements Hold {
        private final Claim claim;
        private final int bytes;
        private final boolean extra;
        /** Guarded by the gate's lock. */
        private boolean active = true;

        private boolean closed;

        private Permit(Claim claim, int bytes, boolean extra) {
            this.claim = claim;
            this.bytes = bytes;
            this.extra = extra;
        }

        @Override
        public void leave() {
            lock.lock();
            try {
                if (active) {
                    deactivate();
                    left++;
                    serve();
                }
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void close() {
            lock.lock();
            try {
                if (closed) {
                    return;
                }
                closed = true;
                if (active) {
                    deactivate();
                } else {
                    left--;
                }
                runningBytes -= bytes;
                serve();
            } finally {
                lock.unlock();
            }
        }

        private void deactivate() {
            active = false;
            claim.held--;
            if (extra) {
                extras--;
            } else {
                running--;
            }
        }
    }

    /** Waits for a permit. @param bytes size of the chunk that the request will use */
    Permit acquire(Claim claim, int bytes) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            if (waiters.isEmpty() && fits(bytes)) {
                return grant(claim, bytes);
            }
            heldBack = true;
            var waiter = new Waiter(claim, bytes);
            waiters.add(waiter);
            try {
                var permit = waiter.permit;
                while (permit == null) {
                    waiter.ready.await();
                    permit = waiter.permit;
                }
                return permit;
            } catch (InterruptedException e) {
                if (waiter.permit != null) {
                    waiter.permit.close();
                } else {
                    waiters.remove(waiter);
                    serve();
                }
                throw e;
            }
        } finally {
            lock.unlock();
        }
    }

    /** For a second request beside one that stalls: beyond the limit, but at most a quarter of it; never waits. */
    Optional<Permit> tryExtra(Claim claim, int bytes) {
        lock.lock();
        try {
            if (extras >= Math.max(1, adaptive.limit() / 4) || running + extras + left >= 2 * most) {
                return Optional.empty();
            }
            extras++;
            claim.held++;
            runningBytes += bytes;
            return Optional.of(new Permit(claim, bytes, true));
        } finally {
            lock.unlock();
        }
    }

    /** Bytes moved. @param nanos since the request's previous piece, or its start */
    void moved(long bytes, long nanos) {
        lock.lock();
        try {
            long now = timing.nanos();
            lastProgress = now;
            pieceNanos = pieceNanos == 0 ? nanos : pieceNanos + (nanos - pieceNanos) / 16;
            adaptive.moved(bytes);
            tick(now);
        } finally {
            lock.unlock();
        }
    }

    /** @see AdaptiveLimit#latency */
    void latency(boolean tiny, long nanos) {
        lock.lock();
        try {
            adaptive.latency(tiny, nanos);
        } finally {
            lock.unlock();
        }
    }

    /** A request failed in a way that may be overload. */
    void overloaded() {
        lock.lock();
        try {
            adaptive.overloaded(timing.nanos());
        } finally {
            lock.unlock();
        }
    }

    /** When any request last moved bytes, in the injected time. */
    long lastProgressNanos() {
        lock.lock();
        try {
            return lastProgress;
        } finally {
            lock.unlock();
        }
    }

    /** How long a piece takes, on average; 0: not known yet. */
    long pieceNanos() {
        lock.lock();
        try {
            return (long) pieceNanos;
        } finally {
            lock.unlock();
        }
    }

    int limit() {
        lock.lock();
        try {
            return adaptive.limit();
        } finally {
            lock.unlock();
        }
    }

    /** Requests running now, extra ones and those left behind included. */
    int running() {
        lock.lock();
        try {
            return running + extras + left;
        } finally {
            lock.unlock();
        }
    }

    private void tick(long now) {
        int before = adaptive.limit();
        adaptive.tick(now, heldBack);
        heldBack = !waiters.isEmpty();
        if (adaptive.limit() > before) {
            serve();
        }
    }

    private boolean fits(int bytes) {
        return running < adaptive.limit()
                && running + left < most
                && (runningBytes + bytes <= maxBytes || runningBytes == 0);
    }

    private Permit grant(Claim claim, int bytes) {
        running++;
        runningBytes += bytes;
        claim.held++;
        return new Permit(claim, bytes, false);
    }

    private void serve() {
        while (!waiters.isEmpty()) {
            int next = 0;
            for (int i = 1; i < waiters.size() && waiters.get(next).claim.held > 0; i++) {
                if (waiters.get(i).claim.held < waiters.get(next).claim.held) {
                    next = i;
                }
            }
            var waiter = waiters.get(next);
            if (!fits(waiter.bytes)) {
                return;
            }
            waiters.remove(next);
            waiter.permit = grant(waiter.claim, waiter.bytes);
            waiter.ready.signal();
        }
    }
}
