package io.forebay.sidecar.buffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.api.job.Job.Medium;
import io.forebay.api.value.Bytes;
import io.forebay.sidecar.buffer.Buffer.ItemSpace;
import io.forebay.sidecar.buffer.Buffer.NoRoomException;
import io.forebay.sidecar.os.Posix;
import io.forebay.testing.Wait;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real writers on real, small file systems that run full. */
class FullTierTest {
    private static final long MIB = 1 << 20;

    @TempDir
    Path folder;

    private final List<Process> processes = new ArrayList<>();

    private record Told(long item, int nextTier, String message) {}

    private final CopyOnWriteArrayList<Told> told = new CopyOnWriteArrayList<>();

    @AfterEach
    void endProcesses() throws InterruptedException {
        for (var p : processes) {
            p.destroyForcibly().waitFor();
        }
    }

    private static TierConfig tier(Medium medium, Path root, long mebibytes) {
        return new TierConfig(medium, root.toString(), Bytes.ofMiB(mebibytes));
    }

    private TieredBuffer open(TierConfig... tiers) throws IOException {
        var buffer = TieredBuffer.open(List.of(tiers), BufferOptions.DEFAULT);
        buffer.onOvergrown((item, generation, attempt, next, message) -> told.add(new Told(item, next, message)));
        return buffer;
    }

