package io.forebay.sidecar.buffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.api.job.Job.Medium;
import io.forebay.api.value.Bytes;
import io.forebay.sidecar.buffer.Buffer.NeverFitsException;
import io.forebay.sidecar.buffer.Buffer.NoRoomException;
import io.forebay.testing.Wait;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TieredBufferTest {
    private static final long MIB = 1 << 20;

    @TempDir
    Path folder;

    private TierConfig tier(String name, long mebibytes) {
        return new TierConfig(Medium.DISK, folder.resolve(name).toString(), Bytes.ofMiB(mebibytes));
    }

    private TieredBuffer open(TierConfig... tiers) throws IOException {
        return TieredBuffer.open(List.of(tiers), BufferOptions.DEFAULT);
    }

    private static void assertNothingIsHeld(Buffer buffer) {
        Wait.until(
                "all space is given back",
                () -> buffer.use().stream().allMatch(t -> t.reservedBytes() == 0 && t.usedBytes() == 0));
    }

    private static List<Path> below(Path folder) throws IOException {
        try (var all = Files.list(folder)) {
            return all.toList();
        }
    }

    @Test
    void givesAnItemAFolderOfItsOwnAndTakesItBackWithAllInIt() throws Exception {
        try (var buffer = open(tier("a", 256))) {
            var space = buffer.admit(17, 2, 1, MIB, 0);
            assertThat(Path.of(space.path())).hasParent(folder.resolve("a/items"));
            assertThat(space.path()).startsWith(folder.resolve("a/items/17.2.") + space.mark());
            assertThat(space.in()).isEqualTo(space.path() + "/in");
            for (var f : List.of(space.in(), space.work(), space.out())) {
                assertThat(Path.of(f)).isEmptyDirectory();
            }
            assertThat(space.inputsKept()).isFalse();
            Files.createDirectories(Path.of(space.work(), "deep/er"));
            Files.write(Path.of(space.work(), "deep/er/x"), new byte[10_000]);
            assertThat(space.growth()).isBetween(10_000L, 100_000L);
            assertThat(buffer.use().getFirst().reservedBytes()).isGreaterThan(3 * MIB);
            space.discard();
            space.discard();
            assertThat(Path.of(space.path())).doesNotExist();
            assertNothingIsHeld(buffer);
            Wait.until(
                    "the trash is empty",
                    () -> folder.resolve("a/trash").toFile().list().length == 0);
        }
        assertThat(folder.resolve("a")).doesNotExist();
    }

    @Test
    @DisplayName("M5 one tier of 1 GiB, one input of 2 GiB: refused with both sizes, nothing written")
    void refusesWhatNeverFits() throws Exception {
        try (var buffer = open(tier("a", 1024))) {
            assertThatThrownBy(() -> buffer.admit(1, 1, 1, 2048 * MIB, 0))
                    .isInstanceOf(NeverFitsException.class)
                    .hasMessageContaining("2.0 GiB")
                    .hasMessageContaining("1.0 GiB");
            assertThat(folder.resolve("a/items")).isEmptyDirectory();
            assertNothingIsHeld(buffer);
        }
    }

    @Test
    void waitsForRoomInTheOrderOfAsking() throws Exception {
        var declared = BufferOptions.DEFAULT.withDeclaredGrowth(0);
        try (var buffer = TieredBuffer.open(List.of(tier("a", 100)), declared);
                var tasks = Executors.newVirtualThreadPerTaskExecutor()) {
            var first = buffer.admit(1, 1, 1, 50 * MIB, 0);
            var second = tasks.submit(() -> buffer.admit(2, 1, 1, 60 * MIB, 0));
            Wait.until("the second waits", () -> buffer.waiting() == 1);
            assertThat(buffer.tryAdmit(3, 1, 1, MIB, 0)).as("does not overtake").isEmpty();
            first.discard();
            var space = second.get();
            assertThat(buffer.tryAdmit(3, 1, 1, MIB, 0)).isPresent().get().satisfies(Buffer.ItemSpace::discard);
            space.discard();
            assertNothingIsHeld(buffer);
        }
    }

    @Test
    void whoIsInterruptedWhileWaitingLeavesNothingBehindAndOthersGoOn() throws Exception {
        var declared = BufferOptions.DEFAULT.withDeclaredGrowth(0);
        try (var buffer = TieredBuffer.open(List.of(tier("a", 100)), declared);
                var tasks = Executors.newVirtualThreadPerTaskExecutor()) {
            var first = buffer.admit(1, 1, 1, 50 * MIB, 0);
            var large = tasks.submit(() -> buffer.admit(2, 1, 1, 70 * MIB, 0));
            Wait.until("the large one waits", () -> buffer.waiting() == 1);
            var small = tasks.submit(() -> buffer.admit(3, 1, 1, 10 * MIB, 0));
            Wait.until("the small one waits", () -> buffer.waiting() == 2);
            large.cancel(true);
            small.get().discard();
            first.discard();
            assertNothingIsHeld(buffer);
            assertThat(buffer.waiting()).isZero();
        }
    }

    @Test
    void whoWaitsWhenItIsClosedIsTold() throws Exception {
        try (var tasks = Executors.newVirtualThreadPerTaskExecutor()) {
            var buffer = open(tier("a", 100));
            buffer.admit(1, 1, 1, 80 * MIB, 0);
            var waits = tasks.submit(() -> buffer.admit(2, 1, 1, 80 * MIB, 0));
            Wait.until("it waits", () -> buffer.waiting() == 1);
            buffer.close();
            assertThatThrownBy(waits::get).hasRootCauseMessage("the buffer is closed");
            buffer.close();
        }
    }

    @Test
    void spillsDownAndNeverUp() throws Exception {
        var declared = BufferOptions.DEFAULT.withDeclaredGrowth(0);
        try (var buffer = TieredBuffer.open(List.of(tier("a", 100), tier("b", 1000)), declared)) {
            assertThat(buffer.admit(1, 1, 1, 60 * MIB, 0).tier()).isZero();
            assertThat(buffer.admit(2, 1, 1, 60 * MIB, 0).tier()).isEqualTo(1);
            assertThat(buffer.admit(3, 1, 1, MIB, 1).tier()).isEqualTo(1);
            assertThat(buffer.admit(4, 1, 1, MIB, 0).tier()).isZero();
        }
    }

    @Test
    @DisplayName("M9 clean data stays until its place is needed, and is found again; what is in use is not evicted")
    void keepsRetiredInputs() throws Exception {
        var declared = BufferOptions.DEFAULT.withDeclaredGrowth(MIB);
        try (var buffer = TieredBuffer.open(List.of(tier("a", 100)), declared)) {
            var space = buffer.admit(1, 1, 1, 40 * MIB, 0);
            Files.write(Path.of(space.in(), "input"), new byte[(int) (40 * MIB)]);
            Files.write(Path.of(space.out(), "result"), new byte[1000]);
            space.retire();
            var again = buffer.admit(1, 1, 2, 40 * MIB, 0);
            assertThat(again.inputsKept()).isTrue();
            assertThat(Path.of(again.in(), "input")).exists();
            assertThat(Path.of(again.out())).isEmptyDirectory();
            var inUse = buffer.admit(2, 1, 1, 20 * MIB, 0);
            again.retire();
            var needs = buffer.admit(3, 1, 1, 50 * MIB, 0);
            assertThat(Path.of(again.path())).doesNotExist();
            assertThat(Path.of(inUse.in())).exists();
            assertThat(buffer.use().getFirst().evictions()).isEqualTo(1);
            var third = buffer.tryAdmit(1, 1, 3, MIB, 0);
            assertThat(third).isPresent();
            assertThat(third.get().inputsKept()).isFalse();
            needs.discard();
        }
    }

    @Test
    @DisplayName(
            "A1 no attempt gets a path that another had: what a dead one still writes is nobody's output, and goes in the end")
    void noPathTwice() throws Exception {
        try (var buffer = open(tier("a", 256))) {
            var lost = buffer.admit(1, 1, 1, MIB, 0);
            Files.createSymbolicLink(Path.of(lost.out(), "link"), Path.of("/etc"));
            lost.discard();
            var second = buffer.admit(1, 1, 2, MIB, 0);
            assertThat(second.path()).isNotEqualTo(lost.path());
            Files.createDirectories(Path.of(lost.out()));
            Files.write(Path.of(lost.out(), "late"), new byte[1 << 20]);
            assertThat(Path.of(second.out())).isEmptyDirectory();
            assertThat(second.growth()).isLessThan(100_000);
            Files.write(Path.of(second.in(), "input"), new byte[100]);
            second.retire();
            var third = buffer.admit(1, 1, 3, MIB, 0);
            assertThat(third.path()).isNotIn(lost.path(), second.path());
            assertThat(Path.of(third.in(), "input")).hasSize(100);
            Wait.until("the former folder is gone", () -> !Files.exists(Path.of(second.path())));
        }
        assertThat(folder.resolve("a")).doesNotExist();
        assertThat(Path.of("/etc/passwd")).exists();
    }

    @Test
    void emptiesWorkAndOut() throws Exception {
        try (var buffer = open(tier("a", 256))) {
            var space = buffer.admit(1, 1, 1, MIB, 0);
            Files.write(Path.of(space.in(), "input"), new byte[100]);
            Files.write(Path.of(space.work(), "half"), new byte[5000]);
            Files.createSymbolicLink(Path.of(space.out(), "link"), Path.of("/etc"));
            space.empty();
            assertThat(Path.of(space.work())).isEmptyDirectory();
            assertThat(Path.of(space.out())).isEmptyDirectory();
            assertThat(Path.of(space.in(), "input")).exists();
            assertThat(space.growth()).isLessThan(10_000);
        }
        assertThat(Path.of("/etc/passwd")).exists();
    }

    @Test
    void expectsWhatIsDeclaredElseLearnedElseThreeTimesTheInputs() throws Exception {
        try (var buffer = TieredBuffer.open(List.of(tier("a", 256)), BufferOptions.DEFAULT.withDeclaredGrowth(7))) {
            assertThat(buffer.expectedGrowth(MIB)).isEqualTo(7);
        }
        try (var buffer = open(tier("a", 256))) {
            assertThat(buffer.expectedGrowth(10 * MIB)).isBetween(30 * MIB, 32 * MIB);
            buffer.learned(10 * MIB, MIB);
            assertThat(buffer.expectedGrowth(10 * MIB)).isLessThan(3 * MIB);
        }
    }

    @Test
    @DisplayName("C1 a killed worker's items are taken up where they lay, the rest is removed")
    void adoptsAfterARestart() throws Exception {
        var first = open(tier("a", 256));
        var kept = first.admit(1, 1, 1, MIB, 0);
        Files.write(Path.of(kept.in(), "input"), new byte[5000]);
        var unknown = first.admit(2, 1, 1, MIB, 0);
        Files.write(Path.of(unknown.in(), "input"), new byte[5000]);
        Files.createDirectories(folder.resolve("a/trash/9-half-removed"));
        Files.write(folder.resolve("a/trash/9-half-removed/x"), new byte[5000]);
        assertThatThrownBy(() -> open(tier("a", 256)))
                .hasMessageContaining("in use")
                .hasMessageContaining(folder.resolve("a").toString());
        first.close(true);
        try (var second = open(tier("a", 256))) {
            assertThat(second.adopt(1, 1, 1, 0, "", MIB)).as("of an older life").isEmpty();
            assertThat(second.adopt(1, 1, 1, 0, "../" + kept.mark(), MIB)).isEmpty();
            assertThat(second.adopt(1, 1, 1, 0, unknown.mark(), MIB)).isEmpty();
            var space = second.adopt(1, 1, 1, 0, kept.mark(), MIB);
            assertThat(space).isPresent();
            assertThat(space.get().inputsKept()).isTrue();
            assertThat(Path.of(space.get().in(), "input")).exists();
            assertThat(space.get().path()).isEqualTo(kept.path());
            assertThat(second.adopt(1, 1, 1, 0, kept.mark(), MIB))
                    .as("once only")
                    .isEmpty();
            assertThat(second.adopt(3, 1, 1, 0, unknown.mark(), MIB)).isEmpty();
            assertThat(second.adopt(2, 1, 1, 7, unknown.mark(), MIB)).isEmpty();
            second.adoptionDone();
            assertThat(Path.of(unknown.path())).doesNotExist();
            Wait.until(
                    "the trash is empty",
                    () -> folder.resolve("a/trash").toFile().list().length == 0);
            space.get().discard();
            assertNothingIsHeld(second);
        }
    }

    @Test
    void sharedInputsAreFoundAgainAndBelievedOnlyIfTheyWereComplete() throws Exception {
        var options = BufferOptions.DEFAULT;
        var tiers = List.of(tier("a", 256));
        for (boolean complete : new boolean[] {false, true}) {
            var first = TieredBuffer.open(tiers, options);
            var shared = first.admitShared("atlas", MIB);
            assertThat(shared.inputsKept()).isFalse();
            Files.write(Path.of(shared.in(), "atlas.nii"), new byte[5000]);
            if (complete) {
                shared.inputsComplete();
            }
            first.close(true);
            try (var second = TieredBuffer.open(tiers, options)) {
                second.admit(1, 1, 1, MIB, 0);
                var again = second.admitShared("atlas", MIB);
                assertThat(again.in()).isEqualTo(shared.in());
                assertThat(again.inputsKept()).isEqualTo(complete);
                assertThat(Path.of(again.in(), "atlas.nii")).exists();
            }
        }
        try (var buffer = TieredBuffer.open(tiers, options)) {
            assertThatThrownBy(() -> buffer.admitShared("../x", 1)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    @DisplayName("C8 a tier that gives EIO twice is passed over, then tried again and used")
    void closesABrokenTierForAWhile() throws Exception {
        var offset = new AtomicLong();
        var options = new BufferOptions(
                OptionalLong.empty(),
                OptionalInt.empty(),
                Duration.ofMinutes(5),
                () -> System.nanoTime() + offset.get());
        try (var buffer = TieredBuffer.open(List.of(tier("a", 256), tier("b", 256)), options)) {
            buffer.tierFailed(0, new IOException("Input/output error"));
            assertThat(buffer.admit(1, 1, 1, MIB, 0).tier())
                    .as("once is nothing")
                    .isZero();
            buffer.tierFailed(0, new IOException("Input/output error"));
            assertThat(buffer.admit(2, 1, 1, MIB, 0).tier()).isEqualTo(1);
            offset.set(Duration.ofSeconds(11).toNanos());
            Wait.until("the tier is tried and opened", () -> tierOf(buffer) == 0);
        }
    }

    private static int tierOf(Buffer buffer) {
        try {
            var space = buffer.admit(3, 1, 1, MIB, 0);
            space.discard();
            return space.tier();
        } catch (NeverFitsException | NoRoomException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    @DisplayName("an item that is tried again waits until the attempt before has let go of its folder")
    void nextAttemptWaitsForTheOneBefore() throws Exception {
        try (var buffer = open(tier("a", 256))) {
            var before = buffer.admit(1, 1, 1, MIB, 0);
            Files.write(Path.of(before.out(), "result"), new byte[1000]);
            assertThat(buffer.tryAdmit(1, 1, 2, MIB, 0)).isEmpty();
            var next = java.util.concurrent.CompletableFuture.supplyAsync(() -> {
                try {
                    return buffer.admit(1, 1, 2, MIB, 0);
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            });
            before.discard();
            assertThat(Path.of(
                            next.get(20, java.util.concurrent.TimeUnit.SECONDS).out()))
                    .isEmptyDirectory();
        }
    }

    @Test
    @DisplayName("C8 a tier whose folder has gone is passed over")
    void passesOverATierWhoseFolderIsGone() throws Exception {
        try (var buffer = open(tier("a", 256), tier("b", 256))) {
            Files.delete(folder.resolve("a/items"));
            assertThat(buffer.admit(1, 1, 1, MIB, 0).tier()).isEqualTo(1);
        }
    }

    @Test
    @DisplayName(
            "M10 1,000 items of random sizes on tiers of random sizes: never over, all served, nothing held in the end")
    void servesAThousandItems() throws Exception {
        long seed = System.nanoTime();
        var random = new Random(seed);
        var sizes = List.of(64 + random.nextInt(200), 64 + random.nextInt(2000));
        var over = new AtomicBoolean();
        var done = new AtomicBoolean();
        try (var buffer = TieredBuffer.open(
                        List.of(tier("a", sizes.get(0)), tier("b", sizes.get(1))),
                        BufferOptions.DEFAULT.withDeclaredGrowth(0));
                var tasks = Executors.newVirtualThreadPerTaskExecutor()) {
            var sampler = tasks.submit(() -> {
                while (!done.get()) {
                    for (var t : buffer.use()) {
                        if (t.reservedBytes() > t.sizeBytes() - TierConfig.floorBytes(t.sizeBytes())) {
                            over.set(true);
                        }
                    }
                    LockSupport.parkNanos(1_000_000);
                }
            });
            var items = new ArrayList<Future<?>>();
            for (int i = 0; i < 1000; i++) {
                int item = i;
                long bytes = (long) (random.nextDouble() * random.nextDouble() * (sizes.get(1) - 20) * MIB * 0.97);
                boolean shortLived = random.nextBoolean();
                items.add(tasks.submit(() -> {
                    var space = buffer.admit(item, 1, 1, bytes, 0);
                    if (shortLived) {
                        space.discard();
                    } else {
                        space.retire();
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
            assertThat(over).as("seed %d, sizes %s", seed, sizes).isFalse();
            Wait.until("nothing is reserved", () -> buffer.use().stream().allMatch(t -> t.reservedBytes() == 0));
        }
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void openingOnAFileSystemWithTooLittleRoomSaysSo() throws Exception {
        try (var tmpfs = Tmpfs.mount(folder.resolve("small"), 100)) {
            var root = tmpfs.folder().resolve("buffer").toString();
            try (var buffer = TieredBuffer.open(
                    List.of(new TierConfig(Medium.MEMORY, root, Bytes.ofGiB(1))), BufferOptions.DEFAULT)) {
                assertThat(buffer.remarks())
                        .singleElement()
                        .asString()
                        .contains("1.0 GiB")
                        .contains("100.0 MiB");
                assertThat(buffer.use().getFirst().sizeBytes()).isBetween(99 * MIB, 100 * MIB);
            }
            Files.write(tmpfs.folder().resolve("others"), new byte[(int) (60 * MIB)]);
            assertThatThrownBy(() -> TieredBuffer.open(
                            List.of(new TierConfig(Medium.MEMORY, root, Bytes.ofGiB(1))), BufferOptions.DEFAULT))
                    .hasMessageContaining("Memory " + root)
                    .hasMessageContaining("40.0 MiB free");
        }
        assertThat(below(folder)).hasSize(1);
    }
}
