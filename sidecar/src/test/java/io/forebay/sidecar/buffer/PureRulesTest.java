package io.forebay.sidecar.buffer;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.sidecar.buffer.Pressure.ItemSample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The rules of the buffer that need no folder. */
class PureRulesTest {
    private static final long MIB = 1 << 20;

    @Nested
    class Growth {
        private final GrowthEstimate estimate = new GrowthEstimate();

        private static void assertAbout(long actual, long expected) {
            assertThat(actual).isBetween(expected, expected + expected / 5 + MIB);
        }

        @Test
        void isThreeTimesTheInputsUntilAnItemHasEnded() {
            assertAbout(estimate.expect(100 * MIB), 300 * MIB);
            assertThat(estimate.expect(Long.MAX_VALUE / 2)).isPositive();
        }

        @Test
        void followsTheRatioAboveWhatWasSeenAndThePeakBelow() {
            estimate.learned(100 * MIB, 50 * MIB);
            estimate.learned(200 * MIB, 100 * MIB);
            assertAbout(estimate.expect(400 * MIB), 200 * MIB);
            assertAbout(estimate.expect(150 * MIB), 75 * MIB);
            assertAbout(estimate.expect(10 * MIB), 100 * MIB);
            assertAbout(estimate.expect(0), 100 * MIB);
        }

        @Test
        void outputsThatDoNotDependOnTheInputsAreNotBlownUp() {
            estimate.learned(MIB, 10 * MIB);
            estimate.learned(100 * MIB, 10 * MIB);
            assertAbout(estimate.expect(50 * MIB), 10 * MIB);
        }

        @Test
        void aGiantIsForgottenAfterThirtyTwoOthers() {
            estimate.learned(MIB, 1000 * MIB);
            for (int i = 0; i < 32; i++) {
                assertThat(estimate.expect(MIB)).isGreaterThan(1000 * MIB);
                estimate.learned(MIB, MIB);
            }
            assertAbout(estimate.expect(MIB), MIB);
        }

        @Test
        void itemsWithoutInputsWork() {
            estimate.learned(0, 7 * MIB);
            assertAbout(estimate.expect(0), 7 * MIB);
        }
    }

    @Nested
    class UnderPressure {
        private Pressure.Decision decide(long used, long free, long clean, long leaving, ItemSample... items) {
            return Pressure.decide(new Pressure.Sample(1000, 30, used, free, clean, leaving, List.of(items)));
        }

        @Test
        void nothingIsDoneWhileThereIsRoom() {
            assertThat(decide(940, 5000, 100, 0, new ItemSample(10, 900, false)))
                    .isEqualTo(Pressure.Decision.NONE);
        }

        @Test
        @DisplayName("M4 before the floor the item furthest above its reservation is stopped")
        void stopsTheFurthestAboveItsReservation() {
            var d = decide(
                    950,
                    5000,
                    0,
                    0,
                    new ItemSample(500, 550, false),
                    new ItemSample(100, 300, false),
                    new ItemSample(300, 100, false));
            assertThat(d.stop()).contains(1);
        }

        @Test
        void theFileSystemCountsAsMuchAsTheSize() {
            assertThat(decide(500, 59, 0, 0, new ItemSample(1, 500, false)).stop())
                    .contains(0);
        }

        @Test
        void cleanDataGoesFirst() {
            var d = decide(950, 5000, 100, 0, new ItemSample(1, 500, false));
            assertThat(d.evictBytes()).isEqualTo(10);
            assertThat(d.stop()).isEmpty();
        }

        @Test
        void oneIsEnoughWhileItLeaves() {
            var stopped = new ItemSample(100, 400, true);
            assertThat(decide(1000, 5000, 0, 0, stopped, new ItemSample(100, 300, false))
                            .stop())
                    .isEmpty();
            assertThat(decide(1000, 5000, 0, 400, new ItemSample(100, 300, false))
                            .stop())
                    .isEmpty();
            assertThat(decide(1000, 5000, 0, 10, new ItemSample(100, 300, false))
                            .stop())
                    .contains(0);
        }

        @Test
        void whoKeepsItsReservationIsStoppedBelowTheFloorOnly() {
            var fair = new ItemSample(600, 500, false);
            assertThat(decide(950, 5000, 0, 0, fair).stop()).isEmpty();
            assertThat(decide(500, 31, 0, 0, fair).stop()).isEmpty();
            assertThat(decide(500, 29, 0, 0, fair, new ItemSample(10, 5, false)).stop())
                    .contains(0);
            assertThat(decide(0, 0, 0, 0, new ItemSample(10, 0, false)).stop()).isEqualTo(Optional.empty());
        }

        @Test
        void looksOftenEnoughNotToMissTheFloor() {
            assertThat(Pressure.nextLookNanos(100L << 30, MIB))
                    .isEqualTo(Duration.ofMillis(250).toNanos());
            assertThat(Pressure.nextLookNanos(0, MIB))
                    .isEqualTo(Duration.ofMillis(4).toNanos());
            long gib = 1L << 30;
            assertThat(Pressure.nextLookNanos(gib, 0)).isBetween(100_000_000L, 150_000_000L);
        }
    }

    @Nested
    class BrokenTier {
        private final TierHealth health = new TierHealth();

        private long seconds(long s) {
            return 77 + Duration.ofSeconds(s).toNanos();
        }

