package io.forebay.api.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TemplateTest {
    private static final Map<String, String> VALUES = Map.of("A", "a", "B", "", "C", "$(A)");

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "x$(A)y; xay",
                "$(A)$(A); aa",
                "$$(A); $(A)",
                "$$$(A); $a",
                "$(C); $(A)",
                "$(X); $(X)",
                "$(A; $(A",
                "$; $",
                "$$; $",
                "a$; a$",
                "$A; $A",
                "$(B); ''"
            })
    void expandsOnceAndLeavesTheRest(String text, String expected) {
        assertThat(new Template(text).expand(VALUES)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "x/$(B)/y; x/y",
                "$(B)/y; y",
                "x/$(B); x/",
                "x/$(B)$(B)/y; x/y",
                "x/a$(B)/y; x/a/y",
                "x//y; x//y",
                "s3://b/$(B)/; s3://b/",
                "file:///x/$(B)/; file:///x/"
            })
    void foldersWithoutANameAreLeftOutOfPaths(String text, String expected) {
        assertThat(new Template(text).expandPath(VALUES)).isEqualTo(expected);
    }

    @Test
    void theLiteralStartIsUnescaped() {
        assertThat(new Template("a$$b/$(A)/$(B)").literalStart()).isEqualTo("a$b/");
        assertThat(new Template("$(A)x").literalStart()).isEmpty();
        assertThat(new Template("a$$(A)").literalStart()).isEqualTo("a$(A)");
    }

    @Test
    @DisplayName("K9 values are never expanded again, whatever they hold")
    void valuesAreNotExpanded() {
        assertThat(new Template("$(A)").expand(Map.of("A", "$(A)$$(B)`;\n"))).isEqualTo("$(A)$$(B)`;\n");
    }
}
