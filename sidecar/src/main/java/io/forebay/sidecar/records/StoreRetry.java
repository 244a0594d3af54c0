package io.forebay.sidecar.records;

import io.forebay.sidecar.store.StoreException;
import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * Repeats calls to a store that failed in passing, with growing random waits. For listings and records; file contents have
 * their own retries in {@code transfer}.
 *
 * @param patience most time spent waiting, all tries together
 */
public record StoreRetry(Duration patience, RandomGenerator jitter, Sleeper sleeper) {
    private static final long FIRST_WAIT_MILLIS = 100;
    private static final long LONGEST_WAIT_MILLIS = 10_000;

    /** One try. */
    @FunctionalInterface
    public interface Call<T> {
        T call() throws StoreException, InterruptedException;
    }

    /** One try without a result. */
    @FunctionalInterface
    public interface Action {
        void run() throws StoreException, InterruptedException;
    }

    /** Waiting, injected. */
    @FunctionalInterface
    public interface Sleeper {
        void sleep(Duration duration) throws InterruptedException;
    }

    /** For production: up to {@code patience} of real time. */
    public static StoreRetry patient(Duration patience) {
        return new StoreRetry(patience, RandomGenerator.getDefault(), Thread::sleep);
    }

    /** @throws StoreException the last failure: permanent, or of a passing kind for longer than the patience */
    public <T> T call(Call<T> call) throws StoreException, InterruptedException {
        long left = patience.toMillis();
        long wait = FIRST_WAIT_MILLIS;
        while (true) {
            try {
                return call.call();
            } catch (StoreException e) {
                if (!e.kind().worthRetrying() || left <= 0) {
                    throw e;
                }
            }
            long pause = Math.min(left, jitter.nextLong(wait / 2, wait + 1));
            sleeper.sleep(Duration.ofMillis(pause));
            left -= Math.max(1, pause);
            wait = Math.min(wait * 2, LONGEST_WAIT_MILLIS);
        }
    }

    /** As {@link #call}. */
    public void run(Action action) throws StoreException, InterruptedException {
        call(() -> {
            action.run();
            return Boolean.TRUE;
        });
    }
}
