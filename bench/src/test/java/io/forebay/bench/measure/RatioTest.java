package io.forebay.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RatioTest {
    @Test
    @DisplayName("pairs of one ratio leave no doubt, whatever the machine did between the rounds")
    void noise() {
        var r = Ratio.of(List.of(1.0, 10.0, 3.0, 5.0), List.of(2.0, 20.0, 6.0, 10.0));
        assertThat(r.mean()).isCloseTo(0.5, within(1e-12));
        assertThat(r.high()).isCloseTo(0.5, within(1e-12));
        assertThat(r.isSettled()).isTrue();
        assertThat(r.decides(0.6)).isTrue();
    }

    @Test
    @DisplayName("the interval is Student's: logs -0.1, 0, 0.1 give exp(+-4.303 * 0.1 / sqrt 3)")
    void interval() {
        var r = Ratio.of(List.of(Math.exp(-0.1), 1.0, Math.exp(0.1)), List.of(1.0, 1.0, 1.0));
        assertThat(r.mean()).isCloseTo(1, within(1e-12));
        assertThat(r.high()).isCloseTo(Math.exp(4.303 * 0.1 / Math.sqrt(3)), within(1e-9));
        assertThat(r.low()).isCloseTo(1 / r.high(), within(1e-9));
        assertThat(r.decides(1.1)).as("too few").isFalse();
    }

    @Test
    void onePairHasNoInterval() {
        var r = Ratio.of(List.of(3.0), List.of(2.0));
        assertThat(r.mean()).isCloseTo(1.5, within(1e-12));
        assertThat(r.high()).isNaN();
        assertThat(r.isSettled()).isFalse();
    }

    @Test
    void manyPairsAndNone() {
        assertThat(Ratio.of(Collections.nCopies(100, 1.0), Collections.nCopies(100, 1.0))
                        .pairs())
                .isEqualTo(100);
        assertThatThrownBy(() -> Ratio.of(List.of(), List.of())).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Ratio.of(List.of(1.0), List.of())).isInstanceOf(IllegalArgumentException.class);
    }
}
