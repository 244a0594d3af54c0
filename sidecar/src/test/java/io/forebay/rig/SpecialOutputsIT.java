package io.forebay.rig;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What a rule of {@code outputs} selects and nobody can publish. */
class SpecialOutputsIT extends RigTest {
    private static final String MAKE =
            "cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/$FOREBAY_STEM.txt\"; mkfifo \"$FOREBAY_OUT/$FOREBAY_STEM.pipe\"";

    @Test
    @DisplayName(
            "N9 a FIFO among selected outputs is told by name, at once and in the summary; the files beside it are durable")
    void fifoBesideAFile() throws Exception {
        rig.input("a", "one");
        rig.job(MAKE);

        var result = rig.run();

        assertThat(result.exit()).as(result.all()).isZero();
        assertThat(rig.published()).containsOnly(Map.entry("a.txt", "one"));
        assertThat(result.out())
                .contains("item a left a.pipe (a FIFO): no file, so it cannot be published")
                .contains("note: outputs select what steps left: a.pipe (a FIFO) of item a: no file");
    }

    @Test
    @DisplayName("N9 of many FIFOs the first are named and all are counted, also in the JSON summary")
    void many() throws Exception {
        rig.input("a", "one");
        rig.job("for i in $(seq 1 30); do mkfifo \"$FOREBAY_OUT/p$i\"; done; echo x > \"$FOREBAY_OUT/x\"");

        var result = rig.run("-o", "json");

        assertThat(result.exit()).as(result.all()).isZero();
        assertThat(result.out()).contains("and 10 more: no files, so they cannot be published");
    }

    @Test
    @DisplayName("N9 a required output that only a FIFO matches fails the item, and says so")
    void required() throws Exception {
        rig.input("a", "one");
        rig.job(
                MAKE,
                "  outputs:",
                "  - {name: out, path: '*.pipe', required: true, to: 'file://" + rig.results() + "/'}");

        var result = rig.run();

        assertThat(result.exit()).as(result.all()).isEqualTo(1);
        assertThat(result.out())
                .contains("left no file for its required output out")
                .contains("selected is a.pipe (a FIFO): no file, so it cannot be published");
        assertThat(rig.published()).isEmpty();
    }

    @Test
    @DisplayName("N9 forebay flush names the FIFOs that it leaves out")
    void flush() throws Exception {
        rig.input("a", "one");
        new ProcessBuilder("mkfifo", rig.inputs().resolve("pipe").toString())
                .start()
                .waitFor();

        var result = rig.command("flush", rig.inputs().toString(), rig.results() + "/");

        assertThat(result.exit()).as(result.all()).isZero();
        assertThat(result.err()).contains("left out: pipe (a FIFO): no file, so it cannot be published");
        assertThat(rig.published()).containsOnly(Map.entry("a", "one"));
    }
}
