package io.forebay.sidecar.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.StoreException.Kind;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class RetryTest {
    private final ManualTiming timing = new ManualTiming();
    private final TransferCounters counters = new TransferCounters(InstantSource.fixed(Instant.EPOCH));
    private final Retry retry = new Retry(Retry.Policy.DEFAULT, timing, new Random(7), counters);

    private static Transfers.StoreCall<String> failingTimes(int times, Kind kind) {
        var calls = new AtomicInteger();
        return () -> {
            if (calls.incrementAndGet() <= times) {
                throw new StoreException(kind, "failure " + calls.get());
            }
            return "done after " + calls.get();
        };
    }

    @Test
    @DisplayName("R6 what may pass is tried again after growing random waits, and counted")
    void waitsLongerAndLonger() throws Exception {
        assertThat(retry.call("stat of x", failingTimes(7, Kind.TRANSIENT))).isEqualTo("done after 8");
        var sleeps = timing.sleeps();
        assertThat(sleeps).hasSize(7);
        long bound = 100;
        for (var sleep : sleeps) {
            assertThat(sleep).isBetween(Duration.ZERO, Duration.ofMillis(Math.min(bound, 10_000)));
            bound *= 2;
        }
        assertThat(sleeps.get(6)).as("random, but growing").isGreaterThan(Duration.ofMillis(100));
        assertThat(counters.retries()).isEqualTo(7);
        assertThat(counters.lastMessage().text()).isEqualTo("stat of x is tried again: failure 7");
    }

    @ParameterizedTest
    @CsvSource({"CORRUPT,4", "CREDENTIALS,3"})
    void endsAfterSoManyTries(Kind kind, int tries) {
        var call = failingTimes(1000, kind);
        assertThatThrownBy(() -> retry.call("x", call))
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.kind()).isEqualTo(kind))
                .hasMessageStartingWith("failure " + tries + " (tried " + tries + " times in ");
        assertThat(counters.retries()).isEqualTo(tries - 1);
    }

    @Test
    @DisplayName("R6 a store that is away for 55 s costs nothing; one that stays away is given up after a minute")
    void waitsForAServerThatIsStartedAgain() throws Exception {
        for (int seed = 0; seed < 200; seed++) {
            var time = new ManualTiming();
            var one = new Retry(Retry.Policy.DEFAULT, time, new Random(seed), counters);
            var back = one.call("x", () -> {
                if (time.nanos() < Duration.ofSeconds(55).toNanos()) {
                    throw new StoreException(Kind.TRANSIENT, "Connection refused");
                }
                return "back";
            });
            assertThat(back).isEqualTo("back");
        }
        assertThatThrownBy(() -> retry.call("x", failingTimes(1000, Kind.TRANSIENT)))
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.TRANSIENT))
                .hasMessageMatching("failure \\d+ \\(tried \\d+ times in [67]\\d\\.\\d s\\)");
        assertThat(Duration.ofNanos(timing.nanos())).isBetween(Duration.ofSeconds(60), Duration.ofSeconds(80));
    }

    @Test
    @DisplayName(
            "R6 an outage that many operations meet is told once when it begins and once when it is over; a hiccup never")
    void tellsAnOutageOnce() throws Exception {
        var told = new ArrayList<String>();
        counters.telling(told::add);
        retry.call("x", failingTimes(3, Kind.TRANSIENT));
        assertThat(told).isEmpty();

        try (var one = retry.begin("one");
                var other = retry.begin("other")) {
            for (int i = 0; i < 7; i++) {
                one.failed(new StoreException(Kind.TRANSIENT, "503"));
                other.failed(new StoreException(Kind.TRANSIENT, "503"));
            }
            assertThat(told).containsExactly("a store fails, and is tried again: 503");
            one.progressed();
            assertThat(told).hasSize(1);
            other.passed("done");
            assertThat(told).hasSize(2);
            assertThat(told.get(1)).matches("the store answers again, after \\d+ s");
        }
        assertThat(told).hasSize(2);
    }

    @Test
    void whatWasGivenUpIsNotToldAsAnsweringAgain() throws Exception {
        var told = new ArrayList<String>();
        counters.telling(told::add);
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> retry.call("x", failingTimes(1000, Kind.TRANSIENT)))
                    .hasMessageContaining("tried");
        }
        assertThat(told).hasSize(2).allMatch(line -> line.startsWith("a store fails"));
    }

    @ParameterizedTest
    @DisplayName("R6 what will not change is tried once, and thrown as it was")
    @EnumSource(Kind.class)
    void doesNotRepeatWhatIsPermanent(Kind kind) {
        if (kind.worthRetrying()) {
            return;
        }
        var failure = new StoreException(kind, "no", null, true);
        assertThatThrownBy(() -> retry.call("x", () -> {
                    throw failure;
                }))
                .isSameAs(failure);
        assertThat(timing.sleeps()).isEmpty();
    }

    @Test
    void keepsWhetherTheWholeStoreIsMeant() {
        assertThatThrownBy(() -> retry.call("x", () -> {
                    throw new StoreException(Kind.TRANSIENT, "away", null, true);
                }))
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.wholeStore()).isTrue());
    }

    @Test
    void endsAtTheDeadline() {
        var slow = new Retry(Retry.Policy.DEFAULT, timing, new Random(7), counters);
        var calls = new AtomicInteger();
        assertThatThrownBy(() -> slow.call("x", () -> {
                    calls.incrementAndGet();
                    timing.advance(Duration.ofMinutes(4));
                    throw new StoreException(Kind.TRANSIENT, "slow");
                }))
                .hasMessageContaining("tried 3 times");
        assertThat(calls.get()).isEqualTo(3);
    }

    @Test
    void progressStartsTheCountAnewButNotForWrongBytes() throws Exception {
        var tally = retry.begin("x");
        for (int i = 0; i < 50; i++) {
            tally.progressed();
            tally.failed(new StoreException(Kind.TRANSIENT, "cut"));
        }
        assertThat(timing.sleeps()).allMatch(s -> s.compareTo(Duration.ofMillis(100)) <= 0);
        for (int i = 0; i < 3; i++) {
            tally.progressed();
            tally.failed(new StoreException(Kind.CORRUPT, "wrong"));
        }
        tally.progressed();
        assertThatThrownBy(() -> tally.failed(new StoreException(Kind.CORRUPT, "wrong")))
                .hasMessageContaining("wrong");
        assertThat(counters.corruptions()).isEqualTo(4);
    }

    @Test
    @DisplayName("R6 clients that failed together do not come back together")
    void spreadsManyClients() throws Exception {
        var waits = new long[200];
        for (int i = 0; i < waits.length; i++) {
            var own = new ManualTiming();
            new Retry(Retry.Policy.DEFAULT, own, new Random(i), counters).call("x", failingTimes(5, Kind.TRANSIENT));
            waits[i] = own.nanos() / 1_000_000;
        }
        Arrays.sort(waits);
        assertThat(waits[180] - waits[20]).as("ms between early and late ones").isGreaterThan(500);
    }

    @Test
    void refusesAPolicyThatMakesNoSense() {
        assertThatThrownBy(() -> new Retry.Policy(0, 1, 1, Duration.ZERO, Duration.ZERO, Duration.ZERO, Duration.ZERO))
                .hasMessageContaining("0, 1, 1");
        assertThatThrownBy(() -> new Retry.Policy(
                        1, 1, 1, Duration.ofSeconds(2), Duration.ofSeconds(1), Duration.ZERO, Duration.ZERO))
                .hasMessageContaining("PT2S to PT1S");
    }
}
