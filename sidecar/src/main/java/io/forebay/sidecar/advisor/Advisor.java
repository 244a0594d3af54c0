package io.forebay.sidecar.advisor;

import io.forebay.sidecar.advisor.Advice.Verdict;
import io.forebay.sidecar.advisor.RollingPrefetch.Local;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Says from a job's own figures whether bringing its input in ahead of the computation pays [P2], on which tier, in which
 * blocks, with how many streams. Pure.
 */
public final class Advisor {
    private Advisor() {}

    /** Differences below it are not told apart from none: bandwidths vary more from run to run. */
    private static final double SURE = 0.05;
    /** Smaller blocks cost requests and gain nothing that can be measured. */
    private static final double LEAST_BLOCK_BYTES = 64 << 10;

    private static final int MOST_STREAMS = 64;

    /**
     * @param bytes read by one worker
     * @param computePerByte seconds
     */
    public record Work(double bytes, double computePerByte) {
        public Work {
            Positive.require("bytes", bytes);
            Positive.requireNotNegative("computePerByte", computePerByte);
        }
    }

    /**
     * @param latency seconds
     * @param connectionBandwidth bytes per second of one connection
     * @param totalBandwidth of all connections of one worker together
     */
    public record StoreFigures(double latency, double connectionBandwidth, double totalBandwidth) {
        public StoreFigures {
            Positive.requireNotNegative("latency", latency);
            Positive.require("connectionBandwidth", connectionBandwidth);
            Positive.require("totalBandwidth", totalBandwidth);
        }
    }

    public record Tier(String name, Local figures) {}

    /** @param tiers at least one; the first of equally good ones is advised */
    public static Advice advise(Work work, StoreFigures store, List<Tier> tiers) {
        if (tiers.isEmpty()) {
            throw new IllegalArgumentException("no tier to advise on");
        }
        double without = model(work, store, Local.FREE).sequentialSeconds(1);
        var because = new ArrayList<String>();
        var best = plan(work, store, tiers.getFirst());
        for (var tier : tiers) {
            var plan = plan(work, store, tier);
            because.add(text(plan, work, store, without));
            if (plan.seconds() < best.seconds()) {
                best = plan;
            }
        }
        return new Advice(
                verdict(best.seconds(), without),
                best.tier().name(),
                best.blocks(),
                work.bytes() / best.blocks(),
                best.streams(),
                best.seconds(),
                without,
                because);
    }

    static Verdict verdict(double with, double without) {
        if (with < without * (1 - SURE)) {
            return Verdict.HELPS;
        }
        return with > without * (1 + SURE) ? Verdict.HURTS : Verdict.NEUTRAL;
    }

    private record Plan(Tier tier, long blocks, int streams, double seconds) {}

    private static RollingPrefetch model(Work work, StoreFigures store, Local local) {
        return new RollingPrefetch(
                work.bytes(), store.latency(), store.connectionBandwidth(), work.computePerByte(), local);
    }

    /** Streams beside the first are reckoned with only where they add bandwidth; the published model has one. */
    private static Plan plan(Work work, StoreFigures store, Tier tier) {
        long mostBlocks = (long) Math.clamp(work.bytes() / LEAST_BLOCK_BYTES, 1, 1_000_000);
        var one = model(work, store, tier.figures());
        long blocks = one.bestBlocks(mostBlocks);
        var best = new Plan(tier, blocks, 1, one.prefetchSeconds(blocks));
        int most = (int) Math.clamp(Math.ceil(store.totalBandwidth() / store.connectionBandwidth()), 1, MOST_STREAMS);
        for (int streams = 2; streams <= most; streams++) {
            var faster = model(work, withStreams(store, streams), tier.figures());
            long n = faster.bestBlocks(mostBlocks);
            double seconds = faster.prefetchSeconds(n);
            if (seconds < best.seconds()) {
                best = new Plan(tier, n, streams, seconds);
            }
        }
        return best;
    }

    /** Several connections share the blocks of one reader: together they are one faster connection, each request as slow to begin. */
    private static StoreFigures withStreams(StoreFigures store, int streams) {
        double together = Math.min(streams * store.connectionBandwidth(), store.totalBandwidth());
        return new StoreFigures(store.latency(), together, store.totalBandwidth());
    }

    private static String text(Plan plan, Work work, StoreFigures store, double without) {
        var f = plan.tier().figures();
        return String.format(
                Locale.ROOT,
                "%s: %.2f s with, %.2f s without (%d blocks, %d streams; store %.4g B/s, %.3g s; tier %.4g B/s in, %.4g B/s out, %.3g s; "
                        + "%.4g B, computation %.4g s)",
                plan.tier().name(),
                plan.seconds(),
                without,
                plan.blocks(),
                plan.streams(),
                store.connectionBandwidth(),
                store.latency(),
                f.writeBandwidth(),
                f.readBandwidth(),
                f.latency(),
                work.bytes(),
                work.bytes() * work.computePerByte());
    }
}
