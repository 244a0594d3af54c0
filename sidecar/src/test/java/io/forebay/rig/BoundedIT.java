package io.forebay.rig;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.rig.EngineWatch.Peak;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Constant memory, descriptors and buffer: the whole command on inputs that are large, many, or larger than the buffer. */
class BoundedIT extends RigTest {
    private static final long MOST_MIB = 256;
    private static final int MOST_DESCRIPTORS = 900;
    private static final long MIB = 1L << 20;
    private static final String COPY = "cp --sparse=always \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/\"";
    private static final String GROUPED = "  forEach: {input: in, groupBy: '*'}";

    private record Ended(JobRig.Result result, Peak peak) {}

    private Ended run(java.util.function.LongSupplier other) throws Exception {
        var process = rig.descriptors(1024).startRun();
        var peak = EngineWatch.until(process, other);
        System.out.println("[bounds] " + peak);
        return new Ended(rig.await(process), peak);
    }

    private Ended runWell() throws Exception {
        var ended = run(() -> 0);
        assertThat(ended.result().exit()).as(ended.result().all()).isZero();
        assertThat(ended.peak().samples()).isGreaterThan(10);
        assertThat(ended.peak().residentMib())
                .as("resident memory of the engine, MiB")
                .isBetween(1L, MOST_MIB - 1);
        assertThat(ended.peak().descriptors()).as("descriptors of the engine").isBetween(1, MOST_DESCRIPTORS - 1);
        return ended;
    }

    private String input() {
        return "  - {name: in, source: \"file://" + rig.inputs() + "/\"}";
    }

    /** So many files of 10 KiB, each of other bytes. */
    private void small(String folder, int count) throws IOException {
        var content = new byte[10 << 10];
        for (int i = 0; i < count; i++) {
            content[i % content.length]++;
            rig.input(folder + "f" + i, content);
        }
    }

    private void assertSame(String inputs, int count) throws IOException {
        for (int i = 0; i < count; i++) {
            assertThat(Files.mismatch(
                            rig.inputs().resolve(inputs + "f" + i),
                            rig.results().resolve("f" + i)))
                    .as("f%d", i)
                    .isEqualTo(-1);
        }
    }

    @Test
    @Tag("slow")
    @DisplayName(
            "M2 a sparse file of 6 GiB goes in and out within 256 MiB, and stays sparse in the buffer and at the destination")
    void hugeSparseFile() throws Exception {
        long size = 6L << 30;
        try (var file = new RandomAccessFile(rig.inputs().resolve("sparse").toFile(), "rw")) {
            file.setLength(size);
            file.seek(size / 2 + 12345);
            file.write("an island".getBytes());
        }
        rig.job(COPY, "  buffer: {tiers: [{medium: Disk, size: 14Gi}]}", "  workers: {slots: 1}");

        runWell();

        var published = rig.results().resolve("sparse");
        assertThat(published).hasSize(size);
        assertThat(EngineWatch.blocks(published)).as("allocated bytes").isLessThan(4 * MIB);
        try (var file = new RandomAccessFile(published.toFile(), "r")) {
            var island = new byte[9];
            file.seek(size / 2 + 12345);
            file.readFully(island);
            assertThat(new String(island)).isEqualTo("an island");
        }
    }

    @Test
    @Tag("slow")
    @DisplayName(
            "M8 nofile 1024, 10,000 files as the inputs and outputs of one item: exit 0, below 900 descriptors and 256 MiB")
    void manyFilesInOneItem() throws Exception {
        small("group/", 10_000);
        rig.job(
                "cp \"$FOREBAY_INPUT_in\"/group/* \"$FOREBAY_OUT/\"",
                "  inputs:",
                input(),
                GROUPED,
                "  buffer: {tiers: [{medium: Memory, size: 1Gi}]}");

        runWell();

        assertSame("group/", 10_000);
    }

    @Test
    @Tag("slow")
    @DisplayName("M8 nofile 1024, 10,000 items of a file each: exit 0, below 900 descriptors and 256 MiB")
    void manyItems() throws Exception {
        small("", 10_000);
        rig.job("cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/\"", "  workers: {slots: 8}");

        runWell();

        assertSame("", 10_000);
    }

