package io.forebay.api.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.api.name.NameBytes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GlobTest {

    @ParameterizedTest(name = "{0} takes {1}: {2}")
    @CsvSource(
            delimiter = ';',
            nullValues = "NONE",
            value = {
                "*.nii; a.nii; true",
                "*.nii; .nii; true",
                "*.nii; a/b.nii; false",
                "**/*.nii; b.nii; true",
                "**/*.nii; a/b.nii; true",
                "**/*.nii; a/b/c.nii; true",
                "**/*.nii; a/b/c.nii.gz; false",
                "**; a/b; true",
                "tmp/**; tmp/a/b; true",
                "tmp/**; tmp2/a; false",
                "tmp/**; tmp; false",
                "a/**/b; a/b; true",
                "a/**/b; a/x/y/b; true",
                "a/**/b; a/xb; false",
                "a/**/b; a//b; true",
                "a**/b; a/b; true",
                "a**/b; ax/y/b; true",
                "a**/b; ab; false",
                "**.gz; x/y.gz; true",
                "sub-??; sub-01; true",
                "sub-??; sub-1; false",
                "sub-?; sub-/; false",
                "[a-c]x; bx; true",
                "[a-c]x; dx; false",
                "[!a-c]x; dx; true",
                "[!a-c]x; ax; false",
                "[!a]; /; false",
                "[]]; ]; true",
                "[!]]; ]; false",
                "[a-]; -; true",
                "[-a]; -; true",
                "[\\]-a]; ^; true",
                "{a,b}c; ac; true",
                "{a,b}c; bc; true",
                "{a,b}c; abc; false",
                "x{,.gz}; x; true",
                "x{,.gz}; x.gz; true",
                "{**/x,y}z; a/b/xz; true",
                "{**/x,y}z; xz; true",
                "{a/b,c}/*; a/b/d; true",
                "a,b; a,b; true",
                "x; X; false",
            })
    void matches(String pattern, String key, boolean expected) {
        assertThat(new Glob(pattern).matches(key)).isEqualTo(expected);
    }

    @Test
    @DisplayName("G4 names holding [ ] { } ? \\ * are matched literally when escaped, and taken by **")
    void specialCharactersInNames() {
        for (var name : List.of(
                "a[1].nii", "{x}", "what?", "back\\slash", "star*", "[]", "a/{b}/c]", "-x", " ", "a\nb", "$(x)")) {
            assertThat(new Glob("**").matches(name)).as(name).isTrue();
            assertThat(new Glob(Glob.quote(name)).matches(name)).as(name).isTrue();
            assertThat(new Glob(Glob.quote(name)).isLiteral()).as(name).isTrue();
            assertThat(new Glob(Glob.quote(name)).fixedPrefix()).as(name).isEqualTo(name);
            assertThat(new Glob(Glob.quote(name)).matches(name + "x")).as(name).isFalse();
        }
    }

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '"',
            value = {
                "[a-; unclosed class at '[a-'; \\[",
                "x[; unclosed class at '['; \\[",
                "[]; unclosed class at '[]'; \\[",
                "[!]; unclosed class at '[!]'; \\[",
                "[a; unclosed class at '[a'; \\[",
                "[z-a]; range z-a is upside down at 'z-a]'; lower",
                "[a/b]; '/' in a class at '/b]'; within a folder",
                "[[:alpha:]]; '[' in a class at '[:alpha:]]'; not supported",
                "[^a]; '^' at the start of a class at '^a]'; [!...]",
                "{a,b; unclosed braces at '{a,b'; close them",
                "{a}; braces with a single alternative at '{a}'; {a,b}",
                "{}; braces with a single alternative at '{}'; {a,b}",
                "{a,{b,c}}; '{' inside braces at '{b,c}}'; write out",
                "a}; '}' that closes nothing at '}'; \\}",
                "a]; ']' that closes nothing at ']'; \\]",
                "a\\; a backslash that escapes nothing at '\\'; \\\\",
                "***; more than 2 asterisks in a row at '*'; **",
                "😀[; unclosed class at '['; \\[",
            })
    @DisplayName("G4 malformed patterns are refused with position and remedy")
    void refuses(String pattern, String message, String remedy) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Glob(pattern))
                .withMessageContaining("'" + pattern + "'")
                .withMessageContaining(message)
                .withMessageContaining(remedy);
    }

    @Test
    void refusesEmptyAndOverlongPatterns() {
        assertThatThrownBy(() -> new Glob("")).hasMessageContaining("empty");
        assertThatThrownBy(() -> new Glob("a".repeat(Glob.MAX_LENGTH + 1)))
                .hasMessageContaining("513")
                .hasMessageContaining("512");
        assertThat(new Glob("a".repeat(Glob.MAX_LENGTH)).isLiteral()).isTrue();
    }

    @Test
    @DisplayName("N1 a byte that is not UTF-8 is one character")
    void nonUtf8() {
        var name = NameBytes.decode(new byte[] {'a', (byte) 0xFF, (byte) 0xFE, '/', (byte) 0xC3});
        assertThat(new Glob("a??/?").matches(name)).isTrue();
        assertThat(new Glob("a?/?").matches(name)).isFalse();
        assertThat(new Glob("a[!b]\uDCFE/*").matches(name)).isTrue();
        assertThat(new Glob(Glob.quote(name)).matches(name)).isTrue();
    }

    @Test
    void aSupplementaryCharacterIsOneCharacter() {
        assertThat(new Glob("?").matches("😀")).isTrue();
        assertThat(new Glob("??").matches("😀")).isFalse();
        assertThat(new Glob("[😀-😂]").matches("😁")).isTrue();
    }

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(
            delimiter = ';',
            value = {
                "**/*.nii; ''",
                "sub-01/**; sub-01/",
                "sub-*/x; sub-",
                "a/b.nii; a/b.nii",
                "a\\*b/?; a*b/",
                "a{b,c}; a",
                "a[b]; a",
                "a/**/b; a/",
            })
    void fixedPrefixIsWhatIsLiteralAtTheStart(String pattern, String prefix) {
        assertThat(new Glob(pattern).fixedPrefix()).isEqualTo(prefix);
    }

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(
            delimiter = ';',
            value = {
                "**/*.nii.gz; .nii.gz",
                "*.nii; .nii",
                "*_bold.nii.gz; .nii.gz",
                "sub-*/anat/T1w.nii.gz; .nii.gz",
                "*.{nii,nii.gz,mgz}; .nii.gz .mgz .nii",
                "*.nii{,.gz}; .nii.gz .nii",
                "{a.x,b/c.y}; .x .y",
                "*.nii*; ''",
                "*; ''",
                "**; ''",
                "*.n[i]i; ''",
                "*.d/*; ''",
                "*.d/x; ''",
                "*.; ''",
            })
    void extensionsAreWhatThePatternSpellsOut(String pattern, String extensions) {
        assertThat(String.join(" ", new Glob(pattern).literalExtensions())).isEqualTo(extensions);
    }

    @Test
    void theLongestSpelledOutExtensionOfANameCounts() {
        var glob = new Glob("*.{gz,nii.gz}");
        assertThat(glob.extensionOf("x.nii.gz")).contains(".nii.gz");
        assertThat(glob.extensionOf("x.gz")).contains(".gz");
        assertThat(glob.extensionOf(".nii.gz")).contains(".gz");
        assertThat(glob.extensionOf("x.mgz")).isEmpty();
    }

    @Test
    void noPatternIsCatastrophic() {
        var evil = List.of(
                "a*".repeat(200) + "b", "**/".repeat(150) + "b", "{a,aa}".repeat(80) + "b", "*?".repeat(200) + "b");
        var key = "a".repeat(2000);
        Assertions.assertTimeoutPreemptively(Duration.ofSeconds(20), () -> {
            for (var pattern : evil) {
                // The 'b' in the middle defeats the quick look at the end.
                assertThat(new Glob(pattern + "*").matches(key)).isFalse();
                assertThat(new Glob(pattern + "*").matches("a/".repeat(500))).isFalse();
            }
        });
    }

    @Property(tries = 3000)
    void agreesWithANaiveMatcher(@ForAll("patterns") String pattern, @ForAll("keys") String key) {
        assertThat(new Glob(pattern).matches(key))
                .as("%s on %s", pattern, key)
                .isEqualTo(NaiveGlob.matches(pattern, key));
    }

    @Property(tries = 1000)
    void everyMatchStartsWithTheFixedPrefix(@ForAll("patterns") String pattern, @ForAll("keys") String key) {
        var glob = new Glob(pattern);
        if (NaiveGlob.matches(pattern, key)) {
            assertThat(key).startsWith(glob.fixedPrefix());
        }
    }

    @Property(tries = 1000)
    void aQuotedTextMatchesItselfAlone(@ForAll("anyText") String text, @ForAll("anyText") String other) {
        var glob = new Glob(Glob.quote(text));
        assertThat(glob.matches(text)).isTrue();
        assertThat(glob.matches(other)).isEqualTo(text.equals(other));
    }

    @Property(tries = 2000)
    void anyTextIsEitherAPatternOrRefusedWithItsText(@ForAll("noise") String text) {
        try {
            new Glob(text).matches("a/b");
        } catch (IllegalArgumentException e) {
            assertThat(e).hasMessageContaining("'" + text + "'").hasMessageMatching("(?s).* at '.+'; .*");
        }
    }

    @Provide
    Arbitrary<String> patterns() {
        var piece =
                Arbitraries.of("a", "b", "/", "*", "**", "?", "**/", "[ab]", "[!a]", "{a,b/}", "{,a*}", "\\*", "/**/");
        return piece.list()
                .ofMinSize(1)
                .ofMaxSize(7)
                .map(pieces -> String.join("", pieces))
                .filter(p -> !p.contains("***"));
    }

    @Provide
    Arbitrary<String> keys() {
        return Arbitraries.strings().withChars("ab/*").ofMaxLength(9);
    }

    @Provide
    Arbitrary<String> anyText() {
        return Arbitraries.strings()
                .withChars("a/*?[]{}\\,!-$\n\uDCFF")
                .ofMinLength(1)
                .ofMaxLength(5);
    }

    @Provide
    Arbitrary<String> noise() {
        return Arbitraries.strings().withChars("ab/*?[]{}\\,!-^").ofMinLength(1).ofMaxLength(10);
    }

    /** The meaning of a pattern, said as simply as possible: alternatives first written out, then tried one by one. */
    private static final class NaiveGlob {
        static boolean matches(String pattern, String key) {
            return expand(pattern).stream().anyMatch(p -> match(p, key, true));
        }

        private static List<String> expand(String pattern) {
            int open = pattern.indexOf('{');
            if (open < 0) {
                return List.of(pattern);
            }
            int close = pattern.indexOf('}', open);
            var out = new ArrayList<String>();
            for (var branch : pattern.substring(open + 1, close).split(",", -1)) {
                for (var rest : expand(pattern.substring(close + 1))) {
                    // U+0001 keeps "**" and what follows the braces apart: they are no unit.
                    out.add(pattern.substring(0, open) + "\u0001" + branch + "\u0001" + rest);
                }
            }
            return out;
        }

        private static boolean match(String p, String key, boolean start) {
            if (p.isEmpty()) {
                return key.isEmpty();
            }
            if (p.startsWith("\u0001")) {
                return match(p.substring(1), key, start);
            }
            if (p.startsWith("**/")) {
                var rest = p.substring(3);
                if (start && match(rest, key, true)) {
                    return true;
                }
                for (int i = 0; i < key.length(); i++) {
                    if (key.charAt(i) == '/' && match(rest, key.substring(i + 1), true)) {
                        return true;
                    }
                }
                return false;
            }
            if (p.startsWith("**") || p.startsWith("*")) {
                boolean deep = p.startsWith("**");
                var rest = p.substring(deep ? 2 : 1);
                for (int i = 0; i <= key.length(); i++) {
                    boolean startNow = i == 0 ? start : key.charAt(i - 1) == '/';
                    if (match(rest, key.substring(i), startNow)) {
                        return true;
                    }
                    if (i < key.length() && !deep && key.charAt(i) == '/') {
                        return false;
                    }
                }
                return false;
            }
            if (key.isEmpty()) {
                return false;
            }
            char c = key.charAt(0);
            boolean taken;
            int length;
            switch (p.charAt(0)) {
                case '?' -> {
                    taken = c != '/';
                    length = 1;
                }
                case '[' -> {
                    length = p.indexOf(']') + 1;
                    var inside = p.substring(1, length - 1);
                    taken = c != '/' && (inside.startsWith("!") ? inside.indexOf(c, 1) < 0 : inside.indexOf(c) >= 0);
                }
                case '\\' -> {
                    taken = c == p.charAt(1);
                    length = 2;
                }
                default -> {
                    taken = c == p.charAt(0);
                    length = 1;
                }
            }
            return taken && match(p.substring(length), key.substring(1), c == '/');
        }
    }
}
