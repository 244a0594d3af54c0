package io.forebay.bench.result;

import java.util.Comparator;
import java.util.regex.Pattern;

/** The order of benchmarks: B2 before B10, and numbers within what follows as numbers. */
final class Ids {
    private static final Pattern NUMBER = Pattern.compile("\\d+");

    static final Comparator<String> ORDER = Comparator.comparing(Ids::padded);

    private Ids() {}

    private static String padded(String id) {
        return NUMBER.matcher(id).replaceAll(m -> "%09d".formatted(Long.parseLong(m.group())));
    }
}
