package io.forebay.rig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Another process fills the file system of a buffer tier, or an output finds no room where it goes: who is to blame, and who is not. */
class CrowdedBufferIT extends RigTest {
    private static final int MIB = 1 << 20;

    private static byte[] bytes(int count) {
        var content = new byte[count];
        new Random(7).nextBytes(content);
        return content;
    }

    private static boolean command(String... command) throws Exception {
        var process = new ProcessBuilder(command).start();
        return process.waitFor(10, TimeUnit.SECONDS) && process.exitValue() == 0;
    }

    private static void mount(Path folder, String size) throws Exception {
        Files.createDirectories(folder);
        assumeTrue(
                command("mount", "-t", "tmpfs", "-o", "size=" + size, "tmpfs", folder.toString()),
                "left out: a small file system needs root and mount(8)");
    }

    private static void fill(Path file) {
        try (OutputStream out = Files.newOutputStream(file)) {
            var block = new byte[4096];
            while (true) {
                out.write(block);
            }
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("No space left");
        }
    }

    private String printed() {
        try {
            return Files.readString(rig.home().resolve("log-0.out"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private int ran() {
        try {
            return lines("ran").size();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    @DisplayName(
            "M4 I6 another process fills the tier's file system while commands write, which ignore it: said, run again uncounted when there is room, whole outputs, exit 0")
    void filledByOthers() throws Exception {
        var disk = rig.home().resolve("small");
        mount(disk, "160m");
        try {
            rig.environment("FOREBAY_DISK", disk.toString());
            for (int i = 0; i < 8; i++) {
                rig.input("f" + i, bytes(4 * MIB));
            }
            rig.job(
                    "echo ran >> '" + rig.home().resolve("ran") + "'; while [ ! -e '"
                            + rig.home().resolve("go")
                            + "' ]; do sleep 0.05; done; cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/\" || true",
                    "  buffer: {tiers: [{medium: Disk, size: 96Mi}]}",
                    "  retry: {item: 0}");
            var run = rig.startRun();
            eventually("commands run", () -> ran() >= 4);
            fill(disk.resolve("filler"));
            Files.writeString(rig.home().resolve("go"), "");
            try {
                eventually("it is said", () -> printed().contains("items wait for room: "));
            } catch (AssertionError e) {
                throw new AssertionError(e.getMessage() + "\n" + printed(), e);
            }
            assertThat(printed()).contains("nothing of this run is in the way").contains(disk.toString());
            Files.delete(disk.resolve("filler"));

            var result = rig.await(run);

            assertThat(result.exit()).as(result.all()).isZero();
            assertThat(rig.published()).hasSize(8);
            for (int i = 0; i < 8; i++) {
                assertThat(rig.results().resolve("f" + i)).hasBinaryContent(bytes(4 * MIB));
            }
            assertThat(ran()).as("some ran again").isGreaterThan(8);
        } finally {
            rig.close();
            command("umount", disk.toString());
        }
    }

    @Test
    @DisplayName(
            "D2 D4 one output larger than the destination's free space: it alone is listed, with bytes needed and free; the others are published, nothing partial is left, resume finishes")
    void oneTooLarge() throws Exception {
        keepsBuffer = true;
        var target = rig.home().resolve("small");
        mount(target, "24m");
        try {
            rig.input("a-large", bytes(40 * MIB));
            for (int i = 0; i < 10; i++) {
                rig.input("f" + i, bytes(MIB));
            }
            rig.job(
                    "cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/\"",
                    "  outputs: [{name: out, path: '**', to: 'file://" + target + "/'}]",
                    "  records: file://" + rig.results() + "/.forebay/");

            var result = rig.run();

            assertThat(result.exit()).as(result.all()).isEqualTo(74);
            assertThat(unexported())
                    .as(result.all())
                    .hasSize(1)
                    .first()
                    .asString()
                    .contains("a-large");
            assertThat(result.out()).contains("Needed: 41943040 bytes").contains("free at ");
            try (var names = Files.list(target)) {
                assertThat(names.map(p -> p.getFileName().toString()))
                        .hasSize(10)
                        .allMatch(n -> n.startsWith("f"));
            }
            assertThat(command("mount", "-o", "remount,size=64m", target.toString()))
                    .isTrue();
            var resumed = rig.command("resume", rig.home().resolve("job.yaml").toString());
            assertThat(resumed.exit()).as(resumed.all()).isZero();
            assertThat(target.resolve("a-large")).hasBinaryContent(bytes(40 * MIB));
            keepsBuffer = false;
        } finally {
            rig.close();
            command("umount", target.toString());
        }
    }
}
