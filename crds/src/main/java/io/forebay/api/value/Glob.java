package io.forebay.api.value;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * A pattern for keys and relative paths; a key matches as a whole, upper and lower case differ.
 *
 * <pre>
 *   *        any characters within one component, also none, also a leading dot
 *   ?        one character within a component
 *   **       any characters, also '/'; "**&#47;" at the start of a component also stands for no folder at all
 *   [a-z_]   one character of the class; [!a-z] one that is not; never '/'
 *   {a,b}    either text, which may hold everything but further braces
 *   \x       x itself
 * </pre>
 *
 * <p>Anything else is itself. Malformed patterns are refused, never taken literally. A character is a code point; a byte that
 * is not UTF-8 (see {@link io.forebay.api.name.NameBytes}) counts as one. Matching takes time proportional to the length of
 * key times pattern, whatever both hold. Immutable.
 */
public final class Glob {
    /** Longest pattern, in UTF-16 units: the API server's rules for patterns must have a bound. */
    public static final int MAX_LENGTH = 512;

    /** More alternatives than this and {@link #literalExtensions()} does not look into the braces. */
    private static final int MAX_EXTENSIONS = 64;

    private final String pattern;
    private final List<GlobToken> tokens;
    private final GlobProgram program;
    private final String fixedPrefix;
    private final String fixedSuffix;

    /** @throws IllegalArgumentException naming pattern, fault, the text from the fault on, and remedy */
    public Glob(String pattern) {
        this.pattern = pattern;
        this.tokens = GlobParser.parse(pattern);
        this.program = GlobProgram.compile(tokens);
        this.fixedPrefix = literalRun(tokens);
        this.fixedSuffix =
                new StringBuilder(literalRun(tokens.reversed())).reverse().toString();
    }

    /** Same as the constructor. */
    public static Glob parse(String pattern) {
        return new Glob(pattern);
    }

    /** The pattern that matches {@code text} alone: what is special in it is escaped. */
    public static String quote(String text) {
        var out = new StringBuilder(text.length() + 8);
        for (int i = 0; i < text.length(); i++) {
            if ("\\*?[]{}".indexOf(text.charAt(i)) >= 0) {
                out.append('\\');
            }
            out.append(text.charAt(i));
        }
        return out.toString();
    }

    /** As written. */
    public String pattern() {
        return pattern;
    }

    public boolean matches(String key) {
        return key.startsWith(fixedPrefix) && key.endsWith(fixedSuffix) && program.matches(key);
    }

    /** What each matching key starts with, perhaps empty: only keys below it need to be listed. */
    public String fixedPrefix() {
        return fixedPrefix;
    }

    /** Whether it matches one key only, {@link #fixedPrefix()}. */
    public boolean isLiteral() {
        return tokens.stream().allMatch(GlobToken.Literal.class::isInstance);
    }

    /**
     * The extensions that the pattern spells out, longest first, each with its dot: what is literal at the end of the last
     * component, from its first dot. {@code *.nii.gz}: {@code .nii.gz}; {@code *.{nii,mgz}}: {@code .mgz}, {@code .nii};
     * {@code *.nii*}: none.
     */
    public List<String> literalExtensions() {
        var ends = List.of("");
        for (var token : tokens.reversed()) {
            var texts = literalTexts(token);
            if (texts.isEmpty() || texts.size() * ends.size() > MAX_EXTENSIONS) {
                break;
            }
            var longer = new ArrayList<String>();
            for (var text : texts) {
                for (var end : ends) {
                    // Once an end holds '/' it is complete: the last component alone counts.
                    longer.add(end.indexOf('/') >= 0 ? end : text + end);
                }
            }
            ends = longer;
        }
        return ends.stream()
                .map(end -> end.substring(end.lastIndexOf('/') + 1))
                .filter(end -> end.indexOf('.') >= 0)
                .map(end -> end.substring(end.indexOf('.')))
                .filter(extension -> extension.length() > 1)
                .distinct()
                .sorted(Comparator.comparingInt(String::length).reversed().thenComparing(Comparator.naturalOrder()))
                .toList();
    }

    /** The longest of {@link #literalExtensions()} that {@code name} has with something before it. */
    public Optional<String> extensionOf(String name) {
        return literalExtensions().stream()
                .filter(e -> name.endsWith(e) && name.length() > e.length())
                .findFirst();
    }

    /** All texts that a token stands for; empty: not a fixed few. */
    private static List<String> literalTexts(GlobToken token) {
        return switch (token) {
            case GlobToken.Literal literal -> List.of(Character.toString(literal.codePoint()));
            case GlobToken.Either either ->
                either.branches().stream().flatMap(List::stream).allMatch(GlobToken.Literal.class::isInstance)
                        ? either.branches().stream().map(Glob::literalRun).toList()
                        : List.of();
            case GlobToken.AnyChar _,
                    GlobToken.AnyRun _,
                    GlobToken.AnyPath _,
                    GlobToken.AnyFolders _,
                    GlobToken.OneOf _ -> List.of();
        };
    }

    private static String literalRun(List<GlobToken> tokens) {
        var out = new StringBuilder();
        for (var token : tokens) {
            if (!(token instanceof GlobToken.Literal literal)) {
                break;
            }
            out.appendCodePoint(literal.codePoint());
        }
        return out.toString();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Glob glob && pattern.equals(glob.pattern);
    }

    @Override
    public int hashCode() {
        return pattern.hashCode();
    }

    @Override
    public String toString() {
        return pattern;
    }
}
