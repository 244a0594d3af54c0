package io.forebay.rig;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.HashSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** {@code forebay coordinator} and {@code forebay buffer}: one coordinator and two workers, each a process of its own, on one machine. */
class ApartIT extends RigTest {
    private ApartRig apart;

    @BeforeEach
    void apart() throws IOException {
        apart = new ApartRig(rig);
    }

    private void items(int count) {
        for (int i = 0; i < count; i++) {
            rig.input("f%03d".formatted(i), "value " + i);
        }
    }

    /** Each command says that it began, and under which worker's buffer. */
    private String script(String rest) {
        return "echo $FOREBAY_NAME $FOREBAY_OUT >> \"" + rig.home().resolve("ran") + "\"\n" + rest
                + "\ncp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/\"";
    }

    private void assertEachPublishedOnce(int count) throws IOException {
        assertThat(rig.published()).hasSize(count);
        for (int i = 0; i < count; i++) {
            assertThat(rig.published()).containsEntry("f%03d".formatted(i), "value " + i);
        }
        assertThat(apart.completions())
                .as("one completion record for each item")
                .hasSize(count);
    }

    @Test
    @DisplayName(
            "a coordinator and two workers carry 60 items: each output published once, recorded once, all end with 0")
    void twoWorkers() throws Exception {
        items(60);
        rig.job(script("sleep 0.1"), "  workers: {slots: 2}");
        var coordinator = apart.coordinator();
        var a = apart.worker("a");
        var b = apart.worker("b");

        var result = rig.await(coordinator);
        var ofA = rig.await(a);
        var ofB = rig.await(b);

        assertThat(result.exit()).as(result.all() + ofA.all() + ofB.all()).isZero();
        assertThat(ofA.exit()).as(ofA.all()).isZero();
        assertThat(ofB.exit()).as(ofB.all()).isZero();
        assertEachPublishedOnce(60);
        assertThat(lines("ran")).hasSize(60);
        var workers = new HashSet<String>();
        lines("ran").forEach(l -> workers.add(l.replaceAll(".*/forebay-[^/]*-([0-9a-f]{8})-0/.*", "$1")));
        assertThat(workers).as("both had a part").hasSize(2);
        assertThat(result.out()).contains("60 of 60 items done").contains("all selected outputs are durable");
        assertThat(result.all() + ofA.all() + ofB.all())
                .as("the token is nowhere to be read")
                .doesNotContain(ApartRig.TOKEN);
    }
}
