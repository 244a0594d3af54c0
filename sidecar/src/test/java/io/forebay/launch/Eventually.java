package io.forebay.launch;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/** Waits for a condition instead of a time. */
final class Eventually {
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final Duration PAUSE = Duration.ofMillis(20);

    private Eventually() {}

    static void holds(Callable<Boolean> condition) throws Exception {
        long end = System.nanoTime() + LIMIT.toNanos();
        while (!condition.call()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("did not hold within " + LIMIT);
            }
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }
}
