package io.forebay.bench.work;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Time for all contests together: each gets an equal share of what is left when it begins, so that those which are soon decided leave more to
 * the others. One thread.
 */
public final class Budget {
    private final long ends;
    private int contests;

    /** @param contests that are to come, 1 at least */
    public Budget(Duration whole, int contests) {
        this.ends = System.nanoTime() + whole.toNanos();
        this.contests = contests;
    }

    /** For the next contest; 0 when all is spent. */
    Duration next() {
        long left = Math.max(0, ends - System.nanoTime());
        return Duration.of(left / Math.max(1, contests--), TimeUnit.NANOSECONDS.toChronoUnit());
    }
}
