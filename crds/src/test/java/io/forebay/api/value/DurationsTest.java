package io.forebay.api.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationsTest {

    @ParameterizedTest
    @CsvSource({
        "4h,PT4H",
        "30m,PT30M",
        "1h30m,PT1H30M",
        "90s,PT90S",
        "500ms,PT0.5S",
        "0s,PT0S",
        "1h2m3s4ms,PT1H2M3.004S",
        "100h,PT100H"
    })
    void reads(String text, Duration expected) {
        assertThat(Durations.parse(text)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "4",
                "4H",
                "4 h",
                "-4h",
                "+4h",
                "4.5h",
                "1d",
                "30m1h",
                "1h1h",
                "h",
                "1h 30m",
                " 4h",
                "4h\n",
                "1us",
                "10000000000h",
                "PT4H",
                "٤h"
            })
    void refusesNamingTheText(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Durations.parse(text))
                .withMessageContaining("'" + text + "'")
                .withMessageContaining("1h30m");
    }

    @Property
    void whatIsFormattedIsReadAsTheSame(@ForAll @LongRange(min = 0, max = 1_000_000_000_000L) long millis) {
        assertThat(Durations.parse(Durations.format(Duration.ofMillis(millis)))).isEqualTo(Duration.ofMillis(millis));
    }
}
