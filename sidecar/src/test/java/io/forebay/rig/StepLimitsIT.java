package io.forebay.rig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Limits of steps on one machine, where nothing enforces them. */
class StepLimitsIT extends RigTest {

    @Test
    @DisplayName(
            "limits.memory of a step is said to be watched only; commands that used more are told once, and are done")
    void memoryIsWatched() throws Exception {
        assumeTrue(StepRunnerBinary.path().isPresent(), "left out: without the step runner short peaks are not seen");
        rig.input("a", "v").input("b", "v");
        rig.job("", """
                  steps:
                  - name: greedy
                    command: [sh, -c, 'dd if=/dev/zero of=/dev/null bs=64M count=2; cp "$FOREBAY_INPUT" "$FOREBAY_OUT/"']
                    resources: {limits: {memory: 16Mi}}
                """.stripTrailing());

        var result = rig.run();

        assertThat(result.exit()).as(result.all()).isZero();
        assertThat(rig.published()).containsOnlyKeys("a", "b");
        assertThat(result.out()).contains("limits.memory").contains("not enforced");
        assertThat(result.all().lines().filter(l -> l.contains("more than its limit of 16 MiB")))
                .as(result.all())
                .hasSize(1);
    }

    @Test
    @DisplayName("a job without limits is told nothing about them")
    void nothingToSay() throws Exception {
        rig.input("a", "v");
        rig.job("cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/\"");

        var result = rig.run();

        assertThat(result.exit()).as(result.all()).isZero();
        assertThat(result.all()).doesNotContain("limits.memory");
    }
}
