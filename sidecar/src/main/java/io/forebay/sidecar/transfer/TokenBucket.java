package io.forebay.sidecar.transfer;

import java.time.Duration;

/**
 * Keeps bytes below a rate: over any time t at most {@code rate * (t + 1/4 s)} bytes plus one {@link #largestPiece}. Who asks
 * gets the next free moment and waits for it; first come, first served. Thread-safe.
 */
final class TokenBucket {
    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    /** How much unused time may be made up for. */
    private static final long BURST_NANOS = NANOS_PER_SECOND / 4;

    private final double bytesPerSecond;
    private final Timing timing;
    /** When all that was granted so far is paid. Guarded by this. */
    private long paidAt;

    TokenBucket(long bytesPerSecond, Timing timing) {
        if (bytesPerSecond <= 0) {
            throw new IllegalArgumentException("a bandwidth must be at least 1 byte per second, not " + bytesPerSecond);
        }
        this.bytesPerSecond = bytesPerSecond;
        this.timing = timing;
        this.paidAt = timing.nanos();
    }

    /** Waits until so many bytes may move. */
    void take(long bytes) throws InterruptedException {
        long wait;
        synchronized (this) {
            long now = timing.nanos();
            long start = Math.max(paidAt, now - BURST_NANOS);
            paidAt = start + (long) (bytes * (NANOS_PER_SECOND / bytesPerSecond));
            wait = start - now;
        }
        if (wait > 0) {
            timing.sleep(Duration.ofNanos(wait));
        }
    }

    /** Pieces up to this size keep the rate even: 1/8 s worth, 4 KiB to 1 MiB. */
    int largestPiece() {
        return (int) Math.clamp((long) (bytesPerSecond / 8), 4096, ChunkPool.LARGE);
    }
}