        @Test
        @DisplayName(
                "C8 EIO once changes nothing; twice closes the tier; it is tried again, and nothing is shut off 5 min later")
        void closesAndOpens() {
            assertThat(health.failed(seconds(0))).isFalse();
            assertThat(health.failed(seconds(1))).isTrue();
            assertThat(health.isTrialDue(seconds(10))).isFalse();
            assertThat(health.isTrialDue(seconds(11))).isTrue();
            assertThat(health.tried(false, seconds(11))).isFalse();
            assertThat(health.isTrialDue(seconds(30))).isFalse();
            assertThat(health.isTrialDue(seconds(31))).isTrue();
            assertThat(health.tried(true, seconds(31))).isTrue();
            assertThat(health.failed(seconds(32))).isFalse();
        }

        @Test
        void errorsFarApartDoNotAddUp() {
            health.failed(seconds(0));
            assertThat(health.failed(seconds(400))).isFalse();
            assertThat(health.failed(seconds(401))).isTrue();
        }

        @Test
        void isTriedEveryTwoMinutesAtLeast() {
            health.failed(0);
            health.failed(0);
            long now = 0;
            for (int i = 0; i < 20; i++) {
                now += Duration.ofMinutes(2).toNanos();
                assertThat(health.isTrialDue(now)).isTrue();
                health.tried(false, now);
            }
        }
    }

    @Nested
    class Memory {
        @TempDir
        Path folder;

        @Test
        void isHalfOfWhatIsAvailableOrOfTheTightestCgroup() {
            assertThat(MemoryLimit.mostBytes(new MemoryLimit.Figures(1000, List.of(), 0)))
                    .isEqualTo(500);
            assertThat(MemoryLimit.mostBytes(new MemoryLimit.Figures(1000, List.of(5000L, 300L), 0)))
                    .isEqualTo(150);
            assertThat(MemoryLimit.mostBytes(new MemoryLimit.Figures(400, List.of(5000L), 600)))
                    .as("M6 after a restart, with its own data there")
                    .isEqualTo(500);
        }

        @Test
        void readsTheTextsOfTheKernel() {
            assertThat(MemoryLimit.memAvailable("MemTotal: 5 kB\nMemAvailable:   24334 kB\n"))
                    .hasValue(24334 * 1024);
            assertThat(MemoryLimit.memAvailable("MemTotal: 5 kB\n")).isEmpty();
            assertThat(MemoryLimit.cgroupLimit("max\n")).isEmpty();
            assertThat(MemoryLimit.cgroupLimit("9223372036854771712\n")).isEmpty();
            assertThat(MemoryLimit.cgroupLimit("134217728\n")).hasValue(134217728);
            assertThat(MemoryLimit.cgroupLimit("")).isEqualTo(OptionalLong.empty());
        }

        private MemoryLimit.Figures figures(String mountinfo, String cgroup) throws IOException {
            Files.createDirectories(folder.resolve("self"));
            Files.writeString(folder.resolve("meminfo"), "MemAvailable: 8000000 kB\n");
            Files.writeString(folder.resolve("self/mountinfo"), mountinfo);
            Files.writeString(folder.resolve("self/cgroup"), cgroup);
            return new MemoryFigures(folder).read(0);
        }

        @Test
        void findsTheLimitsOfCgroupV2() throws IOException {
            var mount = Files.createDirectories(folder.resolve("cg"));
            Files.createDirectories(mount.resolve("user.slice/job"));
            Files.writeString(mount.resolve("user.slice/memory.max"), "4096000\n");
            Files.writeString(mount.resolve("user.slice/job/memory.max"), "max\n");
            var f = figures("30 1 0:26 / " + mount + " rw shared:4 - cgroup2 cgroup2 rw\n", "0::/user.slice/job\n");
            assertThat(f.cgroupLimits()).containsExactly(4096000L);
            assertThat(f.availableBytes()).isEqualTo(8000000L * 1024);
        }

        @Test
        void findsTheLimitsOfCgroupV1AndOfAContainerWithoutNamespace() throws IOException {
            var mount = Files.createDirectories(folder.resolve("memory"));
            Files.writeString(mount.resolve("memory.limit_in_bytes"), "134217728\n");
            var info = "31 1 0:27 /kubepods/pod1/c1 " + mount + " ro - cgroup cgroup rw,memory\n" + "32 1 0:28 / "
                    + folder.resolve("cpu") + " ro - cgroup cgroup rw,cpu\n";
            assertThat(figures(info, "4:memory:/kubepods/pod1/c1\n2:cpu:/x\n").cgroupLimits())
                    .containsExactly(134217728L);
            assertThat(figures(info, "4:memory:/../other\n").cgroupLimits()).containsExactly(134217728L);
        }

        @Test
        void knowsThisMachine() throws IOException {
            assertThat(BufferRoots.mostMemory("/dev/shm/forebay-no-such").value())
                    .isPositive();
        }
    }

    @Nested
    class Config {
        @Test
        @DisplayName("M10 a tier below the stated minimum is refused")
        void refusesATinyTier() {
            org.assertj.core.api.Assertions.assertThatThrownBy(() -> new TierConfig(
                            io.forebay.api.job.Job.Medium.MEMORY, "/x", io.forebay.api.value.Bytes.of(64 * MIB - 1)))
                    .hasMessageContaining("minimum of 64.0 MiB");
        }

        @Test
        void footprintIsWholePages() {
            assertThat(Buffer.footprint(0)).isZero();
            assertThat(Buffer.footprint(1)).isEqualTo(4096);
            assertThat(Buffer.footprint(4096)).isEqualTo(4096);
            assertThat(Buffer.footprint(4097)).isEqualTo(8192);
        }
    }
}
