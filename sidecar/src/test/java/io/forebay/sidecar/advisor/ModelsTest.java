package io.forebay.sidecar.advisor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.forebay.sidecar.advisor.Advice.Verdict;
import io.forebay.sidecar.advisor.Advisor.StoreFigures;
import io.forebay.sidecar.advisor.Advisor.Tier;
import io.forebay.sidecar.advisor.Advisor.Work;
import io.forebay.sidecar.advisor.PageCache.Effect;
import io.forebay.sidecar.advisor.RollingPrefetch.Local;
import io.forebay.sidecar.advisor.Rules.Redundancy;
import io.forebay.sidecar.advisor.TieredMakespan.Cluster;
import io.forebay.sidecar.advisor.TieredMakespan.Data;
import io.forebay.sidecar.advisor.TieredMakespan.Disks;
import io.forebay.sidecar.advisor.TieredMakespan.Memory;
import io.forebay.sidecar.advisor.TieredMakespan.Shared;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The published vectors. */
class ModelsTest {

    @Nested
    class PageCacheInequalities {
        private PageCache model(double gigabytes, double seconds, int perNode, int all) {
            return new PageCache(gigabytes * 1024, seconds, 193.64, perNode, 504.03, all);
        }

        @ParameterizedTest(name = "{0}")
        @CsvSource(textBlock = """
                E1 n=10,     750,   4300,   9,  125, 178.604651, 21.515556,  4.032240,  8.301187,  44.294152, false, false
                E2 x=2.4,    750,   3000,   9,  125, 256.000000, 21.515556,  4.032240, 11.898368,  63.488284, false, false
                E2 x=320,    750, 400000,   9,  125,   1.920000, 21.515556,  4.032240,  0.089238,   0.476162, true,  true
                E3 30,       750,   4400,   2,   30, 174.545455, 96.820000, 16.801000,  1.802783,  10.388992, false, false
                E3 750,      750,   4400,  25,  375, 174.545455,  7.745600,  1.344080, 22.534788, 129.862400, false, false
                E4 BigBrain, 750,   2200,   9,  125, 349.090909, 21.515556,  4.032240, 16.225047,  86.574933, false, false
                E4 MRI,    0.127,   2200,   9,  125,   0.059113, 21.515556,  4.032240,  0.002747,   0.014660, true,  true
                """)
        void areThosePublished(
                String name,
                double gigabytes,
                double seconds,
                int perNode,
                int all,
                double production,
                double local,
                double shared,
                double ratio1,
                double ratio2,
                boolean first,
                boolean second) {
            var m = model(gigabytes, seconds, perNode, all);
            var six = within(0.0000006);
            assertThat(m.production()).isCloseTo(production, six);
            assertThat(m.localShare()).isCloseTo(local, six);
            assertThat(m.sharedShare()).isCloseTo(shared, six);
            assertThat(m.localRatio()).isCloseTo(ratio1, six);
            assertThat(m.sharedRatio()).isCloseTo(ratio2, six);
            assertThat(m.sufficesOnLocalDisk()).isEqualTo(first);
            assertThat(m.sufficesOnSharedFileSystem()).isEqualTo(second);
        }

        private final double limit = 76.8 * 1024;

        @Test
        void transientOfTheFirstExperiment() {
            var ten = model(750, 4300, 9, 125).onLocalDisk(limit);
            assertThat(ten.peak() / 1024).isCloseTo(47.49, within(0.005));
            assertThat(ten.saturatesAfterSeconds()).isEmpty();
            assertThat(ten.effect()).isEqualTo(Effect.THROTTLED);
            var hundred = model(7500, 43000, 9, 125).onLocalDisk(limit);
            assertThat(hundred.peak() / 1024).isCloseTo(474.95, within(0.005));
            assertThat(hundred.saturatesAfterSeconds().orElseThrow()).isCloseTo(55.6, within(0.05));
            assertThat(hundred.effect()).isEqualTo(Effect.SATURATED);
        }

        @Test
        void effectsInOrder() {
            assertThat(model(750, 400000, 9, 125).onLocalDisk(limit).effect()).isEqualTo(Effect.NO_EFFECT);
            assertThat(model(300, 1720, 9, 125).onLocalDisk(limit).effect()).isEqualTo(Effect.ABSORBED);
            assertThat(model(0, 10, 1, 1).onLocalDisk(limit).peak()).isZero();
        }
    }

