package io.forebay.sidecar.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ProgressTest {
    private final ManualTiming timing = new ManualTiming();
    private final TransferCounters counters = new TransferCounters(InstantSource.fixed(Instant.ofEpochSecond(5)));
    private final ProgressMeter meter = new ProgressMeter(counters, timing);

    private Progress after(int millis, long bytesIn, long bytesOut) {
        timing.advance(Duration.ofMillis(millis));
        counters.bytesFetched.add(bytesIn);
        counters.bytesStaged.add(bytesOut);
        return meter.now();
    }

    @Test
    void nothingHasMovedYet() {
        var start = meter.now();
        assertThat(start.inRate()).isZero();
        assertThat(start.timeLeft(0, 0)).contains(Duration.ZERO);
        assertThat(start.timeLeft(1, 0)).isEmpty();
        assertThat(start.last()).isNull();
    }

    @Test
    void ratesAreThoseOfTheLastTenSeconds() {
        for (int i = 0; i < 100; i++) {
            after(100, 1_000_000, 0);
        }
        assertThat(meter.now().inRate()).isCloseTo(10e6, within(1e5));
        Progress last = meter.now();
        for (int i = 0; i < 104; i++) {
            last = after(100, 200_000, 500_000);
        }
        assertThat(last.inRate()).isCloseTo(2e6, within(1e5));
        assertThat(last.outRate()).isCloseTo(5e6, within(1e5));
        assertThat(last.bytesFetched()).isEqualTo(100_000_000 + 104 * 200_000);
        assertThat(last.timeLeft(20_000_000, 500_000_000).orElseThrow())
                .isCloseTo(Duration.ofSeconds(100), Duration.ofSeconds(2));
    }

    @Test
    void aFileThatIsReadAgainDoesNotMakeTheRateNegative() {
        after(1000, 5_000_000, 0);
        assertThat(after(1000, -5_000_000, 0).inRate()).isZero();
    }

    @Test
    void manyLooksCostNoMemoryAndChangeNothing() {
        for (int i = 0; i < 100_000; i++) {
            after(1, 1_000, 0);
        }
        assertThat(meter.now().inRate()).isCloseTo(1e6, within(5e4));
    }

    @Test
    @DisplayName("V3 the last message and its time are told")
    void tellsTheLastMessage() {
        counters.say("stat of x is tried again: 503");
        assertThat(meter.now().last())
                .isEqualTo(new TransferCounters.Message(Instant.ofEpochSecond(5), "stat of x is tried again: 503"));
    }
}
