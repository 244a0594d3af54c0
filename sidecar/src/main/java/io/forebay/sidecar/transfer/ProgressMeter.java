package io.forebay.sidecar.transfer;

import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;

/** Turns counters into rates: remembers what they were during the last 10 s. Thread-safe; several displays may share it. */
public final class ProgressMeter {
    private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(10);
    /** Samples are no closer, however often someone looks. */
    private static final long SPACING_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private final TransferCounters counters;
    private final Timing timing;
    /** Guarded by this; oldest first, one of them 10 s old or older once that much time has passed. */
    private final ArrayDeque<Sample> samples = new ArrayDeque<>();

    private record Sample(long at, long in, long out) {}

    public ProgressMeter(TransferCounters counters) {
        this(counters, Timing.SYSTEM);
    }

    ProgressMeter(TransferCounters counters, Timing timing) {
        this.counters = counters;
        this.timing = timing;
        samples.add(sample());
    }

    private Sample sample() {
        return new Sample(timing.nanos(), counters.bytesFetched(), counters.bytesStaged());
    }

    /** To be called at least every few seconds: rates count from the sample 10 s ago, or the one before it. */
    public synchronized Progress now() {
        var now = sample();
        if (now.at - samples.getLast().at >= SPACING_NANOS) {
            samples.add(now);
        }
        while (samples.size() > 1 && now.at - second().at >= WINDOW_NANOS) {
            samples.removeFirst();
        }
        var then = samples.getFirst();
        double seconds = Math.max(now.at - then.at, SPACING_NANOS) / 1e9;
        return new Progress(
                counters.filesFetched(),
                now.in,
                counters.filesStaged(),
                now.out,
                Math.max(0, now.in - then.in) / seconds,
                Math.max(0, now.out - then.out) / seconds,
                counters.retries(),
                counters.hedges(),
                counters.corruptions(),
                counters.lastMessage());
    }

    private Sample second() {
        var all = samples.iterator();
        all.next();
        return all.next();
    }
}