    @Nested
    class Prefetch {
        private static final Local MEMORY = new Local(1.6e-6, 2221, 2221);

        @ParameterizedTest
        @CsvSource(textBlock = """
                1000,    1,   10,   22.9780,   13.0879,   13.5832, 1.7557
                1000,    1,  100,   31.9780,   21.0989,   21.5538, 1.5156
                1000,    0.5, 10,   17.4835,   12.5385,   13.0338, 1.3944
                1000,    2,  100,   42.9670,   22.1879,   22.6428, 1.9365
                31948.8, 1,  100,  712.1714,  364.5966,  379.1255, 1.9533
                102400,  7, 1000, 9102.1978, 7878.1484, 7924.3014, 1.1554
                """)
        void makespansAreThosePublished(
                double f, double c91, long blocks, double sequential, double free, double memory, double speedup) {
            var four = within(0.00006);
            var inFree = new RollingPrefetch(f, 0.1, 91, c91 / 91, Local.FREE);
            assertThat(inFree.sequentialSeconds(blocks)).isCloseTo(sequential, four);
            assertThat(inFree.prefetchSeconds(blocks)).isCloseTo(free, four);
            assertThat(inFree.speedup(blocks)).isCloseTo(speedup, four);
            assertThat(new RollingPrefetch(f, 0.1, 91, c91 / 91, MEMORY).prefetchSeconds(blocks))
                    .isCloseTo(memory, four);
        }

        @ParameterizedTest
        @CsvSource({"1, 10, 13.088", "1.2, 22, 13.788", "2, 109, 22.179"})
        void theOptimumIsExact(double c91, long blocks, double seconds) {
            var m = new RollingPrefetch(1000, 0.1, 91, c91 / 91, Local.FREE);
            assertThat(m.bestBlocks(100_000)).isEqualTo(blocks);
            assertThat(m.prefetchSeconds(blocks)).isCloseTo(seconds, within(0.0006));
        }

        @Test
        void theOptimumIsThatOfTryingAll() {
            var locals = List.of(Local.FREE, MEMORY, new Local(0.008, 120, 120), new Local(0.02, 50, 400));
            for (var local : locals) {
                for (double c : new double[] {0, 0.1 / 91, 0.5 / 91, 1 / 91.0, 1.2 / 91, 2 / 91.0, 7 / 91.0}) {
                    for (double f : new double[] {1, 40, 1000}) {
                        var m = new RollingPrefetch(f, 0.1, 91, c, local);
                        long best = 1;
                        for (long n = 2; n <= 3000; n++) {
                            best = m.prefetchSeconds(n) < m.prefetchSeconds(best) - 1e-12 ? n : best;
                        }
                        assertThat(m.prefetchSeconds(m.bestBlocks(3000)))
                                .as("%s", m)
                                .isCloseTo(m.prefetchSeconds(best), within(1e-9));
                    }
                }
            }
        }

        @Test
        void oneBlockGivesTheSequentialTimeAndTheCacheIsBelowTwofold() {
            var m = new RollingPrefetch(1000, 0.1, 91, 1 / 91.0, Local.FREE);
            assertThat(m.prefetchSeconds(1)).isCloseTo(m.sequentialSeconds(1), within(1e-9));
            assertThat(m.publishedOptimum()).isCloseTo(10.48, within(0.01));
            for (long n = 1; n < 1000; n++) {
                assertThat(m.speedup(n)).isLessThan(2);
            }
        }

        @Test
        void aSlowDiskCostsMoreThanItSaves() {
            var m = new RollingPrefetch(1000, 0.1, 91, 1 / 91.0, new Local(0.008, 120, 120));
            assertThat(m.prefetchSeconds(m.bestBlocks(100_000))).isCloseTo(22.221, within(0.0006));
            assertThat(m.sequentialSeconds(1)).isCloseTo(22.078, within(0.0006));
        }

