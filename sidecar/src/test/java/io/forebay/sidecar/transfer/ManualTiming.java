package io.forebay.sidecar.transfer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Time that moves when someone sleeps. Thread-safe. */
final class ManualTiming implements Timing {
    private final List<Duration> sleeps = new ArrayList<>();
    private long now;

    @Override
    public synchronized long nanos() {
        return now;
    }

    @Override
    public synchronized void sleep(Duration time) {
        sleeps.add(time);
        now += time.toNanos();
    }

    synchronized void advance(Duration time) {
        now += time.toNanos();
    }

    synchronized List<Duration> sleeps() {
        return List.copyOf(sleeps);
    }
}
