package io.forebay.sidecar.advisor;

import java.util.Arrays;

/**
 * Derived from [P2]: several connections fetch blocks, one reader computes on them in order; the cache is free and holds what is
 * fetched.
 *
 * @param data f
 * @param blocks n_b
 * @param storeLatency l_c
 * @param connectionBandwidth of one connection (b_conn)
 * @param totalBandwidth of all together (B_nic)
 * @param computePerData c
 */
public record ParallelPrefetch(
        double data,
        int blocks,
        double storeLatency,
        double connectionBandwidth,
        double totalBandwidth,
        double computePerData) {
    public ParallelPrefetch {
        Positive.require("data", data);
        Positive.require("blocks", blocks);
        Positive.requireNotNegative("storeLatency", storeLatency);
        Positive.require("connectionBandwidth", connectionBandwidth);
        Positive.require("totalBandwidth", totalBandwidth);
        Positive.requireNotNegative("computePerData", computePerData);
    }

    private double blockSize() {
        return data / blocks;
    }

    private double fetchSeconds() {
        return storeLatency + blockSize() / connectionBandwidth;
    }

    private double computeSeconds() {
        return computePerData * blockSize();
    }

    public double sequentialSeconds() {
        return blocks * storeLatency + data / connectionBandwidth + computePerData * data;
    }

    /** {@code (l_c + s/b_conn) + (n - 1) max((l_c + s/b_conn)/P, s/B_nic, T_comp) + T_comp}. */
    public double seconds(int connections) {
        Positive.require("connections", connections);
        double interval =
                Math.max(Math.max(fetchSeconds() / connections, blockSize() / totalBandwidth), computeSeconds());
        return fetchSeconds() + (blocks - 1) * interval + computeSeconds();
    }

    /** P*: more connections than this do not help. */
    public int enoughConnections() {
        double interval = Math.max(blockSize() / totalBandwidth, computeSeconds());
        return (int) Math.clamp((long) Math.ceil(fetchSeconds() / interval), 1, blocks);
    }

    /**
     * The same by simulation, block by block: a connection waits for the latency, then shares the total bandwidth equally with
     * those that transfer, and takes the next block. Tells what the formula does not: that too many connections delay
     * the first block.
     */
    public double simulatedSeconds(int connections) {
        Positive.require("connections", connections);
        var arrived = arrivals(Math.min(connections, blocks));
        double free = 0;
        for (double a : arrived) {
            free = Math.max(free, a) + computeSeconds();
        }
        return free;
    }

    /** When each block is in the cache. */
    private double[] arrivals(int connections) {
        var arrived = new double[blocks];
        var block = new int[connections];
        var waitsUntil = new double[connections];
        var left = new double[connections];
        int next = 0;
        for (int c = 0; c < connections; c++) {
            block[c] = next++;
            waitsUntil[c] = storeLatency;
            left[c] = blockSize();
        }
        double now = 0;
        for (int done = 0; done < blocks; ) {
            double rate =
                    Math.min(connectionBandwidth, totalBandwidth / Math.max(1, transferring(block, waitsUntil, now)));
            double step = Double.POSITIVE_INFINITY;
            for (int c = 0; c < connections; c++) {
                if (block[c] >= 0) {
                    step = Math.min(step, waitsUntil[c] > now ? waitsUntil[c] - now : left[c] / rate);
                }
            }
            for (int c = 0; c < connections; c++) {
                if (block[c] < 0 || waitsUntil[c] > now) {
                    continue;
                }
                left[c] -= rate * step;
                if (left[c] <= blockSize() * 1e-12) {
                    arrived[block[c]] = now + step;
                    done++;
                    block[c] = next < blocks ? next++ : -1;
                    waitsUntil[c] = now + step + storeLatency;
                    left[c] = blockSize();
                }
            }
            now += step;
        }
        Arrays.sort(arrived); // blocks are equal: the reader takes them as they come
        return arrived;
    }

    private static int transferring(int[] block, double[] waitsUntil, double now) {
        int n = 0;
        for (int c = 0; c < block.length; c++) {
            n += block[c] >= 0 && waitsUntil[c] <= now ? 1 : 0;
        }
        return n;
    }
}