    @Test
    @DisplayName(
            "M3 an input of ten times the buffer streams through it: exit 0, below 90 % of the tier in every sample")
    void largerThanTheBuffer() throws Exception {
        long tier = 64 * MIB;
        int items = 128;
        var content = new byte[(int) (5 * MIB)];
        new java.util.Random(1).nextBytes(content);
        for (int i = 0; i < items; i++) {
            content[0] = (byte) i;
            rig.input("f" + i, content);
        }
        rig.job(
                "cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/\"",
                "  buffer: {tiers: [{medium: Memory, size: 64Mi}]}",
                "  workers: {slots: 2}");

        var ended = run(this::buffered);

        assertThat(ended.result().exit()).as(ended.result().all()).isZero();
        assertThat(ended.peak().residentMib()).isBetween(1L, MOST_MIB - 1);
        assertThat(ended.peak().other()).as("most bytes in the tier").isBetween(1L, tier * 9 / 10);
        for (int i = 0; i < items; i++) {
            content[0] = (byte) i;
            assertThat(Files.readAllBytes(rig.results().resolve("f" + i)))
                    .as("f%d", i)
                    .isEqualTo(content);
        }
    }

    private long buffered() {
        try {
            return buffers().stream()
                    .filter(p -> !p.toString().endsWith("-control"))
                    .mapToLong(EngineWatch::allocated)
                    .sum();
        } catch (IOException e) {
            return 0;
        }
    }

    @Test
    @DisplayName(
            "M4 a command that writes more than its tier holds runs again on the next tier, uncounted, and ends well")
    void outgrowsItsTier() throws Exception {
        rig.input("x", "1");
        rig.job(
                "echo ran >>\"" + rig.home()
                        + "/ran\"; for i in 1 2 3 4 5 6 7 8 9 10 11 12; do head -c 10485760 /dev/zero | tr '\\0' x "
                        + ">>\"$FOREBAY_OUT/big\" || exit 1; sleep 0.1; done",
                "  buffer: {tiers: [{medium: Memory, size: 64Mi}, {medium: Disk, size: 1Gi}]}",
                "  workers: {slots: 1}",
                "  retry: {item: 0}");

        var ended = run(() -> 0);

        assertThat(ended.result().exit()).as(ended.result().all()).isZero();
        assertThat(lines("ran")).hasSizeGreaterThanOrEqualTo(2);
        assertThat(rig.results().resolve("big")).hasSize(12L * 10 * MIB);
    }

    @Test
    @DisplayName("M4 without a next tier it fails as BufferFull, and the message names tier, needed and free")
    void outgrowsTheOnlyTier() throws Exception {
        rig.input("x", "1");
        rig.job(
                "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do head -c 10485760 /dev/zero | tr '\\0' x >>\"$FOREBAY_OUT/big\" || exit 1; sleep 0.1; done",
                "  buffer: {tiers: [{medium: Memory, size: 64Mi}]}",
                "  workers: {slots: 1}",
                "  retry: {item: 0}");

        var ended = run(() -> 0);

        assertThat(ended.result().exit()).as(ended.result().all()).isNotZero();
        assertThat(ended.result().all())
                .contains("BufferFull")
                .contains("item x has outgrown buffer tier 0")
                .containsPattern("[Mm]emory")
                .contains("64.0 MiB")
                .contains("free");
        assertThat(rig.published()).isEmpty();
    }

    @Test
    @Tag("slow")
    @DisplayName("M2 the plan of 200,000 files is summed up within 256 MiB")
    void planOfMany(@org.junit.jupiter.api.io.TempDir(factory = Shm.class) Path shm) throws Exception {
        for (int i = 0; i < 200_000; i++) {
            Files.createFile(shm.resolve("f" + i));
        }
        rig.job("true", "  inputs:", "  - {name: in, source: \"file://" + shm + "/\"}", "  forEach: {input: in}");
        var process =
                rig.start("plan", "--summary", rig.home().resolve("job.yaml").toString());
        var peak = EngineWatch.until(process, () -> 0);
        System.out.println("[bounds] " + peak);
        var result = rig.await(process);

        assertThat(result.exit()).as(result.all()).isZero();
        assertThat(result.out()).contains("200000");
        assertThat(peak.residentMib()).isBetween(1L, MOST_MIB - 1);
    }

    /** Memory: making so many files on a disk takes longer than the test. */
    static final class Shm implements org.junit.jupiter.api.io.TempDirFactory {
        @Override
        public Path createTempDirectory(
                org.junit.jupiter.api.extension.AnnotatedElementContext element,
                org.junit.jupiter.api.extension.ExtensionContext context)
                throws IOException {
            return Files.createTempDirectory(io.forebay.sidecar.os.RealFolders.quickest(), "rig-many-");
        }
    }
}
