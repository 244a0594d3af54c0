package io.forebay.sidecar.journal;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.assertj.core.api.Assertions;

/** Waits for a condition, at most 20 s. */
final class Eventually {
    interface Condition {
        boolean holds() throws Exception;
    }

    private Eventually() {}

    static void isTrue(Condition condition) throws Exception {
        long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (!condition.holds()) {
            if (System.nanoTime() > end) {
                Assertions.fail("did not come true within 20 s");
            }
            LockSupport.parkNanos(1_000_000);
        }
    }
}
