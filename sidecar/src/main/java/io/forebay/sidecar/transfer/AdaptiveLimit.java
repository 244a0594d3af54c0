package io.forebay.sidecar.transfer;

/**
 * How many requests at once serve a store best: a pure machine without threads or clock, fed by {@link Gate}.
 *
 * <p>Time is cut into epochs of 1/4 s. At the end of an epoch in which the limit was what held requests back:
 * <ol>
 *   <li>latency above five times the best seen: the limit goes down by a third, for the store suffers under our load;
 *   <li>throughput at least 8 % above that of the last smaller limit: raise it: double at first, later by a quarter;
 *   <li>else the last raise brought nothing: take it back, and try again after 2 s, 4 s, 8 s, at most 16 s.
 * </ol>
 * Failures that may be overload (503, 429, timeout) halve it, once per epoch, when they are more than one, and more than one in
 * 20 requests: a single object that always fails says nothing about its store.
 */
final class AdaptiveLimit {
    static final long EPOCH_NANOS = 250_000_000L;
    private static final double LATENCY_RISE = 5;
    /** Differences below this are the scheduler's, not the store's. */
    private static final double LATENCY_NOISE_NANOS = 2_000_000;

    private static final double GAIN = 1.08;
    private static final int FIRST_PAUSE = 8;
    private static final int LONGEST_PAUSE = 64;

    private final int max;
    private final boolean adaptive;
    private int limit;
    private int limitBefore;
    private double rateBefore;
    private boolean doubling = true;
    private boolean raised;
    private int pause = FIRST_PAUSE;
    private int pausedEpochs;

    private long epochStart;
    private boolean epochStarted;
    private boolean lowered;
    private int failures;
    private long bytes;
    /** Index 0: requests of tiny files, 1: others; their latencies cannot be compared. */
    private final double[] latencySum = new double[2];

    private final int[] latencyCount = new int[2];
    private final double[] bestLatency = {Double.MAX_VALUE, Double.MAX_VALUE};

    AdaptiveLimit(int start, int max, boolean adaptive) {
        this.max = max;
        this.adaptive = adaptive;
        this.limit = adaptive ? Math.min(start, max) : max;
        this.limitBefore = limit;
    }

    int limit() {
        return limit;
    }

    void moved(long count) {
        bytes += count;
    }

    /** How long a request took to its first piece (reads), or for a MiB (writes). */
    void latency(boolean tiny, long nanos) {
        int i = tiny ? 0 : 1;
        latencySum[i] += nanos;
        latencyCount[i]++;
    }

    void overloaded(long now) {
        if (!epochStarted || now - epochStart > 4 * EPOCH_NANOS) {
            begin(now);
        }
        failures++;
        int answered = latencyCount[0] + latencyCount[1];
        if (adaptive && !lowered && failures > 1 && failures * 20 > answered) {
            lowered = true;
            lowerTo(limit / 2);
        }
    }

    /** Ends the epoch if it is time. @param heldBack whether requests waited for the limit during it */
    void tick(long now, boolean heldBack) {
        if (!adaptive) {
            return;
        }
        if (!epochStarted) {
            begin(now);
        } else if (now - epochStart > 4 * EPOCH_NANOS && !heldBack) {
            begin(now); // mostly idle: its rate means nothing
        } else if (now - epochStart >= EPOCH_NANOS) {
            judge(bytes * 1e9 / (now - epochStart), heldBack);
            begin(now);
        }
    }

    private void judge(double rate, boolean heldBack) {
        if (suffers()) {
            if (!lowered) {
                lowerTo(limit * 2 / 3);
            }
        } else if (lowered) {
            rateBefore = rate;
        } else if (pausedEpochs > 0) {
            pausedEpochs--;
        } else if (heldBack && bytes > 0) {
            climb(rate);
        }
    }

    private void climb(double rate) {
        if (raised && rate < rateBefore * GAIN) {
            limit = limitBefore;
            raised = false;
            doubling = false;
            pausedEpochs = pause;
            pause = Math.min(pause * 2, LONGEST_PAUSE);
            return;
        }
        if (raised) {
            pause = FIRST_PAUSE;
        }
        rateBefore = rate;
        limitBefore = limit;
        limit = Math.min(max, limit + (doubling ? limit : Math.max(1, limit / 4)));
        raised = limit > limitBefore;
    }

    private void lowerTo(int lower) {
        limit = Math.max(1, lower);
        doubling = false;
        raised = false;
        pausedEpochs = FIRST_PAUSE;
    }

    /** Whether latency has risen fivefold; takes note of the best. */
    private boolean suffers() {
        boolean suffers = false;
        for (int i = 0; i < 2; i++) {
            if (latencyCount[i] == 0) {
                continue;
            }
            double mean = latencySum[i] / latencyCount[i];
            boolean high = mean > bestLatency[i] * LATENCY_RISE && mean - bestLatency[i] > LATENCY_NOISE_NANOS;
            if (high && limit == 1) {
                bestLatency[i] = mean; // our load is not the reason: the store itself has become slower
            } else {
                suffers |= high;
                bestLatency[i] = Math.min(bestLatency[i], mean);
            }
        }
        return suffers;
    }

    private void begin(long now) {
        epochStarted = true;
        epochStart = now;
        lowered = false;
        failures = 0;
        bytes = 0;
        java.util.Arrays.fill(latencySum, 0);
        java.util.Arrays.fill(latencyCount, 0);
    }
}
