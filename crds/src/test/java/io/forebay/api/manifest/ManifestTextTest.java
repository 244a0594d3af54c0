package io.forebay.api.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ManifestTextTest {
    private final Problems problems = new Problems();

    private String json(String text) {
        return ManifestText.parse(text.getBytes(StandardCharsets.UTF_8), problems)
                .map(t -> t.toJson().toString())
                .orElse("nothing");
    }

    @ParameterizedTest(name = "{0} is {1}")
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "x; `\"x\"`",
                "'1'; `\"1\"`",
                "1; 1",
                "-1.5; -1.5",
                "true; true",
                "yes; true",
                "Off; false",
                "n; false",
                "~; null",
                "null; null",
                "'null'; `\"null\"`",
                "!!str 1; `\"1\"`",
                "2026-01-01; `\"2026-01-01\"`",
                "1:30; `\"1:30\"`",
                "8Gi; `\"8Gi\"`",
                "1.2.3; `\"1.2.3\"`",
                "[a, 1]; `[\"a\",1]`",
                "{b: 1}; `{\"b\":1}`",
                "$(INPUT); `\"$(INPUT)\"`",
                "\"\\u00e9\\udcff\"; `\"é\uDCFF\"`",
            })
    void scalarsAreReadAsKubectlReadsThem(String yaml, String expected) {
        assertThat(json("a: " + yaml)).isEqualTo("{\"a\":" + expected + "}");
        assertThat(problems.all()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"007", "0x1F", "0o17", "1_000", ".5", "1.", "+1", ".inf", "-.INF", ".nan", "0b11"})
    void numbersInOtherFormsAreRefused(String number) {
        json("a: " + number);
        assertThat(problems.all())
                .singleElement()
                .asString()
                .isEqualTo("a: '" + number + "' is no plain decimal number; write it so, or in quotes if it is a text");
    }

    @Test
    void aliasesAndMergeKeysAreFollowed() {
        assertThat(json("a: &x {p: 1, q: 2}\nb: *x\nc: {<<: *x, q: 3}\nd: {<<: [*x, {r: 4}], p: 0}"))
                .isEqualTo(
                        "{\"a\":{\"p\":1,\"q\":2},\"b\":{\"p\":1,\"q\":2},\"c\":{\"q\":3,\"p\":1},\"d\":{\"p\":0,\"q\":2,\"r\":4}}");
        assertThat(problems.all()).isEmpty();
    }

    @Test
    void anAliasOfWhatItIsInIsRefused() {
        json("a: &x\n  b: *x\n");
        assertThat(problems.all())
                .singleElement()
                .asString()
                .startsWith("a.b: alias *x has no complete anchor before it");
    }

    @Test
    void keysGivenTwiceAreNamedWithBothLines() {
        json("a: 1\nb:\n  c: 1\n  c: 2\na: 3\n");
        assertThat(problems.all())
                .extracting(Problem::toString)
                .containsExactly(
                        "b.c: given twice, first in line 3; remove one", "a: given twice, first in line 1; remove one");
        assertThat(problems.all()).extracting(Problem::line).containsExactly(4, 5);
    }

    @Test
    void mergingWhatIsNoObjectIsRefused() {
        json("a: {<<: 1}");
        assertThat(problems.all()).singleElement().asString().startsWith("a.<<: '<<' merges objects only");
    }

    @Test
    void aKeyThatIsNoTextIsRefused() {
        json("? [a]\n: 1\n");
        assertThat(problems.all()).singleElement().asString().contains("a key is no text");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a: !!int 1", "a: !x {b: 1}", "a: !!set {b}", "a: !!java.net.URL [x]"})
    void tagsAreRefused(String text) {
        json(text);
        assertThat(problems.all()).singleElement().asString().contains("are not supported");
    }

    @Test
    void byteOrderMarkAndCarriageReturnsDoNoHarm() {
        assertThat(json("\uFEFFa: 1\r\nb: 2\r\n")).isEqualTo("{\"a\":1,\"b\":2}");
        assertThat(json("\uFEFF{\"a\": 1}")).isEqualTo("{\"a\":1}");
        assertThat(problems.all()).isEmpty();
    }

    @Test
    void utf16IsRefused() {
        assertThat(ManifestText.parse("a: 1".getBytes(StandardCharsets.UTF_16), problems))
                .isEmpty();
        assertThat(problems.all()).singleElement().asString().contains("not UTF-8: byte 1 is 0xFE");
    }

    @ParameterizedTest
    @CsvSource({
        "retyr,retry",
        "retries,retry",
        "Steps,steps",
        "outpust,outputs",
        "forEahc,forEach",
        "paths,path",
        "stores,stores"
    })
    void suggestionsAreWhatWasProbablyMeant(String word, String meant) {
        assertThat(Suggestion.closest(
                        word, List.of("retry", "steps", "outputs", "forEach", "path", "stores", "records")))
                .contains(meant);
    }

    @Test
    void nothingIsSuggestedForWhatIsFarFromAll() {
        assertThat(Suggestion.closest("zzzzz", List.of("retry", "steps"))).isEmpty();
        assertThat(Suggestion.closest("x".repeat(100_000), List.of("retry"))).isEmpty();
    }
}