        @Test
        void refusesWhatIsNoFigure() {
            assertThatThrownBy(() -> new RollingPrefetch(-1, 0.1, 91, 1, Local.FREE))
                    .hasMessageContaining("data")
                    .hasMessageContaining("-1");
            assertThatThrownBy(() -> new RollingPrefetch(1, Double.NaN, 91, 1, Local.FREE))
                    .hasMessageContaining("storeLatency");
            assertThatThrownBy(() -> new RollingPrefetch(1, 0.1, 0, 1, Local.FREE))
                    .hasMessageContaining("storeBandwidth");
            assertThatThrownBy(() -> new RollingPrefetch(1, 0.1, 1, 1, Local.FREE).prefetchSeconds(0))
                    .hasMessageContaining("0");
        }
    }

    @Nested
    class Parallel {
        private final ParallelPrefetch model = new ParallelPrefetch(1000, 32, 0.1, 91, 1250, 1 / 910.0);

        @ParameterizedTest
        @CsvSource({"1, 14.22", "2, 7.16", "4, 3.69", "8, 2.05", "16, 1.60", "32, 2.00"})
        void simulationGivesTheVectors(int connections, double seconds) {
            // Two decimals; that of 4 connections is 3.6847 here.
            assertThat(model.simulatedSeconds(connections)).isCloseTo(seconds, within(0.0056));
        }

        @Test
        void theFormulaIsNeverBelowTheSimulationButForTooManyConnections() {
            assertThat(model.sequentialSeconds()).isCloseTo(15.288, within(0.0006));
            assertThat(model.seconds(1)).isCloseTo(14.22335, within(0.00001));
            for (int p = 1; p <= 8; p++) {
                assertThat(model.seconds(p)).isGreaterThanOrEqualTo(model.simulatedSeconds(p) - 1e-9);
            }
            assertThat(model.enoughConnections()).isEqualTo(13);
            assertThat(model.seconds(13)).isEqualTo(model.seconds(32));
        }

        @Test
        void moreConnectionsThanBlocksAreNotUsed() {
            assertThat(model.simulatedSeconds(1000)).isEqualTo(model.simulatedSeconds(32));
        }

        @Test
        @DisplayName("Z4 16 streams are worth 8 of one, as the model has it")
        void sixteenStreams() {
            assertThat(model.simulatedSeconds(1) / model.simulatedSeconds(16)).isGreaterThan(8);
        }
    }

    @Nested
    class Tiers {
        private static final double GIB = 1024;

        private TieredMakespan model(int nodes, int processes, int disks, int iterations) {
            return new TieredMakespan(
                    new Cluster(nodes, processes, 2980.23),
                    new Data(617_000, 617_000.0 * (iterations - 1), 617_000, 617),
                    new Memory(126 * GIB, 6676.48, 2560),
                    new Disks(disks, 447 * GIB, 501.7, 426),
                    new Shared(4, 44, 1381.14, 121));
        }

        @ParameterizedTest(name = "{0}")
        @CsvSource(textBlock = """
                10 iterations, 5, 6, 6, 10, 3630,  2217.3,  880.6,  2.52
                5 iterations,  5, 6, 6,  5, 3630,  1108.7,  434.2,  2.55
                one node,      1, 6, 6, 10,  726, 10568.9, 7708.1,  1.37
                one disk,      5, 6, 1,  5, 3630,  1108.7, 1971.2,  0.56
                one process,   5, 1, 6,  5,  605,  5545.9,  471.2, 11.77
                """)
        void makespansAreThosePublished(
                String name,
                int nodes,
                int processes,
                int disks,
                int iterations,
                double write,
                double without,
                double with,
                double speedup) {
            var m = model(nodes, processes, disks, iterations);
            assertThat(m.sharedWrite()).isCloseTo(write, within(0.001));
            assertThat(m.withoutTiers()).isCloseTo(without, within(0.06));
            assertThat(m.withTiers()).isCloseTo(with, within(0.06));
            assertThat(m.speedup()).isCloseTo(speedup, within(0.006));
        }

        @Test
        void withoutRoomInTheTiersItIsTheSharedFileSystem() {
            var m = new TieredMakespan(
                    new Cluster(1, 6, 2980.23),
                    new Data(100, 200, 100, 617),
                    new Memory(1, 6676.48, 2560),
                    new Disks(0, 0, 501.7, 426),
                    new Shared(4, 44, 1381.14, 121));
            assertThat(m.withTiers()).isEqualTo(m.withoutTiers());
        }
    }

