package io.forebay.bench.work;

/**
 * How much is done to know it well.
 *
 * @param mostRounds of a contest, 1 at least
 * @param scale of files and bytes; 1: what the goals are about. Less is for trying a benchmark
 */
public record Effort(Budget budget, int mostRounds, double scale) {
    public Effort {
        if (mostRounds < 1 || !(scale > 0 && scale <= 1)) {
            throw new IllegalArgumentException("no effort: " + mostRounds + " rounds at a scale of " + scale);
        }
    }

    /** Of that many, at least one. */
    long of(long whole) {
        return Math.max(1, Math.round(whole * scale));
    }

    int of(int whole) {
        return (int) of((long) whole);
    }
}
