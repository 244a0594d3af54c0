package io.forebay.sidecar.store.s3;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HttpDateTest {
    private static final DateTimeFormatter FIXDATE = DateTimeFormatter.ofPattern(
                    "EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    @Test
    @DisplayName("every day and many times of day are read as they were written")
    void readsWhatServersWrite() {
        for (long second = 0; second < 4_100_000_000L; second += 86_400 - 47) {
            assertThat(HttpDate.epochSecond(FIXDATE.format(Instant.ofEpochSecond(second))))
                    .isEqualTo(second);
        }
    }

    @Test
    @DisplayName("other zones and one digit for the day are read as well")
    void readsOtherForms() {
        assertThat(HttpDate.epochSecond("Sun, 6 Nov 1994 08:49:37 GMT")).isEqualTo(784_111_777);
        assertThat(HttpDate.epochSecond("Sun, 06 Nov 1994 09:49:37 +0100")).isEqualTo(784_111_777);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "yesterday",
                "Sun, 31 Feb 1994 08:49:37 GMT",
                "Sun, 06 anF 1994 08:49:37 GMT",
                "Sun, 06 Nov 1994 24:49:37 GMT",
                "Sun, 06 Nov 1994 08:60:37 GMT",
                "Sun, 06 Nov 1994 08:49:3x GMT",
                "Sun, 06 Nov 1994 08-49-37 GMT",
                "Sunday 06 Nov 94 08:49:37 GMT"
            })
    @DisplayName("what is no time is told as unreadable")
    void refusesWhatIsNone(String text) {
        assertThat(HttpDate.epochSecond(text)).isEqualTo(-1);
    }
}
