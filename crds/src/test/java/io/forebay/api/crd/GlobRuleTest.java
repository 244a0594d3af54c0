package io.forebay.api.crd;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.api.value.Glob;
import java.util.regex.Pattern;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** The API server's regular expression and the parser accept the same patterns, and see faults at the same place. */
class GlobRuleTest {
    private static final Pattern WHOLE = Pattern.compile(GlobRule.START + "$");
    private static final Pattern START = Pattern.compile(GlobRule.START);

    @Property(tries = 5000)
    void agreesWithTheParser(@ForAll("noise") String text) {
        var refusal = refusal(text);
        if (refusal.contains("upside down")) {
            // Only the parser sees that; what else is wrong after it is not said.
            return;
        }
        assertThat(WHOLE.matcher(text).matches()).as("%s: %s", text, refusal).isEqualTo(refusal.isEmpty());
        if (refusal.contains("unclosed class")
                || refusal.contains("unclosed braces")
                || refusal.contains("closes nothing")
                || refusal.contains("escapes nothing")
                || refusal.contains("asterisks")) {
            var m = START.matcher(text);
            assertThat(m.find()).isTrue();
            var rest = text.substring(m.end());
            // Faults inside braces have no place of their own in a regular expression: it stops at the brace.
            if (!rest.startsWith("{")) {
                assertThat(refusal).contains(" at '" + rest + "'; ");
            }
        }
    }

    private static String refusal(String text) {
        try {
            new Glob(text);
            return "";
        } catch (IllegalArgumentException e) {
            return String.valueOf(e.getMessage());
        }
    }

    @Provide
    Arbitrary<String> noise() {
        return Arbitraries.strings().withChars("ab/*?[]{}\\,!-^").ofMinLength(1).ofMaxLength(8);
    }
}
