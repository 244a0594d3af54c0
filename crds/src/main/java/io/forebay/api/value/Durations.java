package io.forebay.api.value;

import java.time.Duration;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Lengths of time as the manifest writes them: {@code 4h}, {@code 1h30m}, {@code 90s}, {@code 500ms}. Stateless. */
public final class Durations {
    /** What is accepted; each unit at most once, larger ones first; up to 9 digits, so that nothing overflows. */
    public static final String SYNTAX = "^([0-9]{1,9}h)?([0-9]{1,9}m)?([0-9]{1,9}s)?([0-9]{1,9}ms)?$";

    private static final Pattern PATTERN = Pattern.compile(SYNTAX);

    private Durations() {}

    /** @throws IllegalArgumentException naming the text and what would be right */
    public static Duration parse(String text) {
        var m = PATTERN.matcher(text);
        if (text.isEmpty() || !m.matches()) {
            throw new IllegalArgumentException(
                    "'" + text
                            + "' is no duration; write whole numbers of h, m, s, ms, larger units first, for example 4h, 1h30m, 90s, 500ms");
        }
        return Duration.ofHours(number(m.group(1), 1))
                .plusMinutes(number(m.group(2), 1))
                .plusSeconds(number(m.group(3), 1))
                .plusMillis(number(m.group(4), 2));
    }

    private static long number(@Nullable String part, int unitLength) {
        return part == null ? 0 : Long.parseLong(part.substring(0, part.length() - unitLength));
    }

    /** The shortest text that {@link #parse} reads as the same duration; what is below a millisecond is dropped. */
    public static String format(Duration duration) {
        var out = new StringBuilder();
        append(out, duration.toHours(), "h");
        append(out, duration.toMinutesPart(), "m");
        append(out, duration.toSecondsPart(), "s");
        append(out, duration.toMillisPart(), "ms");
        return out.isEmpty() ? "0s" : out.toString();
    }

    private static void append(StringBuilder out, long number, String unit) {
        if (number > 0) {
            out.append(number).append(unit);
        }
    }
}