    @Nested
    class Small {
        @Test
        void redundancyCosts() {
            assertThat(Rules.redundantBytes(100, new Redundancy.Single())).isEqualTo(100);
            assertThat(Rules.redundantBytes(100, new Redundancy.Partner())).isEqualTo(200);
            assertThat(Rules.redundantBytes(100, new Redundancy.Xor(5))).isEqualTo(125);
            assertThat(Rules.redundantBytes(100, new Redundancy.ReedSolomon(10, 2)))
                    .isEqualTo(125);
            assertThatThrownBy(() -> new Redundancy.ReedSolomon(2, 2)).isInstanceOf(IllegalArgumentException.class);
        }

        @Test
        void drainFitsOrNot() {
            assertThat(Rules.drainFits(1000, 100, 50, 20)).isTrue();
            assertThat(Rules.drainFits(1001, 100, 50, 20)).isFalse();
        }

        @Test
        @DisplayName("O6 part sizes: 5 MiB at least, 10,000 parts at most")
        void partSizes() {
            assertThat(Rules.leastPartBytes(1)).isEqualTo(5 << 20);
            assertThat(Rules.leastPartBytes(600_000_000_000L)).isEqualTo(60_000_000L);
            assertThat(Rules.leastPartBytes(6_000_000_000_001L)).isEqualTo(600_000_001L);
        }
    }

    @Nested
    class Advising {
        private static final double MB = 1e6;
        private static final Tier DISK = new Tier("Disk", new Local(0.008, 120 * MB, 120 * MB));
        private static final Tier SHM = new Tier("Memory", new Local(1.6e-6, 2221 * MB, 2221 * MB));

        @Test
        @DisplayName(
                "Z7 1 GB, store 91 MB/s at 0.1 s, disk 120 MB/s at 8 ms, 1/91 s per MB: 22.22 s with, 22.08 s without, never helps")
        void doesNotPraiseASlowDisk() {
            var advice = Advisor.advise(
                    new Work(1000 * MB, 1 / (91 * MB)), new StoreFigures(0.1, 91 * MB, 91 * MB), List.of(DISK));
            assertThat(advice.secondsWith()).isCloseTo(22.22, within(0.005));
            assertThat(advice.secondsWithout()).isCloseTo(22.08, within(0.005));
            assertThat(advice.verdict()).isNotEqualTo(Verdict.HELPS);
            assertThat(advice.because()).singleElement().asString().contains("22.22 s with, 22.08 s without");
        }

        @Test
        void choosesTheTierThatHelps() {
            var advice = Advisor.advise(
                    new Work(1000 * MB, 1 / (91 * MB)), new StoreFigures(0.1, 91 * MB, 91 * MB), List.of(DISK, SHM));
            assertThat(advice.verdict()).isEqualTo(Verdict.HELPS);
            assertThat(advice.tier()).isEqualTo("Memory");
            assertThat(advice.blocks() * advice.blockBytes()).isCloseTo(1000 * MB, within(1.0));
            assertThat(advice.streams()).isEqualTo(1);
            assertThat(advice.secondsWith()).isLessThan(14);
            assertThat(advice.because()).hasSize(2);
        }

        @Test
        void reckonsWithStreamsWhereTheyAddBandwidth() {
            var advice = Advisor.advise(
                    new Work(1000 * MB, 1 / (910 * MB)), new StoreFigures(0.1, 91 * MB, 1250 * MB), List.of(SHM));
            assertThat(advice.streams()).isBetween(8, 14);
            assertThat(advice.secondsWith()).isLessThan(3);
        }

        @Test
        void saysThatItHurtsWhereNothingIsComputedAndTheTierIsSlow() {
            var slow = new Tier("Disk", new Local(0.02, 30 * MB, 30 * MB));
            var advice =
                    Advisor.advise(new Work(1000 * MB, 0), new StoreFigures(0.01, 500 * MB, 500 * MB), List.of(slow));
            assertThat(advice.verdict()).isEqualTo(Verdict.HURTS);
        }

        @Test
        void smallDifferencesAreNeutral() {
            assertThat(Advisor.verdict(100, 104)).isEqualTo(Verdict.NEUTRAL);
            assertThat(Advisor.verdict(104, 100)).isEqualTo(Verdict.NEUTRAL);
            assertThat(Advisor.verdict(94, 100)).isEqualTo(Verdict.HELPS);
            assertThat(Advisor.verdict(106, 100)).isEqualTo(Verdict.HURTS);
        }
    }
}
