package io.forebay.api.name;

/**
 * Names and messages as people may see them. A name can hold any byte but NUL and '/': shown as it is, a newline in it would forge a
 * line of a report, an escape sequence would write over one. Stateless.
 */
public final class Printable {
    private Printable() {}

    /** On one line: control characters as {@code \}{@code u000a}, bytes that are not UTF-8 (see {@link NameBytes}) as {@code \xff}. */
    public static String name(String name) {
        return escape(name, "\\u000a");
    }

    /** Further lines are indented, so that none of them can be taken for a line of ours; else as {@link #name}. */
    public static String message(String message) {
        return escape(message.stripTrailing(), "\n  ").replaceAll("\n {4,}", "\n  ");
    }

    /** The first {@code most} chars; one less where that would halve a character. */
    public static String start(String text, int most) {
        if (text.length() <= most) {
            return text;
        }
        boolean halves = most > 0
                && Character.isHighSurrogate(text.charAt(most - 1))
                && Character.isLowSurrogate(text.charAt(most));
        return text.substring(0, halves ? most - 1 : most);
    }

    private static String escape(String text, String newline) {
        if (text.chars().noneMatch(c -> Character.isISOControl(c) || isByte(c))) {
            return text;
        }
        var out = new StringBuilder(text.length() + 16);
        text.codePoints().forEach(c -> {
            if (c == '\n') {
                out.append(newline);
            } else if (isByte(c)) {
                out.append("\\x%02x".formatted(c - 0xDC00));
            } else if (Character.isISOControl(c)) {
                out.append("\\u%04x".formatted(c));
            } else {
                out.appendCodePoint(c);
            }
        });
        return out.toString();
    }

    /** As a code unit this also finds the second half of a pair: then nothing is changed but time. */
    private static boolean isByte(int c) {
        return c >= 0xDC80 && c <= 0xDCFF;
    }
}
