package io.forebay.sidecar.buffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.api.job.Job.Medium;
import io.forebay.sidecar.os.PosixProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BufferRootsTest {
    @TempDir
    Path folder;

    private final String own = "forebay-" + PosixProcess.euid() + "-";

    @Test
    void namesAreTheSameAgainAndTellUserAndJob() {
        assertThat(BufferRoots.memory("increment", "r1")).isEqualTo("/dev/shm/" + own + "increment-r1");
        assertThat(BufferRoots.memory("j".repeat(253), "r1").length()).isLessThan(255);
        assertThatThrownBy(() -> BufferRoots.memory("a/../b", "r1")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void theDiskIsTheFirstFolderThatIsNamedAndThere() throws IOException {
        var here = folder.toString();
        assertThat(BufferRoots.disk(Map.of("FOREBAY_DISK", here, "TMPDIR", "/tmp"), "j", "n"))
                .isEqualTo(here + "/" + own + "j-n");
        assertThat(BufferRoots.diskBase(Map.of("TMPDIR", here))).isEqualTo(here);
        assertThat(BufferRoots.diskBase(Map.of("TMPDIR", "relative", "XDG_CACHE_HOME", here)))
                .isEqualTo(here);
        Files.createDirectory(folder.resolve(".cache"));
        assertThat(BufferRoots.diskBase(Map.of("TMPDIR", here + "/missing", "HOME", here)))
                .isEqualTo(here + "/.cache");
        assertThat(BufferRoots.diskBase(Map.of())).isEqualTo("/var/tmp");
        assertThatThrownBy(() -> BufferRoots.diskBase(Map.of("FOREBAY_DISK", here + "/missing")))
                .hasMessageContaining("FOREBAY_DISK");
    }

    @Test
    void aFolderThatOthersCanReachIsRefused() throws IOException {
        var root = folder.resolve(own + "j-n");
        BufferRoots.make(root.toString());
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(root)))
                .isEqualTo("rwx------");
        BufferRoots.make(root.toString());
        Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThatThrownBy(() -> BufferRoots.make(root.toString()))
                .hasMessageContaining("not private")
                .hasMessageContaining("777");
        var link = folder.resolve(own + "j-link");
        Files.createSymbolicLink(link, Files.createDirectory(folder.resolve("elsewhere")));
        assertThatThrownBy(() -> BufferRoots.make(link.toString())).hasMessageContaining("SYMLINK");
    }

    @Test
    @DisplayName(
            "C9 a folder is used by a living process, or by none; others' folders, links and files are not looked at")
    void tellsWhatIsUsed() throws Exception {
        var dead = dead(own + "dead-1");
        dead("somebody-elses");
        var shared = dead(own + "shared-1");
        var live = folder.resolve(own + "live-1").toString();
        Files.createSymbolicLink(folder.resolve(own + "link"), Path.of(dead));
        Files.createFile(folder.resolve(own + "file"));
        try (var buffer = TieredBuffer.open(
                        List.of(new TierConfig(Medium.DISK, live, TierConfig.MIN_SIZE)), BufferOptions.DEFAULT);
                var one = BufferRoots.use(shared);
                var two = BufferRoots.use(shared)) {
            assertThat(buffer.use()).hasSize(1);
            assertThat(BufferRoots.ours(folder.toString())).containsExactlyInAnyOrder(dead, shared, live);
            assertThat(BufferRoots.ifUnused(dead, () -> "dead")).contains("dead");
            assertThat(BufferRoots.ifUnused(shared, () -> "dead")).isEmpty();
            assertThat(BufferRoots.ifUnused(live, () -> "dead")).isEmpty();
            assertThat(BufferRoots.ifUnused(live + "-missing", () -> "dead")).isEmpty();
            one.close();
            assertThat(BufferRoots.ifUnused(shared, () -> "dead")).isEmpty();
            two.close();
            assertThat(BufferRoots.ifUnused(shared, () -> "dead")).contains("dead");
        }
        assertThat(BufferRoots.ours(folder.resolve("missing").toString())).isEmpty();
    }

    private String dead(String name) throws IOException {
        var root = folder.resolve(name);
        Files.createDirectories(root.resolve("items/1.1/in"));
        Files.write(root.resolve("items/1.1/in/x"), new byte[10_000]);
        return root.toString();
    }
}
