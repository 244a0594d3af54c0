package io.forebay.api.manifest;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** What a mistyped word probably was to be. Stateless. */
public final class Suggestion {
    private Suggestion() {}

    private static final int SAME_START = 4;

    /** The known word that is at most a third of its letters away, or starts alike, if any; case does not count. */
    public static Optional<String> closest(String word, Collection<String> known) {
        if (word.length() > 64) {
            return Optional.empty();
        }
        var lower = word.toLowerCase(Locale.ROOT);
        return known.stream()
                .filter(k -> isClose(lower, k.toLowerCase(Locale.ROOT)))
                .min(Comparator.comparingInt((String k) -> distance(lower, k.toLowerCase(Locale.ROOT)))
                        .thenComparing(k -> k));
    }

    private static boolean isClose(String a, String b) {
        int most = Math.max(1, b.length() / 3);
        if (a.length() >= SAME_START && b.startsWith(a.substring(0, SAME_START))) {
            most = SAME_START;
        }
        return distance(a, b) <= most;
    }

    /** {@code "; did you mean 'x'?"}, or nothing. */
    public static String hint(String word, Collection<String> known) {
        return closest(word, known).map(k -> "; did you mean '" + k + "'?").orElse("");
    }

    /** Letters to insert, remove, replace, or swap with their neighbour (optimal string alignment). */
    private static int distance(String a, String b) {
        var d = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                if (i == 0 || j == 0) {
                    d[i][j] = i + j;
                    continue;
                }
                int replace = d[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                d[i][j] = Math.min(replace, 1 + Math.min(d[i - 1][j], d[i][j - 1]));
                if (i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1)) {
                    d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
                }
            }
        }
        return d[a.length()][b.length()];
    }
}
