package io.forebay.rig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.forebay.sidecar.os.FileTree;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Very many files in one folder: what is kept for each must not add up. */
@Tag("slow")
class ManyFilesIT extends RigTest {
    private static final int FILES = 200_000;
    private static final int SIZE = 4096;
    /** Twice all of it, in pages. */
    private static final long MOST_BYTES = 2L * FILES * SIZE * 5 / 4;

    @Test
    @DisplayName("Z3 M2 200,000 files of 4 KiB in one folder: stage-in and flush carry all, each within 256 MiB")
    void inAndOut() throws Exception {
        // In memory: a disk's fsyncs are not what this is about.
        long free = Path.of("/dev/shm").toFile().getUsableSpace();
        assumeTrue(free >= MOST_BYTES, () -> "/dev/shm has " + (free >> 20) + " MiB free of " + (MOST_BYTES >> 20));
        var folder = Files.createTempDirectory(Path.of("/dev/shm"), "forebay-test-many-");
        try {
            var in = Files.createDirectory(folder.resolve("in"));
            var content = ByteBuffer.allocate(SIZE);
            for (int i = 0; i < FILES; i++) {
                Files.write(in.resolve("f" + i), content.putInt(0, i).array());
            }
            carry("stage-in", "staged in", in + "/", folder.resolve("mid").toString());
            FileTree.delete(in.toString());
            carry("flush", "flushed", folder.resolve("mid").toString(), "file://" + folder.resolve("out") + "/");
            for (int i = 0; i < FILES; i++) {
                var there = ByteBuffer.wrap(Files.readAllBytes(folder.resolve("out/f" + i)));
                assertThat(there.remaining()).as("size of f%d", i).isEqualTo(SIZE);
                assertThat(there.getInt(0)).as("first bytes of f%d", i).isEqualTo(i);
            }
            try (var names = Files.list(folder.resolve("out"))) {
                assertThat(names.count()).as("nothing but these").isEqualTo(FILES);
            }
        } finally {
            FileTree.delete(folder.toString());
        }
    }

    private void carry(String command, String did, String from, String to) throws Exception {
        var process = rig.start(command, from, to);
        var peak = EngineWatch.until(process, () -> 0);
        System.out.println("[many] " + command + ": " + peak);
        var result = rig.await(process);
        assertThat(result.exit()).as(result.all()).isZero();
        assertThat(result.all()).contains(did + ": " + FILES + " files");
        assertThat(peak.residentMib()).as("resident memory, MiB").isBetween(1L, 255L);
        assertThat(peak.descriptors()).as("descriptors").isLessThan(900);
    }
}
