package io.forebay.sidecar.advisor;

import java.util.List;

/**
 * What the models say of a job.
 *
 * @param tier name of the best tier
 * @param blocks into which the input is cut
 * @param blockBytes of one
 * @param streams connections at once
 * @param secondsWith makespan through the buffer, reading and computing
 * @param secondsWithout makespan straight from the store
 * @param because one line per tier: makespan, and from which numbers
 */
public record Advice(
        Verdict verdict,
        String tier,
        long blocks,
        double blockBytes,
        int streams,
        double secondsWith,
        double secondsWithout,
        List<String> because) {
    public Advice {
        because = List.copyOf(because);
    }

    /** Whether a buffer pays. */
    public enum Verdict {
        HELPS,
        /** It makes less of a difference than the figures are sure of. */
        NEUTRAL,
        HURTS
    }
}
