package io.forebay.sidecar.store.posix;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MountPointsTest {
    @TempDir
    Path folder;

    private static String line(String point) {
        return "36 35 98:0 / " + point + " rw,noatime master:1 - ext3 /dev/root rw,errors=continue\n";
    }

    @Test
    void takesTheDeepestMountPoint() throws Exception {
        var file = Files.writeString(
                folder.resolve("mountinfo"), line("/") + line("/mnt") + line("/mnt/a\\040b") + line("/mnt/x"));
        var mounts = new MountPoints(file, System::nanoTime);
        assertThat(mounts.of("/mnt/a b/c/d")).isEqualTo("/mnt/a b");
        assertThat(mounts.of("/mnt/x")).isEqualTo("/mnt/x");
        assertThat(mounts.of("/mnt/xy")).isEqualTo("/mnt");
        assertThat(mounts.of("/mn")).isEqualTo("/");
    }

    @Test
    void noticesNewMountPoints() throws Exception {
        var now = new AtomicLong();
        var file = Files.writeString(folder.resolve("mountinfo"), line("/"));
        var mounts = new MountPoints(file, now::get);
        assertThat(mounts.of("/mnt/x")).isEqualTo("/");
        Files.writeString(file, line("/") + line("/mnt"));
        assertThat(mounts.of("/mnt/x")).isEqualTo("/");
        now.set(3_000_000_000L);
        assertThat(mounts.of("/mnt/x")).isEqualTo("/mnt");
    }

    @Test
    void worksWithoutTheKernelsList() {
        assertThat(new MountPoints(folder.resolve("absent"), System::nanoTime).of("/mnt/x"))
                .isEqualTo("/");
    }

    @Test
    void readsTheRealList() {
        assertThat(new MountPoints().of("/proc/self/maps")).isEqualTo("/proc");
    }
}
