package io.forebay.sidecar.transfer;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Monotonic time and waiting, injected. */
public interface Timing {
    Timing SYSTEM = new Timing() {
        @Override
        public long nanos() {
            return System.nanoTime();
        }

        @Override
        public void sleep(Duration time) throws InterruptedException {
            TimeUnit.NANOSECONDS.sleep(time.toNanos());
        }
    };

    /** Nanoseconds since some moment; only differences mean anything. */
    long nanos();

    void sleep(Duration time) throws InterruptedException;
}
