package io.forebay.sidecar.buffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.sidecar.buffer.Buffer.NeverFitsException;
import io.forebay.sidecar.buffer.Ledger.State;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class LedgerTest {
    /** Usual up to 900, alone up to 970. */
    private static Ledger.Limits of1000(String label) {
        return new Ledger.Limits(label, 1000, 900, 30);
    }

    private final Ledger one = new Ledger(List.of(of1000("Memory /m")));
    private final Ledger two =
            new Ledger(List.of(of1000("Memory /m"), new Ledger.Limits("Disk /d", 10_000, 9000, 300)));

    @Test
    @DisplayName("M5 one tier of 1000, one input of 2000: refused with both sizes")
    void refusesWhatNeverFits() {
        assertThatThrownBy(() -> one.request(2000, 8000, 0))
                .isInstanceOf(NeverFitsException.class)
                .hasMessageContaining("2000 bytes")
                .hasMessageContaining("Memory /m of 1000 B holds at most 970 B");
        assertThatThrownBy(() -> two.request(1, 1, 2)).hasMessageContaining("no tier is left");
        assertThat(one.waitingClaims()).isZero();
    }

    @Test
    void anItemWhoseGrowthIsOnlyExpectedGetsTheLargestTierAlone() throws NeverFitsException {
        var small = two.request(10, 20, 0);
        var giant = two.request(500, 50_000, 0);
        assertThat(two.grant()).containsExactly(small, giant);
        assertThat(small.tier()).isZero();
        assertThat(giant.tier()).isEqualTo(1);
        assertThat(giant.reservedBytes()).isEqualTo(9700);
    }

    @Test
    void spillsToTheNextTierWhenTheFirstIsFull() throws NeverFitsException {
        var first = two.request(600, 600, 0);
        var second = two.request(400, 400, 0);
        var third = two.request(300, 300, 0);
        assertThat(two.grant()).containsExactly(first, second, third);
        assertThat(List.of(first.tier(), second.tier(), third.tier())).containsExactly(0, 1, 0);
    }

    @Test
    void whatOnlyALowerTierCanHoldDoesNotHoldUpTheUpperOne() throws NeverFitsException {
        var fill = two.request(9000, 9000, 0);
        var waits = two.request(5000, 5000, 0);
        var small = two.request(100, 100, 0);
        assertThat(two.grant()).containsExactly(fill, small);
        assertThat(waits.state()).isEqualTo(State.WAITING);
        assertThat(small.tier()).isZero();
    }

    @Test
    void aLargeItemIsNotStarvedBySmallOnes() throws NeverFitsException {
        var small = one.request(100, 100, 0);
        one.grant();
        var large = one.request(950, 950, 0);
        for (int i = 0; i < 10; i++) {
            one.request(100, 100, 0);
        }
        assertThat(one.grant()).isEmpty();
        one.leave(small);
        assertThat(one.grant()).isEmpty();
        one.gone(small);
        assertThat(one.grant()).containsExactly(large);
    }

    @Test
    @DisplayName(
            "M9 with 90 % in use or dirty nothing is evicted and admission waits; clean data leaves least recently used first")
    void evictsCleanDataOnly() throws NeverFitsException {
        var old = one.request(200, 200, 0);
        var young = one.request(200, 200, 0);
        var dirty = one.request(500, 500, 0);
        one.grant();
        for (var c : List.of(old, young, dirty)) {
            one.observe(c, c.reservedBytes());
        }
        var next = one.request(150, 150, 0);
        assertThat(one.grant()).isEmpty();
        assertThat(one.takeEvicted()).isEmpty();
        one.retire(old);
        one.retire(young);
        assertThat(one.grant()).isEmpty();
        assertThat(one.takeEvicted()).containsExactly(old);
        assertThat(one.evictions(0)).isEqualTo(1);
        one.grant();
        assertThat(one.takeEvicted()).as("no more than needed").isEmpty();
        one.gone(old);
        assertThat(one.grant()).containsExactly(next);
        assertThat(young.state()).isEqualTo(State.CLEAN);
        assertThat(dirty.state()).isEqualTo(State.LIVE);
    }

    @Test
    void growthBeyondTheReservationHoldsUpOthers() throws NeverFitsException {
        var grows = one.request(100, 100, 0);
        one.grant();
        one.observe(grows, 850);
        var next = one.request(100, 100, 0);
        assertThat(one.grant()).isEmpty();
        one.observe(grows, 90);
        assertThat(one.grant()).containsExactly(next);
    }

    @Test
    void whatOthersPutOnTheFileSystemCounts() throws NeverFitsException {
        one.setAvailable(0, 50);
        var claim = one.request(100, 100, 0);
        assertThat(one.grant()).isEmpty();
        assertThat(one.anythingMayLeave()).isFalse();
        one.setAvailable(0, 100);
        assertThat(one.grant()).containsExactly(claim);
    }

    @Test
    @DisplayName("I6 clean data whose place would not be enough is nothing to wait for")
    void cleanDataIsNotWaitedFor() throws NeverFitsException {
        var done = one.request(100, 100, 0);
        one.grant();
        one.observe(done, 100);
        one.retire(done);
        one.setAvailable(0, 150);
        var claim = one.request(200, 200, 0);
        assertThat(one.grant()).isEmpty();
        assertThat(one.anythingMayLeave()).isFalse();
        one.setAvailable(0, 200);
        assertThat(one.grant()).containsExactly(claim);
        assertThat(one.takeEvicted()).containsExactly(done);
    }

    @Test
    @DisplayName("C8 a closed tier takes nothing, the next one does")
    void passesOverAClosedTier() throws NeverFitsException {
        two.setOpen(0, false);
        var claim = two.request(100, 100, 0);
        assertThat(two.grant()).containsExactly(claim);
        assertThat(claim.tier()).isEqualTo(1);
        two.setOpen(1, false);
        var waits = two.request(100, 100, 0);
        assertThat(two.grant()).isEmpty();
        two.setOpen(0, true);
        assertThat(two.grant()).containsExactly(waits);
        assertThat(waits.tier()).isZero();
    }

    @Test
    void sharedInputsLeaveLessForItemsAndThoseThatNeverFitThenAreRefused() throws NeverFitsException {
        var item = one.request(100, 100, 0);
        one.grant();
        var waits = one.request(900, 900, 0);
        var shared = one.requestPermanent(400);
        assertThat(one.grant()).isEmpty();
        one.cancel(waits);
        assertThat(one.grant()).containsExactly(shared);
        assertThatThrownBy(() -> one.request(900, 900, 0)).hasMessageContaining("holds at most 570 B");
        var next = one.request(570, 570, 0);
        assertThat(one.grant()).isEmpty();
        one.leave(item);
        one.gone(item);
        assertThat(one.grant()).containsExactly(next);
    }

    @Test
    void aWaitingClaimThatCanNeverBeHeldAnyMoreIsRefused() throws NeverFitsException {
        var shared = two.requestPermanent(600);
        var waits = two.request(9500, 9500, 0);
        var blocker = two.adopt(1, 8000, 8000, false);
        assertThat(two.grant()).containsExactly(shared);
        two.adopt(1, 500, 500, true);
        assertThat(two.grant()).containsExactly(waits);
        assertThat(waits.state()).isEqualTo(State.REFUSED);
        assertThat(blocker.state()).isEqualTo(State.LIVE);
    }

    @Test
    @DisplayName(
            "what is stranded counts as it is, is never waited for, and what it leaves no room is refused, whoever else is there")
    void strandedDataIsNotWaitedFor() throws NeverFitsException {
        var kept = one.request(100, 600, 0);
        var lives = one.request(100, 300, 0);
        one.grant();
        one.observe(kept, 500);
        one.strand(kept);
        assertThat(one.chargedBytes(0)).isEqualTo(800);
        var large = one.request(100, 480, 0);
        var fits = one.request(100, 450, 0);
        var small = one.request(100, 100, 0);
        assertThat(one.grant()).containsExactly(large);
        assertThat(large.state()).isEqualTo(State.REFUSED);
        assertThat(one.isStrandedOut(large)).isTrue();
        assertThat(List.of(fits.state(), small.state()))
                .as("these wait for the one that lives")
                .containsOnly(State.WAITING);
        one.leave(lives);
        one.gone(lives);
        assertThat(one.grant()).containsExactly(fits);
        one.leave(fits);
        one.gone(fits);
        assertThat(one.grant()).containsExactly(small);
        one.leave(small);
        one.gone(small);
        assertThat(one.anythingMayLeave()).isFalse();
    }

    @Test
    void whatIsStrandedInTheUpperTierLeavesTheLowerOne() throws NeverFitsException {
        var kept = two.request(700, 700, 0);
        two.grant();
        two.observe(kept, 700);
        two.strand(kept);
        var next = two.request(700, 700, 0);
        assertThat(two.grant()).containsExactly(next);
        assertThat(next.tier()).isEqualTo(1);
    }
}
