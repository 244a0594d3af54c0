package io.forebay.rig;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What a dead worker leaves on its machine, and the next worker of the job there. */
class DeadWorkersIT extends ApartTest {
    @Test
    @DisplayName(
            "R8 the buffer of a worker that died is removed by the next one on its machine once its items are done elsewhere")
    void swept() throws Exception {
        items(6);
        rig.job(
                script(waitIf("a", "never") + "\n[ $FOREBAY_NAME != f005 ] || { " + waitIf("b", "last") + "; }"),
                BOTH_STAY);
        var coordinator = apart.lease("3s").coordinator();
        var a = worker("a");
        awaiting("a computes", () -> ranBy("a").size() == 2);
        var b = worker("b");
        kill(a);
        awaiting("all but the last are done", () -> apart.completions().size() == 5);
        int before = buffers().size();
        var early = worker("early");
        awaiting("it works", () -> apart.printed().contains("worker early of"));
        assertThat(buffers()).as("a had the last one too").hasSizeGreaterThan(before);
        assertThat(apart.printed()).doesNotContain("removed what worker a had left");
        touch("last");
        assertThat(rig.await(coordinator).exit()).isZero();
        assertThat(rig.await(b).exit()).isZero();
        assertThat(rig.await(early).exit()).isZero();
        assertThat(buffers()).as("a's is still there").isNotEmpty();

        rig.input("f006", "value 6");
        var again = apart.coordinator();
        var c = worker("c");
        var ofC = rig.await(c);

        assertThat(ofC.exit()).as(ofC.all()).isZero();
        assertThat(ofC.out()).contains("removed what worker a had left");
        assertThat(rig.await(again).exit()).isZero();
        assertEachPublishedOnce(7);
        assertThat(buffers()).isEmpty();
    }
}
