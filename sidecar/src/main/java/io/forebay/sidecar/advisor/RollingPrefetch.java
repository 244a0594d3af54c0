package io.forebay.sidecar.advisor;

/**
 * The makespan of one reader whose blocks are fetched into a local cache while it computes [P2]. A cache of two blocks
 * gives the whole effect; with one it is the sequential time.
 *
 * @param data read in all (f)
 * @param storeLatency seconds before the first byte of a block (l_c)
 * @param storeBandwidth of one connection (b_cr)
 * @param computePerData seconds per unit of data (c)
 */
public record RollingPrefetch(
        double data, double storeLatency, double storeBandwidth, double computePerData, Local local) {
    public RollingPrefetch {
        Positive.require("data", data);
        Positive.requireNotNegative("storeLatency", storeLatency);
        Positive.require("storeBandwidth", storeBandwidth);
        Positive.requireNotNegative("computePerData", computePerData);
    }

    /**
     * Where blocks lie meanwhile.
     *
     * @param latency seconds per access (l_l)
     * @param writeBandwidth b_lw
     * @param readBandwidth b_lr
     */
    public record Local(double latency, double writeBandwidth, double readBandwidth) {
        /** Costs no time. */
        public static final Local FREE = new Local(0, Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY);

        public Local {
            Positive.requireNotNegative("latency", latency);
            Positive.requireBandwidth("writeBandwidth", writeBandwidth);
            Positive.requireBandwidth("readBandwidth", readBandwidth);
        }
    }

    /** T_seq: each block read from the store, then computed on, without a cache. */
    public double sequentialSeconds(long blocks) {
        return require(blocks) * storeLatency + data / storeBandwidth + computePerData * data;
    }

    /** T_cloud: one block from the store into the cache. */
    public double fetchSeconds(long blocks) {
        double n = require(blocks);
        return storeLatency + data / (storeBandwidth * n) + local.latency() + data / (local.writeBandwidth() * n);
    }

    /** T_comp: one block from the cache, and the computation on it. */
    public double computeSeconds(long blocks) {
        double n = require(blocks);
        return local.latency() + data / (local.readBandwidth() * n) + computePerData * data / n;
    }

    /** T_pf. */
    public double prefetchSeconds(long blocks) {
        double fetch = fetchSeconds(blocks);
        double compute = computeSeconds(blocks);
        return fetch + (blocks - 1) * Math.max(fetch, compute) + compute;
    }

    /** T_seq / T_pf; below 2 where the cache is free. */
    public double speedup(long blocks) {
        return sequentialSeconds(blocks) / prefetchSeconds(blocks);
    }

    /** sqrt(c f / l_c), as published: right while the store is what is waited for and the cache is free. */
    public double publishedOptimum() {
        return Math.sqrt(computePerData * data / storeLatency);
    }

    /**
     * Derived: the number of blocks with the least makespan, as a real number, 1 at least. The makespan is the greater of two convex
     * functions of n, one bound by the store, {@code n (l_c + l_l) + A + l_l + B/n}, one by the computation, {@code l_c + l_l +
     * A/n + n l_l + B}, where {@code A = f/b_cr + f/b_lw} and {@code B = c f + f/b_lr}; they cross at {@code (B - A)/l_c}.
     */
    public double optimum() {
        double a = data / storeBandwidth + data / local.writeBandwidth();
        double b = computePerData * data + data / local.readBandwidth();
        double storeBound = Math.sqrt(b / (storeLatency + local.latency()));
        double computeBound = Math.sqrt(a / local.latency()); // infinite for a latency of 0
        double crossover = (b - a) / storeLatency;
        return Math.max(1, storeBound >= crossover ? storeBound : Math.min(crossover, computeBound));
    }

    /** Derived: the whole number of blocks, at most {@code most}, with the least makespan; the fewest of equal ones. */
    public long bestBlocks(long most) {
        require(most);
        double real = Math.min(optimum(), most);
        long below = Math.max(1, (long) Math.floor(real));
        long above = Math.min(most, below + 1);
        return prefetchSeconds(above) < prefetchSeconds(below) ? above : below;
    }

    private static long require(long blocks) {
        if (blocks < 1) {
            throw new IllegalArgumentException("there is 1 block at least, not " + blocks);
        }
        return blocks;
    }
}
