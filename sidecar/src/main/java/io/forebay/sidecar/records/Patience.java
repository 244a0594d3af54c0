package io.forebay.sidecar.records;

import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * How long records are waited for that cannot be written, where somebody can mend it: room, permissions, a bucket that is gone.
 *
 * @param most 0: not at all
 * @param pause between two tries
 * @param nanoTime monotonic
 * @param tell told to the user at once, and when it is over
 */
public record Patience(
        Duration most, Duration pause, LongSupplier nanoTime, StoreRetry.Sleeper sleeper, Consumer<String> tell) {
    static final Patience NONE =
            new Patience(Duration.ZERO, Duration.ZERO, System::nanoTime, Thread::sleep, text -> {});
}
