package io.forebay.testing;

import static org.assertj.core.api.Assertions.fail;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for conditions, never for time alone. */
public final class Wait {
    private Wait() {}

    /** Fails the test if the condition does not hold within 20 s. */
    public static void until(String what, BooleanSupplier condition) {
        until(what, Duration.ofSeconds(20), condition);
    }

    public static void until(String what, Duration most, BooleanSupplier condition) {
        long end = System.nanoTime() + most.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                fail("waited " + most + " in vain: " + what);
            }
            LockSupport.parkNanos(2_000_000);
        }
    }
}
