package io.forebay.sidecar.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.api.value.Bytes;
import io.forebay.testing.Wait;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.IntToDoubleFunction;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@link TokenBucket}, {@link AdaptiveLimit}, {@link Gate}. */
@Timeout(60)
class LimitsTest {
    private static final long MS = 1_000_000;

    /** Whoever asks for how much when. */
    @Property(tries = 100)
    @Label("Z6 at most a tenth above the limit over any 10 s")
    void keepsTheRateOverAnyTenSeconds(
            @ForAll @LongRange(min = 100_000, max = 200_000_000) long rate,
            @ForAll @Size(min = 1, max = 50) List<@IntRange(max = 3000) Integer> pauses) {
        var timing = new ManualTiming();
        var bucket = new TokenBucket(rate, timing);
        var granted = new ArrayDeque<long[]>();
        long inWindow = 0;
        for (int i = 0; i < 2000; i++) {
            timing.advance(Duration.ofMillis(i % 40 == 0 ? pauses.get(i / 40 % pauses.size()) : 0));
            int piece = bucket.largestPiece();
            try {
                bucket.take(piece);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            granted.add(new long[] {timing.nanos(), piece});
            inWindow += piece;
            while (granted.getFirst()[0] < timing.nanos() - 10_000 * MS) {
                inWindow -= granted.removeFirst()[1];
            }
            assertThat(inWindow).isLessThanOrEqualTo(rate * 11);
        }
    }

    @Test
    void doesNotLoseBandwidthEither() throws Exception {
        var timing = new ManualTiming();
        var bucket = new TokenBucket(50_000_000, timing);
        for (int i = 0; i < 1000; i++) {
            bucket.take(1 << 20);
        }
        assertThat(1000.0 * (1 << 20) / timing.nanos() * 1e9).isBetween(50e6, 52e6);
    }

    /**
     * A store, simulated: throughput and latency as functions of the requests at once.
     *
     * @return the limit at the end of each second
     */
    private static List<Integer> simulate(
            AdaptiveLimit limit, int seconds, IntToDoubleFunction mibPerSecond, IntToDoubleFunction latencyMillis) {
        var limits = new ArrayList<Integer>();
        long now = 0;
        for (int step = 0; step < seconds * 100; step++) {
            now += 10 * MS;
            int n = limit.limit();
            limit.moved((long) (mibPerSecond.applyAsDouble(n) * 10_485));
            limit.latency(false, (long) (latencyMillis.applyAsDouble(n) * MS));
            limit.tick(now, true);
            if (step % 100 == 99) {
                limits.add(limit.limit());
            }
        }
        return limits;
    }

    @Test
    void findsTheNumberThatALinkNeeds() {
        // 91 MB/s each, 1250 MB/s in all: 14 fill the link
        var limits = simulate(new AdaptiveLimit(8, 64, true), 10, n -> Math.min(87.0 * n, 1190), n -> 100);
        assertThat(limits.getLast()).isBetween(12, 32);
        var wide = simulate(new AdaptiveLimit(8, 64, true), 10, n -> 10.0 * n, n -> 20);
        assertThat(wide.get(1)).isEqualTo(64);
    }

    @Test
    void aDiskThatGainsNothingGetsNoMoreRequests() {
        var limits = simulate(new AdaptiveLimit(8, 64, true), 20, n -> 120, n -> 8.0 * n);
        assertThat(limits.getLast()).isLessThanOrEqualTo(12);
    }

    @Test
    @DisplayName("Z6 latency that rises fivefold under our load: requests go down until it falls")
    void goesDownWhenLatencyRises() {
        var limit = new AdaptiveLimit(8, 64, true);
        simulate(limit, 5, n -> 10.0 * n, n -> 10);
        assertThat(limit.limit()).isEqualTo(64);
        // others have come: above 6 of ours the store is overloaded
        var limits = simulate2(limit, 5_000, 5, n -> 100, n -> n > 6 ? 80 : 12);
        assertThat(limits.getLast()).isLessThanOrEqualTo(8);
        // they have gone again
        assertThat(simulate2(limit, 10_000, 20, n -> 10.0 * n, n -> 10).getLast())
                .isGreaterThan(32);
    }

    private static List<Integer> simulate2(
            AdaptiveLimit limit, long startMillis, int seconds, IntToDoubleFunction mib, IntToDoubleFunction latency) {
        var limits = new ArrayList<Integer>();
        for (int step = 0; step < seconds * 100; step++) {
            int n = limit.limit();
            limit.moved((long) (mib.applyAsDouble(n) * 10_485));
            limit.latency(false, (long) (latency.applyAsDouble(n) * MS));
            limit.tick((startMillis + step * 10L) * MS, true);
            limits.add(limit.limit());
        }
        return limits;
    }

    @Test
    void aStoreThatIsSlowForOtherReasonsDoesNotStopUs() {
        var limit = new AdaptiveLimit(8, 64, true);
        simulate(limit, 5, n -> 10.0 * n, n -> 10);
        var limits = simulate2(limit, 5_000, 60, n -> 10.0 * n, n -> 300);
        assertThat(limits.getLast()).isGreaterThan(8);
    }

    @Test
    @DisplayName("R6 many failures halve the requests, once per epoch")
    void failuresHalveItOncePerEpoch() {
        var limit = new AdaptiveLimit(32, 64, true);
        limit.overloaded(1);
        assertThat(limit.limit()).as("one alone").isEqualTo(32);
        limit.overloaded(2);
        limit.overloaded(3);
        assertThat(limit.limit()).isEqualTo(16);
        limit.tick(AdaptiveLimit.EPOCH_NANOS + 2, true);
        limit.overloaded(AdaptiveLimit.EPOCH_NANOS + 3);
        limit.overloaded(AdaptiveLimit.EPOCH_NANOS + 4);
        assertThat(limit.limit()).isEqualTo(8);
    }

    @Test
    @DisplayName("I1 an object that always fails does not slow down its store")
    void aFewFailuresAmongManyAnswersAreNoOverload() {
        var limit = new AdaptiveLimit(32, 32, true);
        limit.tick(0, true);
        for (int i = 0; i < 1000; i++) {
            limit.latency(true, 20 * MS);
            if (i % 25 == 24) {
                limit.overloaded(i);
            }
        }
        assertThat(limit.limit()).isEqualTo(32);
    }

    @Property(tries = 50)
    void staysWithinItsBounds(@ForAll @Size(min = 1, max = 300) List<@IntRange(max = 1000) Integer> events) {
        var limit = new AdaptiveLimit(8, 20, true);
        long now = 0;
        for (int e : events) {
            now += e * MS;
            switch (e % 4) {
                case 0 -> limit.overloaded(now);
                case 1 -> limit.latency(e % 8 == 1, e * 10L * MS);
                case 2 -> limit.moved(e * 1000L);
                default -> limit.tick(now, e % 3 == 0);
            }
            assertThat(limit.limit()).isBetween(1, 20);
        }
    }

    @Test
    void withoutAdaptionItStaysWhereItIs() {
        var limit = new AdaptiveLimit(8, 4, false);
        limit.overloaded(1);
        assertThat(simulate(limit, 3, n -> 1, n -> 1000).getLast()).isEqualTo(4);
    }

    private static Gate gate(int limit, long maxBytes) {
        return new Gate(new AdaptiveLimit(limit, limit, false), limit, maxBytes, Timing.SYSTEM);
    }

    @Test
    void aFileWithFewerRequestsRunningComesFirst() throws Exception {
        var gate = gate(2, Long.MAX_VALUE);
        var big = new Gate.Claim();
        var small = new Gate.Claim();
        var first = gate.acquire(big, 1);
        var second = gate.acquire(big, 1);
        var order = new ConcurrentLinkedQueue<String>();
        var bigger = Thread.ofVirtual().start(() -> hold(gate, big, "big", order));
        Wait.until("big waits", () -> bigger.getState() == Thread.State.WAITING);
        var smaller = Thread.ofVirtual().start(() -> hold(gate, small, "small", order));
        Wait.until("small waits", () -> smaller.getState() == Thread.State.WAITING);
        first.close();
        smaller.join();
        bigger.join();
        second.close();
        assertThat(order).containsExactly("small", "big");
        assertThat(gate.running()).isZero();
    }

    private static void hold(Gate gate, Gate.Claim claim, String name, ConcurrentLinkedQueue<String> order) {
        try (var permit = gate.acquire(claim, 1)) {
            order.add(name);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void requestsTogetherHoldNoMoreMemoryThanTheyMay() throws Exception {
        var gate = gate(64, 3L << 20);
        var claim = new Gate.Claim();
        List<Gate.Permit> permits = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            permits.add(gate.acquire(claim, 1 << 20));
        }
        var order = new ConcurrentLinkedQueue<String>();
        var waiter = Thread.ofVirtual().start(() -> hold(gate, claim, "fourth", order));
        Wait.until("the fourth waits", () -> waiter.getState() == Thread.State.WAITING);
        assertThat(order).isEmpty();
        permits.forEach(Gate.Permit::close);
        permits.forEach(Gate.Permit::close); // a second time: nothing
        waiter.join();
        assertThat(gate.running()).isZero();
    }

    @Test
    void oneWhoIsInterruptedWhileWaitingHoldsNothing() throws Exception {
        var gate = gate(1, Long.MAX_VALUE);
        var claim = new Gate.Claim();
        var permit = gate.acquire(claim, 1);
        var order = new ConcurrentLinkedQueue<String>();
        var waiter = Thread.ofVirtual().start(() -> hold(gate, claim, "never", order));
        Wait.until("it waits", () -> waiter.getState() == Thread.State.WAITING);
        waiter.interrupt();
        waiter.join();
        permit.close();
        assertThat(order).isEmpty();
        gate.acquire(claim, 1).close();
        assertThat(gate.running()).isZero();
    }

    @Test
    void aRequestLeftBehindMakesRoomButNotForMoreThanTheMost() throws Exception {
        var adaptive = new AdaptiveLimit(1, 3, true);
        var gate = new Gate(adaptive, 3, Long.MAX_VALUE, Timing.SYSTEM);
        var claim = new Gate.Claim();
        var hung = gate.acquire(claim, 1);
        hung.leave();
        hung.leave();
        var hungToo = gate.acquire(claim, 1);
        hungToo.leave();
        var third = gate.acquire(claim, 1);
        third.leave();
        assertThat(gate.running()).isEqualTo(3);
        var order = new ConcurrentLinkedQueue<String>();
        var waiter = Thread.ofVirtual().start(() -> hold(gate, claim, "fourth", order));
        Wait.until("the fourth waits", () -> waiter.getState() == Thread.State.WAITING);
        hung.close();
        hung.close();
        waiter.join();
        assertThat(order).containsExactly("fourth");
        hungToo.close();
        third.close();
        assertThat(gate.running()).isZero();
    }

    @Test
    void secondRequestsAreAtMostAQuarterOfTheLimit() {
        var gate = gate(8, Long.MAX_VALUE);
        var claim = new Gate.Claim();
        var one = gate.tryExtra(claim, 1);
        var two = gate.tryExtra(claim, 1);
        assertThat(one).isPresent();
        assertThat(two).isPresent();
        assertThat(gate.tryExtra(claim, 1)).isEmpty();
        one.orElseThrow().close();
        assertThat(gate.tryExtra(claim, 1)).isPresent();
    }

    @Test
    void limitsOfZeroAreRefusedByName() {
        assertThatThrownBy(() -> new StoreLimits(Optional.empty(), Optional.empty(), 1, 0, true))
                .hasMessageContaining("writers");
        assertThatThrownBy(() -> new StoreLimits(Optional.of(Bytes.ZERO), Optional.empty(), 1, 1, true))
                .hasMessageContaining("readBandwidth");
    }
}
