package io.forebay.e2e;

import java.time.Duration;
import java.time.Instant;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Waits for what a cluster does in its own time. */
final class Eventually {
    private static final Duration LOOK = Duration.ofMillis(200);

    private Eventually() {}

    /**
     * The first value that is as wanted.
     *
     * @throws AssertionError after {@code most}, with the last value
     */
    static <T> T see(String what, Duration most, Supplier<T> look, Predicate<T> wanted) {
        var end = Instant.now().plus(most);
        T last = look.get();
        while (!wanted.test(last)) {
            if (Instant.now().isAfter(end)) {
                throw new AssertionError("not within " + most.toSeconds() + " s: " + what + "; last seen: " + last);
            }
            try {
                Thread.sleep(LOOK);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
            last = look.get();
        }
        return last;
    }

    static void see(String what, Duration most, Supplier<Boolean> look) {
        see(what, most, look, Boolean::booleanValue);
    }
}
