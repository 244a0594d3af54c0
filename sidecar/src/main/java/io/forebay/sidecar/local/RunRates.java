package io.forebay.sidecar.local;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;

/** Bytes per second over the last ten seconds, and the time left. Used by one thread. */
public final class RunRates {
    private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(10);

    private record Sample(long nanos, long staged, long flushed, long ended) {}

    private final Deque<Sample> samples = new ArrayDeque<>();
    private final long began;

    public RunRates(long nowNanos) {
        began = nowNanos;
    }

    /** @param ended items that ended in this run */
    public void sample(long nowNanos, long staged, long flushed, long ended) {
        samples.addLast(new Sample(nowNanos, staged, flushed, ended));
        while (samples.size() > 2 && nowNanos - samples.getFirst().nanos > WINDOW_NANOS) {
            samples.removeFirst();
        }
    }

    public long stageRate() {
        return samples.isEmpty() ? 0 : perSecond(samples.getLast().staged - samples.getFirst().staged);
    }

    public long flushRate() {
        return samples.isEmpty() ? 0 : perSecond(samples.getLast().flushed - samples.getFirst().flushed);
    }

    /** On average since the start. */
    public double itemsPerMinute() {
        double minutes = samples.isEmpty() ? 0 : (samples.getLast().nanos - began) / 60e9;
        return minutes <= 0 ? 0 : samples.getLast().ended / minutes;
    }

    private long perSecond(long amount) {
        double seconds = (samples.getLast().nanos - samples.getFirst().nanos) / 1e9;
        return seconds <= 0 ? 0 : Math.max(0, (long) (amount / seconds));
    }

    /** By the average pace since the start; -1 while nothing has ended. */
    public long secondsLeft(long items) {
        if (samples.isEmpty() || samples.getLast().ended == 0) {
            return -1;
        }
        double seconds = (samples.getLast().nanos - began) / 1e9;
        return Math.round(seconds / samples.getLast().ended * Math.max(0, items));
    }
}
