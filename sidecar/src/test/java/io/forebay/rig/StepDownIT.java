package io.forebay.rig;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** How {@code forebay coordinator} ends before its job does, and for whom its end waits. */
class StepDownIT extends ApartTest {
    @Test
    @DisplayName(
            "C2 --on-sigterm=step-down: SIGTERM in mid-run ends the coordinator alone; started again the job ends durable, no command runs twice")
    void stepsDown() throws Exception {
        items(20);
        rig.job(script("sleep 0.4"), "  workers: {slots: 2}");
        var first = apart.coordinator("--run-id", "one", "--on-sigterm=step-down");
        var a = worker("a");
        var b = worker("b");
        awaiting("some are done", () -> apart.entries("completed").size() >= 4);
        signal(first, "TERM");
        var ofFirst = rig.await(first);
        assertThat(ofFirst.exit()).as(ofFirst.all()).isEqualTo(75);
        assertThat(ofFirst.out()).contains("SIGTERM: stepping down").contains("has stepped down (exit 75)");
        assertThat(apart.entries("ended")).as("the run's end is not recorded").isEmpty();
        assertThat(apart.entries("completed")).hasSizeLessThan(20);

        var second = apart.coordinatorAgain("--run-id", "one", "--on-sigterm=step-down");
        var result = rig.await(second);

        assertThat(result.exit()).as(result.all()).isZero();
        assertThat(rig.await(a).exit()).isZero();
        assertThat(rig.await(b).exit()).isZero();
        assertEachPublishedOnce(20);
        assertThat(lines("ran")).as(result.all()).hasSize(20);
    }

    @Test
    @DisplayName(
            "SIGINT cancels the job all the same, and who holds items is named while it drains; resumed it is finished")
    void interruptCancels() throws Exception {
        items(4);
        rig.job(script(waitIf("a", "go")), BOTH_STAY);
        var coordinator = apart.lease("6s").coordinator("--on-sigterm=step-down");
        var a = worker("a");
        awaiting("a computes", () -> ranBy("a").size() == 2);
        signal(a, "STOP");
        signal(coordinator, "INT");
        var result = rig.await(coordinator);
        assertThat(result.exit()).as(result.all()).isEqualTo(130);
        assertThat(result.out()).contains("waiting for worker a").contains("which holds");

        kill(a);
        touch("go");
        var resumed = apart.coordinator("--resume");
        var again = worker("a");
        assertThat(rig.await(resumed).exit()).isZero();
        assertThat(rig.await(again).exit()).isZero();
        assertEachPublishedOnce(4);
    }

    @Test
    @DisplayName("a worker that is silent when the job ends is waited for, and who it is and until when is told")
    void whomItAwaits() throws Exception {
        items(2);
        rig.job(script(waitIf("a", "go")), BOTH_STAY);
        var coordinator = apart.lease("6s").coordinator();
        var a = worker("a");
        awaiting("a computes", () -> ranBy("a").size() == 2);
        var b = worker("b");
        awaiting("b is there", () -> apart.get("/status", ApartRig.TOKEN).contains("\"workers\":2"));
        signal(b, "STOP");
        touch("go");

        var result = rig.await(coordinator);

        assertThat(result.exit()).as(result.all()).isZero();
        assertThat(result.out())
                .containsPattern(
                        "waiting for worker b on \\S+, which has not heard yet that the job is over; last heard of"
                                + " \\d+ s ago \\(.*Z\\), until .*Z at most");
        assertThat(rig.await(a).exit()).isZero();
        kill(b);
        assertEachPublishedOnce(2);
        keepsBuffer = true;
    }
}
