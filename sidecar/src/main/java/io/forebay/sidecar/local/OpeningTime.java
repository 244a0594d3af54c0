package io.forebay.sidecar.local;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Bounds what one thread does, by interrupting it: planning counts against {@code deadlines.run} too. */
final class OpeningTime implements AutoCloseable {
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread bounded = Thread.currentThread();
    private volatile boolean over;

    /** Bounds the calling thread. @param most empty: no bound */
    OpeningTime(Optional<Duration> most) {
        most.ifPresent(d -> Thread.ofVirtual().name("opening-time").start(() -> watch(d)));
    }

    private void watch(Duration most) {
        try {
            if (!closed.await(most.toMillis(), TimeUnit.MILLISECONDS)) {
                over = true;
                bounded.interrupt();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    boolean isOver() {
        return over;
    }

    @Override
    public void close() {
        closed.countDown();
    }
}
