package io.forebay.rig;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A shell that lets a process open too few files. */
class OpenFilesIT extends RigTest {
    @Test
    @DisplayName(
            "M8 with ulimit -n 64 whatever fails is told with where the limit comes from and what is enough; with 1024 nothing is said of it")
    void limitIsNamed() throws Exception {
        rig.input("a", "value");
        rig.job("cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/\"");
        var failed = rig.descriptors(64).run();
        keepsBuffer = true;
        assertThat(failed.exit()).as(failed.all()).isNotZero();
        assertThat(failed.err()).contains("files open at once (ulimit -n)").contains("1024 is enough");

        var good = rig.descriptors(1024).run("--fresh");
        assertThat(good.exit()).as(good.all()).isZero();
        assertThat(good.all()).doesNotContain("ulimit");
    }
}
