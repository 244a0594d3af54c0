package io.forebay.rig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A container's own idea of the machine: memory tiers go where there is room, and the user hears of it. */
class ContainerIT extends RigTest {
    @BeforeEach
    void namespaces() throws Exception {
        var can = new ProcessBuilder("unshare", "--mount", "mount", "-t", "tmpfs", "none", "/dev/shm")
                .inheritIO()
                .start()
                .waitFor();
        assumeTrue(can == 0, "left out: no mount namespace can be made here");
    }

    @ParameterizedTest
    @CsvSource({"size=64m, --shm-size", "ro, cannot be written to by this user"})
    @DisplayName("/dev/shm of 64 MiB, or read-only: the memory tier lies on disk, told once, and the run succeeds")
    void smallSharedMemory(String options, String told) throws Exception {
        for (int i = 0; i < 4; i++) {
            rig.input("f" + i, new byte[20 << 20]);
        }
        rig.sharedMemory(options).job("cat \"$FOREBAY_INPUT\" \"$FOREBAY_INPUT\" > \"$FOREBAY_OUT/$FOREBAY_NAME\"");

        var result = rig.run();

        assertThat(result.exit()).as(result.all()).isZero();
        assertThat(result.all())
                .containsOnlyOnce("memory tier 0 lies on disk, in " + rig.home())
                .contains(told);
        for (int i = 0; i < 4; i++) {
            assertThat(Files.size(rig.results().resolve("f" + i))).isEqualTo(40 << 20);
        }
    }
}
