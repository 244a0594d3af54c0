package io.forebay.rig;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One item, and a few, from store to destination through every part: the first thing to look at when something is broken. */
class ThinThreadIT {
    private JobRig rig;

    @BeforeEach
    void rig(@TempDir Path folder) {
        rig = new JobRig(folder);
    }

    @AfterEach
    void ends() {
        rig.close();
    }

    @Test
    @DisplayName("one file goes through the buffer, a command and back")
    void oneItem() throws Exception {
        rig.input("a.txt", "hello\n");
        rig.job("tr a-z A-Z < \"$FOREBAY_INPUT\" > \"$FOREBAY_OUT/$FOREBAY_NAME\"");

        var result = rig.run();

        assertThat(result.exit()).as(result.all()).isZero();
        assertThat(rig.published()).containsOnly(java.util.Map.entry("a.txt", "HELLO\n"));
        assertThat(rig.leftovers()).isEmpty();
        assertThat(rig.records()).isDirectory();
    }

    @Test
    @DisplayName("items pass through two steps that share $(WORK), and keep their folders with $(DIR)")
    void twoSteps() throws Exception {
        for (int i = 0; i < 20; i++) {
            rig.input("sub-" + i + "/v.txt", "n" + i);
        }
        rig.job(
                "",
                """
                  steps:
                  - {name: first, command: [cp, $(INPUT), $(WORK)/copy]}
                  - name: second
                    command: [sh, -c, 'cat "$FOREBAY_WORK/copy" "$FOREBAY_WORK/copy" > "$FOREBAY_OUT/$FOREBAY_STEM.out"']
                """.stripTrailing(),
                "  outputs: [{name: out, path: '*.out', to: 'file://" + rig.results() + "/$(DIR)/'}]");

        var result = rig.run();

        assertThat(result.exit()).as(result.all()).isZero();
        assertThat(rig.published()).hasSize(20).containsEntry("sub-7/v.out", "n7n7");
    }

    @Test
    @DisplayName("a second run of a finished job runs nothing and exits 0")
    void again() throws Exception {
        rig.input("a.txt", "x");
        rig.job("echo ran >> \"" + rig.home().resolve("ran") + "\"; cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/\"");

        assertThat(rig.run().exit()).isZero();
        assertThat(rig.run().exit()).isZero();

        assertThat(Files.readAllLines(rig.home().resolve("ran"))).hasSize(1);
    }

    @Test
    @DisplayName(
            "D9 two of ten items fail: eight are published, exit 1, both named with step, exit code and last lines")
    void someFail() throws Exception {
        for (int i = 0; i < 10; i++) {
            rig.input("f" + i, "v" + i);
        }
        rig.job(
                "case $FOREBAY_NAME in f3|f5) echo about to fail; exit 9;; esac; cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/\"",
                "  retry: {item: 0}");

        var result = rig.run();

        assertThat(result.exit()).as(result.all()).isEqualTo(1);
        assertThat(rig.published()).hasSize(8).doesNotContainKeys("f3", "f5");
        assertThat(result.all())
                .contains("f3")
                .contains("f5")
                .contains("work")
                .contains("9")
                .contains("about to fail");
    }

    @Test
    @DisplayName("D10 a required output that matches nothing fails the item")
    void missingOutput() throws Exception {
        rig.input("a", "x");
        rig.job(
                "true",
                "  retry: {item: 0}",
                "  outputs: [{name: out, path: '*.nii', to: 'file://" + rig.results() + "/', required: true}]");

        var result = rig.run();

        assertThat(result.exit()).as(result.all()).isEqualTo(1);
        assertThat(result.all()).contains("MissingOutput").contains("*.nii");
    }

    @Test
    @DisplayName("R7 retry.item: 2 and a command that always fails: started exactly 3 times")
    void retries() throws Exception {
        rig.input("a", "x");
        rig.job("echo ran >> \"" + rig.home().resolve("ran") + "\"; exit 4", "  retry: {item: 2}");

        var result = rig.run();

        assertThat(result.exit()).as(result.all()).isEqualTo(1);
        assertThat(Files.readAllLines(rig.home().resolve("ran"))).hasSize(3);
    }

    @Test
    @DisplayName(
            "K8 where the kernel can confine it, a command reads its inputs and writes its own folders, and sees no journal and no other item")
    void confined() throws Exception {
        org.junit.jupiter.api.Assumptions.assumeTrue(
                StepRunnerBinary.path().isPresent(), "left out: no step runner could be built");
        var disk = Files.createDirectories(
                Path.of("target", "fenced-" + System.nanoTime()).toAbsolutePath());
        org.junit.jupiter.api.Assumptions.assumeFalse(
                disk.startsWith("/tmp") || disk.startsWith(System.getProperty("user.home")),
                "left out: the checkout lies where Landlock cannot close a folder");
        rig.environment("FOREBAY_DISK", disk.toString());
        rig.input("a", "x").input("b", "y");
        rig.job("""
                cat "$FOREBAY_INPUT" > "$FOREBAY_OUT/$FOREBAY_NAME"
                cat %1$s/*/journal > "$FOREBAY_OUT/stolen-$FOREBAY_NAME" 2>/dev/null || rm "$FOREBAY_OUT/stolen-$FOREBAY_NAME"
                for d in %1$s/*/items/*/in/in/*; do [ "$d" = "$FOREBAY_INPUT" ] || cat "$d" > "$FOREBAY_OUT/other-$FOREBAY_NAME" 2>/dev/null; done
                find "$FOREBAY_OUT" -name 'other-*' -empty -delete
                true
                """.formatted(disk), "  buffer: {tiers: [{medium: Disk, size: 64Mi}]}");

        var result = rig.run();

        assertThat(result.exit()).as(result.all()).isZero();
        assertThat(rig.published()).containsOnlyKeys("a", "b");
        io.forebay.sidecar.os.FileTree.delete(disk.toString());
    }
}
