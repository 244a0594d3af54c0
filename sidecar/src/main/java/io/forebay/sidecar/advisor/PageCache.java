package io.forebay.sidecar.advisor;

import java.util.OptionalDouble;

/**
 * Whether the page cache alone hides the writes of a computation [P1]. Dirty data grows as {@code d(t) = (D/C - delta/gamma) t
 * + d0}; it stays small for ever if and only if data is not produced faster than the storage takes it.
 *
 * @param data written in all (D)
 * @param computeSeconds summed over all tasks (C)
 * @param localBandwidth of one node's disk (delta)
 * @param tasksPerNode most at once on a node (gamma)
 * @param sharedBandwidth of the shared file system (Delta)
 * @param tasks most at once in the cluster (Gamma)
 */
public record PageCache(
        double data,
        double computeSeconds,
        double localBandwidth,
        int tasksPerNode,
        double sharedBandwidth,
        int tasks) {
    public PageCache {
        Positive.requireNotNegative("data", data);
        Positive.require("computeSeconds", computeSeconds);
        Positive.require("localBandwidth", localBandwidth);
        Positive.require("tasksPerNode", tasksPerNode);
        Positive.require("sharedBandwidth", sharedBandwidth);
        Positive.require("tasks", tasks);
    }

    /** D/C: what a task produces in a second of computing. */
    public double production() {
        return data / computeSeconds;
    }

    /** delta/gamma. */
    public double localShare() {
        return localBandwidth / tasksPerNode;
    }

    /** Delta/Gamma. */
    public double sharedShare() {
        return sharedBandwidth / tasks;
    }

    /** Above 1: the local disk falls behind. */
    public double localRatio() {
        return production() / localShare();
    }

    /** Above 1: the shared file system falls behind. */
    public double sharedRatio() {
        return production() / sharedShare();
    }

    /** Inequality (1): D/C <= delta/gamma. */
    public boolean sufficesOnLocalDisk() {
        return production() <= localShare();
    }

    /** Inequality (2): D/C <= Delta/Gamma. */
    public boolean sufficesOnSharedFileSystem() {
        return production() <= sharedShare();
    }

    /** What a run of finite length meets on a node with this dirty limit. */
    public enum Effect {
        /** The inequality holds: there is nothing to gain. */
        NO_EFFECT,
        /** Dirty data stays below half of the limit: the cache takes it all. */
        ABSORBED,
        /** Between half and all of the limit: the kernel begins to slow writers down. */
        THROTTLED,
        /** Beyond the limit: writers run at the speed of the disk. */
        SATURATED
    }

    /**
     * Derived: how dirty data grows on one node during the run.
     *
     * @param net growth of dirty data per second; negative: none is left
     * @param seconds of the run: C/Gamma
     * @param peak dirty data at the end, were there no limit; 0 at least
     * @param saturatesAfterSeconds absent: never within the run
     */
    public record Transient(
            double net, double seconds, double peak, OptionalDouble saturatesAfterSeconds, Effect effect) {}

    /** @param dirtyLimit of the node (ratio x memory); in a container the less of that and of ratio x its memory limit */
    public Transient onLocalDisk(double dirtyLimit) {
        Positive.require("dirtyLimit", dirtyLimit);
        double net = tasksPerNode * production() - localBandwidth;
        double seconds = computeSeconds / tasks;
        double peak = Math.max(0, net * seconds);
        var saturates = peak > dirtyLimit ? OptionalDouble.of(dirtyLimit / net) : OptionalDouble.empty();
        return new Transient(net, seconds, peak, saturates, effect(peak, dirtyLimit));
    }

    private Effect effect(double peak, double limit) {
        if (sufficesOnLocalDisk()) {
            return Effect.NO_EFFECT;
        }
        if (peak < limit / 2) {
            return Effect.ABSORBED;
        }
        return peak <= limit ? Effect.THROTTLED : Effect.SATURATED;
    }
}
