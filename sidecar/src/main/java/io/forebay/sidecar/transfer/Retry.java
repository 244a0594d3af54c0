package io.forebay.sidecar.transfer;

import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.StoreException.Kind;
import io.forebay.sidecar.transfer.Transfers.StoreCall;
import java.time.Duration;
import java.util.EnumMap;
import java.util.random.RandomGenerator;

/**
 * The one place where store operations are tried again: only what is {@linkplain Kind#worthRetrying worth it}, after a random
 * wait of 0 to 100 ms, 200 ms, 400 ms, ... 10 s ("full jitter", so that many clients that failed together do not come back
 * together). Thread-safe.
 */
public final class Retry {
    /** Failures in a row that are no longer a hiccup, which no user need hear of: about a second. */
    private static final int TRIES_BEFORE_OUTAGE = 4;

    private final Policy policy;
    private final Timing timing;
    private final RandomGenerator jitter;
    private final TransferCounters counters;
    private final Outages outages;

    /**
     * How often and how long.
     *
     * @param transientTries tries without progress that end in TRANSIENT, the first one counted, after which it is given up, though
     *     not before {@code outage} has passed
     * @param corruptTries the same for CORRUPT
     * @param credentialTries the same for CREDENTIALS
     * @param firstWait bound of the first wait; each following bound is twice as long, up to {@code longestWait}
     * @param outage how long a store that fails in passing is waited for at least: a server that is started again, or moved, shall
     *     cost no item
     * @param deadline no further try begins later than this after the first one began, or after the last progress
     */
    public record Policy(
            int transientTries,
            int corruptTries,
            int credentialTries,
            Duration firstWait,
            Duration longestWait,
            Duration outage,
            Duration deadline) {
        public static final Policy DEFAULT = new Policy(
                8,
                4,
                3,
                Duration.ofMillis(100),
                Duration.ofSeconds(10),
                Duration.ofSeconds(60),
                Duration.ofMinutes(10));

        public Policy {
            if (transientTries < 1 || corruptTries < 1 || credentialTries < 1) {
                throw new IllegalArgumentException("each number of tries must be at least 1: " + transientTries + ", "
                        + corruptTries + ", " + credentialTries);
            }
            if (firstWait.isNegative() || longestWait.compareTo(firstWait) < 0) {
                throw new IllegalArgumentException(
                        "waits must grow from 0 or more: " + firstWait + " to " + longestWait);
            }
        }

        private boolean exhausted(Kind kind, int failures, long spentNanos) {
            return failures >= tries(kind) && (kind != Kind.TRANSIENT || spentNanos >= outage.toNanos());
        }

        private int tries(Kind kind) {
            return switch (kind) {
                case TRANSIENT -> transientTries;
                case CORRUPT -> corruptTries;
                case CREDENTIALS -> credentialTries;
                case DENIED, NOT_FOUND, CHANGED, NO_SPACE, BAD_NAME, TOO_LARGE, PERMANENT -> 1;
            };
        }
    }

    public Retry(Policy policy, Timing timing, RandomGenerator jitter, TransferCounters counters) {
        this.policy = policy;
        this.timing = timing;
        this.jitter = jitter;
        this.counters = counters;
        this.outages = new Outages(counters);
    }

    /**
     * Calls until it goes well.
     *
     * @param what for messages: "stat of s3://..."
     * @throws StoreException the last failure, telling how often it was tried
     */
    public <T> T call(String what, StoreCall<T> call) throws StoreException, InterruptedException {
        try (var tally = begin(what)) {
            while (true) {
                try {
                    return tally.passed(call.call());
                } catch (StoreException e) {
                    tally.failed(e);
                }
            }
        }
    }

    /** For operations that go on where they stopped. */
    Tally begin(String what) {
        return new Tally(what);
    }

    /** The failures of one operation so far. Used by one thread at a time. */
    final class Tally implements AutoCloseable {
        private final String what;
        private final EnumMap<Kind, Integer> failures = new EnumMap<>(Kind.class);
        private long begun = timing.nanos();
        private int sinceProgress;
        private int total;

        private Tally(String what) {
            this.what = what;
        }

        /** The operation got further: earlier failures no longer count against it, except wrong bytes. */
        void progressed() {
            outages.passed(this, timing.nanos());
            if (sinceProgress > 0) {
                sinceProgress = 0;
                failures.keySet().removeIf(k -> k != Kind.CORRUPT);
                begun = timing.nanos();
            }
        }

        /** It went well. @return the same */
        <T> T passed(T result) {
            outages.passed(this, timing.nanos());
            return result;
        }

        /** However it ended. */
        @Override
        public void close() {
            outages.ended(this);
        }

        /**
         * Counts a failure, and waits before the next try.
         *
         * @throws StoreException there is to be no next try
         */
        void failed(StoreException e) throws StoreException, InterruptedException {
            total++;
            if (e.kind() == Kind.CORRUPT) {
                counters.corruptions.increment();
            }
            int ofKind = failures.merge(e.kind(), 1, Integer::sum);
            if (!e.kind().worthRetrying()) {
                throw e;
            }
            var wait = nextWait(sinceProgress++);
            long spent = timing.nanos() - begun;
            if (policy.exhausted(e.kind(), ofKind, spent)
                    || spent + wait.toNanos() > policy.deadline().toNanos()) {
                throw new StoreException(e.kind(), e.getMessage() + tried(spent), e, e.wholeStore());
            }
            counters.retries.increment();
            counters.say(what + " is tried again: " + e.getMessage());
            if (e.kind() == Kind.TRANSIENT && ofKind >= TRIES_BEFORE_OUTAGE) {
                outages.failed(this, String.valueOf(e.getMessage()), timing.nanos());
            }
            timing.sleep(wait);
        }

        private String tried(long nanos) {
            return total == 1 ? "" : " (tried %d times in %.1f s)".formatted(total, nanos / 1e9);
        }
    }

    private Duration nextWait(int failuresBefore) {
        long bound = policy.firstWait().toNanos();
        for (int i = 0; i < failuresBefore && bound < policy.longestWait().toNanos(); i++) {
            bound *= 2;
        }
        bound = Math.min(bound, policy.longestWait().toNanos());
        synchronized (jitter) {
            return Duration.ofNanos(bound == 0 ? 0 : jitter.nextLong(bound + 1));
        }
    }
}