    private Process sh(ItemSpace space, String script) throws IOException {
        var p = new ProcessBuilder("sh", "-c", script)
                .directory(Path.of(space.work()).toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        processes.add(p);
        return p;
    }

    @Test
    @DisplayName(
            "M4 an item that outgrows its tier is named with the next one; a neighbour that met ENOSPC and exited 0 is distrusted; "
                    + "one that ran before is not")
    void movesTheItemThatOutgrows() throws Exception {
        try (var tmpfs = Tmpfs.mount(folder.resolve("m"), 128);
                var buffer = open(
                        tier(Medium.MEMORY, tmpfs.folder().resolve("b"), 128),
                        tier(Medium.DISK, folder.resolve("d"), 1024))) {
            var before = buffer.admit(1, 1, 1, MIB, 0);
            before.running(true);
            assertThat(sh(before, "head -c 100000 /dev/zero > x").waitFor()).isZero();
            before.running(false);
            assertThat(before.distrusted()).isFalse();

            var hog = buffer.admit(2, 1, 1, MIB, 0);
            var neighbour = buffer.admit(3, 1, 1, MIB, 0);
            hog.running(true);
            neighbour.running(true);
            var ignorant =
                    sh(neighbour, "while [ ! -e ../in/stop ]; do head -c 8192 /dev/zero > y || true; done; exit 0");
            var writer = sh(hog, "head -c 300000000 /dev/zero > big");
            Wait.until("the hog is named", () -> !told.isEmpty());
            assertThat(told).first().satisfies(t -> {
                assertThat(t.item()).isEqualTo(2);
                assertThat(t.nextTier()).isEqualTo(1);
                assertThat(t.message())
                        .startsWith("has outgrown buffer tier 0 (Memory " + tmpfs.folder())
                        .contains("tier 1 (Disk " + folder.resolve("d"));
            });
            writer.waitFor(20, TimeUnit.SECONDS);
            assertThat(hog.distrusted()).isTrue();
            Files.createFile(Path.of(neighbour.in(), "stop"));
            assertThat(ignorant.waitFor()).isZero();
            neighbour.running(false);
            assertThat(neighbour.distrusted()).isTrue();
            assertThat(before.distrusted()).as("its steps had ended").isTrue();
            hog.discard();

            var again = buffer.admit(2, 1, 1, MIB, 1);
            assertThat(again.tier()).isEqualTo(1);
            again.running(true);
            assertThat(sh(again, "head -c 300000000 /dev/zero > big").waitFor()).isZero();
            again.running(false);
            assertThat(again.distrusted()).isFalse();
            neighbour.discard();
            var next = buffer.admit(3, 1, 2, MIB, 0);
            next.running(true);
            assertThat(next.distrusted()).as("a new attempt is trusted").isFalse();
            assertThat(told).hasSize(1);
        }
    }

    @Test
    @DisplayName("M4 without a next tier the item is told so: tier, needed and free are named")
    void saysWhenThereIsNoNextTier() throws Exception {
        try (var tmpfs = Tmpfs.mount(folder.resolve("m"), 100);
                var buffer = open(tier(Medium.MEMORY, tmpfs.folder().resolve("b"), 100))) {
            var hog = buffer.admit(1, 1, 1, MIB, 0);
            hog.running(true);
            sh(hog, "head -c 300000000 /dev/zero > big");
            Wait.until("the hog is named", () -> !told.isEmpty());
            assertThat(told.getFirst().nextTier()).isEqualTo(-1);
            assertThat(told.getFirst().message())
                    .contains("No lower tier could hold it")
                    .contains("MiB are free")
                    .contains("were reserved");
            assertThat(told).hasSize(1);
        }
    }

    @Test
    @DisplayName(
            "M4 on a tier that is smaller than its file system the size counts, nobody meets ENOSPC, and nobody is distrusted but the hog")
    void keepsADiskTierBelowItsSize() throws Exception {
        try (var buffer =
                open(tier(Medium.DISK, folder.resolve("a"), 100), tier(Medium.DISK, folder.resolve("b"), 1000))) {
            var hog = buffer.admit(1, 1, 1, MIB, 0);
            var neighbour = buffer.admit(2, 1, 1, MIB, 0);
            hog.running(true);
            neighbour.running(true);
            var writer = sh(hog, "i=0; while [ $i -lt 400 ]; do head -c 1000000 /dev/zero > f$i; i=$((i+1)); done");
            Wait.until("the hog is named", () -> !told.isEmpty());
            writer.destroyForcibly().waitFor();
            assertThat(told.getFirst().nextTier()).isEqualTo(1);
            assertThat(hog.distrusted()).isTrue();
            assertThat(neighbour.distrusted()).isFalse();
            hog.discard();
            assertThat(buffer.admit(1, 1, 1, MIB, 1).tier()).isEqualTo(1);
        }
    }

    @Test
    @DisplayName("M3 a working set far above the buffer streams through it: below 90 % in every sample")
    void streamsALargeWorkingSet() throws Exception {
        long item = 12 * MIB;
        try (var tmpfs = Tmpfs.mount(folder.resolve("m"), 256);
                var buffer = TieredBuffer.open(
                        List.of(tier(Medium.MEMORY, tmpfs.folder().resolve("b"), 256)),
                        BufferOptions.DEFAULT.withDeclaredGrowth(item + MIB));
                // A thread each: a virtual one holds its carrier while it writes, and two writers would not fill the
                // tier.
                var tasks = Executors.newCachedThreadPool()) {
            buffer.onOvergrown((i, generation, attempt, next, message) -> told.add(new Told(i, next, message)));
            long size = Posix.statfs(tmpfs.folder().toString()).sizeBytes();
            var done = new AtomicBoolean();
            var highest = new AtomicLong();
            var sampler = tasks.submit(() -> {
                while (!done.get()) {
                    highest.accumulateAndGet(
                            size - Posix.statfs(tmpfs.folder().toString()).freeBytes(), Math::max);
                    TimeUnit.MILLISECONDS.sleep(1);
                }
                return null;
            });
            var items = new ArrayList<Future<?>>();
            var bytes = new byte[(int) item];
            for (int i = 0; i < 100; i++) {
                int n = i;
                items.add(tasks.submit(() -> {
                    var space = buffer.admit(n, 1, 1, Buffer.footprint(item), 0);
                    Files.write(Path.of(space.in(), "input"), bytes);
                    space.running(true);
                    Files.write(Path.of(space.out(), "output"), bytes);
                    space.running(false);
                    assertThat(space.distrusted()).isFalse();
                    if (n % 3 == 0) {
                        space.retire();
                    } else {
                        space.discard();
                    }
                    return null;
                }));
            }
            try {
                for (var i : items) {
                    i.get();
                }
            } finally {
                done.set(true);
            }
            sampler.get();
            assertThat(highest.get()).isGreaterThan(size / 2).isLessThan(size / 10 * 9 + MIB);
            assertThat(told).isEmpty();
            assertThat(buffer.use().getFirst().evictions()).isPositive();
        }
    }

    @Test
    @DisplayName(
            "M9 90 % dirty: admission waits, nothing dirty is evicted, and it goes on when something is given back")
    void waitsUnderDirtyPressure() throws Exception {
        try (var tmpfs = Tmpfs.mount(folder.resolve("m"), 100);
                var buffer = open(tier(Medium.MEMORY, tmpfs.folder().resolve("b"), 100));
                var tasks = Executors.newVirtualThreadPerTaskExecutor()) {
            var clean = buffer.admit(1, 1, 1, 10 * MIB, 0);
            Files.write(Path.of(clean.in(), "x"), new byte[(int) (10 * MIB)]);
            clean.retire();
            var dirty = buffer.admit(2, 1, 1, 16 * MIB, 0);
            Files.write(Path.of(dirty.in(), "x"), new byte[(int) (16 * MIB)]);
            Files.write(Path.of(dirty.out(), "x"), new byte[(int) (48 * MIB)]);
            var next = tasks.submit(() -> buffer.admit(3, 1, 1, 10 * MIB, 0));
            Wait.until("it waits", () -> buffer.waiting() == 1);
            assertThat(buffer.tryAdmit(4, 1, 1, MIB, 0)).isEmpty();
            assertThat(Path.of(dirty.out(), "x")).hasSize(48 * MIB);
            dirty.discard();
            next.get().discard();
            assertThat(told).isEmpty();
        }
    }

    @Test
    @DisplayName(
            "I6 others fill the file system: admission waits, then fails naming tier, needed and free; when there is room again it goes on")
    void waitsForOthersAndSaysSo() throws Exception {
        var options = BufferOptions.DEFAULT.withPatience(Duration.ofMillis(300));
        try (var tmpfs = Tmpfs.mount(folder.resolve("m"), 200);
                var buffer = TieredBuffer.open(
                        List.of(tier(Medium.MEMORY, tmpfs.folder().resolve("b"), 200)), options)) {
            var others = tmpfs.folder().resolve("others");
            Files.write(others, new byte[(int) (150 * MIB)]);
            assertThatThrownBy(() -> buffer.admit(1, 1, 1, 50 * MIB, 0))
                    .isInstanceOf(NoRoomException.class)
                    .hasMessageContaining("Memory " + tmpfs.folder())
                    .hasMessageContaining("are needed")
                    .hasMessageContaining("MiB to give");
            assertThat(buffer.waiting()).isZero();
            Files.delete(others);
            buffer.admit(1, 1, 1, 50 * MIB, 0).discard();
        }
    }
}
