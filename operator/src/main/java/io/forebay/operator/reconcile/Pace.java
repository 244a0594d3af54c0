package io.forebay.operator.reconcile;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How often a running job's figures are written: each writing is a request to the API server, and all jobs together may make a few a second only.
 * Thread-safe.
 */
final class Pace {
    private static final long FASTEST_MILLIS = 2_000;
    private static final long SLOWEST_MILLIS = 300_000;
    /** At a job every so often the server sees four writes a second. */
    private static final long PER_JOB_MILLIS = 250;

    private final Set<String> running = ConcurrentHashMap.newKeySet();

    void runs(String uid) {
        running.add(uid);
    }

    void ended(String uid) {
        running.remove(uid);
    }

    int jobs() {
        return running.size();
    }

    Duration each() {
        return Duration.ofMillis(Math.clamp(running.size() * PER_JOB_MILLIS, FASTEST_MILLIS, SLOWEST_MILLIS));
    }
}
