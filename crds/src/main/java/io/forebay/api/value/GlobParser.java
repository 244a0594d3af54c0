package io.forebay.api.value;

import java.util.ArrayList;
import java.util.List;

/** Reads the language of {@link Glob}; refuses whatever is not in it. Used once per pattern. */
final class GlobParser {
    private final String pattern;
    private int at;

    private GlobParser(String pattern) {
        this.pattern = pattern;
    }

    static List<GlobToken> parse(String pattern) {
        if (pattern.isEmpty()) {
            throw new IllegalArgumentException("the pattern is empty; write ** for everything");
        }
        if (pattern.length() > Glob.MAX_LENGTH) {
            throw new IllegalArgumentException(
                    "pattern of %d characters; at most %d are allowed".formatted(pattern.length(), Glob.MAX_LENGTH));
        }
        return List.copyOf(new GlobParser(pattern).sequence(false));
    }

    private List<GlobToken> sequence(boolean inBraces) {
        var tokens = new ArrayList<GlobToken>();
        while (at < pattern.length()) {
            char c = pattern.charAt(at);
            if (inBraces && (c == ',' || c == '}')) {
                return tokens;
            }
            tokens.add(
                    switch (c) {
                        case '*' -> stars();
                        case '?' -> {
                            at++;
                            yield new GlobToken.AnyChar();
                        }
                        case '[' -> oneOf();
                        case '{' -> {
                            if (inBraces) {
                                throw fault(
                                        at,
                                        "'{' inside braces",
                                        "write out the alternatives, or \\{ for the character");
                            }
                            yield either();
                        }
                        case ']', '}' ->
                            throw fault(at, "'" + c + "' that closes nothing", "write \\" + c + " for the character");
                        default -> new GlobToken.Literal(character());
                    });
        }
        return tokens;
    }

    private GlobToken stars() {
        int start = at;
        while (at < pattern.length() && pattern.charAt(at) == '*') {
            at++;
        }
        int count = at - start;
        if (count > 2) {
            throw fault(
                    start + 2, "more than 2 asterisks in a row", "write * (within a folder) or ** (across folders)");
        }
        if (count == 1) {
            return new GlobToken.AnyRun();
        }
        if (at < pattern.length() && pattern.charAt(at) == '/') {
            at++;
            return new GlobToken.AnyFolders();
        }
        return new GlobToken.AnyPath();
    }

    private GlobToken oneOf() {
        int start = at++;
        boolean negated = at < pattern.length() && pattern.charAt(at) == '!';
        if (negated) {
            at++;
        } else if (at < pattern.length() && pattern.charAt(at) == '^') {
            throw fault(
                    at, "'^' at the start of a class", "write [!...] for \"none of these\", or \\^ for the character");
        }
        var ranges = new ArrayList<GlobToken.Range>();
        while (true) {
            if (at >= pattern.length()) {
                throw fault(start, "unclosed class", "close it with ], or write \\[ for the character");
            }
            if (pattern.charAt(at) == ']' && !ranges.isEmpty()) {
                at++;
                return new GlobToken.OneOf(negated, ranges);
            }
            int where = at;
            int first = classCharacter(start);
            if (at + 1 < pattern.length() && pattern.charAt(at) == '-' && pattern.charAt(at + 1) != ']') {
                at++;
                int last = classCharacter(start);
                if (last < first) {
                    throw fault(
                            where,
                            "range " + pattern.substring(where, at) + " is upside down",
                            "write the lower character first");
                }
                ranges.add(new GlobToken.Range(first, last));
            } else {
                ranges.add(new GlobToken.Range(first, first));
            }
        }
    }

    private int classCharacter(int start) {
        if (at >= pattern.length() || pattern.startsWith("\\", at) && at + 1 == pattern.length()) {
            throw fault(start, "unclosed class", "close it with ], or write \\[ for the character");
        }
        char c = pattern.charAt(at);
        if (c == '/') {
            throw fault(
                    at,
                    "'/' in a class",
                    "a class matches within a folder; write {a/b,c} for alternatives with folders");
        }
        if (c == '[') {
            throw fault(at, "'[' in a class", "write \\[ for the character; names such as [:alpha:] are not supported");
        }
        return character();
    }

    /** The character at the position, an escaped one without its backslash. */
    private int character() {
        if (pattern.charAt(at) == '\\') {
            if (at + 1 == pattern.length()) {
                throw fault(at, "a backslash that escapes nothing", "write \\\\ for the character");
            }
            at++;
        }
        int codePoint = pattern.codePointAt(at);
        at += Character.charCount(codePoint);
        return codePoint;
    }

    private GlobToken either() {
        int start = at;
        var branches = new ArrayList<List<GlobToken>>();
        do {
            at++; // the brace, or the comma
            branches.add(sequence(true));
        } while (at < pattern.length() && pattern.charAt(at) == ',');
        if (at >= pattern.length()) {
            throw fault(start, "unclosed braces", "close them with }, or write \\{ for the character");
        }
        at++;
        if (branches.size() == 1) {
            throw fault(start, "braces with a single alternative", "write {a,b}, or \\{ and \\} for the characters");
        }
        return new GlobToken.Either(branches);
    }

    /** @param index where the fault is; the message names the place by what stands there, as the API server's rule does */
    private IllegalArgumentException fault(int index, String what, String remedy) {
        return new IllegalArgumentException(
                "'%s': %s at '%s'; %s".formatted(pattern, what, pattern.substring(index), remedy));
    }
}
