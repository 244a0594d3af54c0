package io.forebay.api.manifest;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Collects the faults of one manifest, and knows where in its text each field is. Used by one thread. */
public final class Problems {
    /** More than these help nobody, and a hostile text could make millions. */
    private static final int MAX = 200;

    private final List<Problem> found = new ArrayList<>();
    private final Map<String, Integer> lines = new HashMap<>();

    void at(String field, int line) {
        lines.put(field, line);
    }

    public void add(String field, String value, String message) {
        add(field, value, message, lineOf(field));
    }

    void add(String field, String value, String message, int line) {
        if (found.size() < MAX) {
            found.add(new Problem(field, value, message, line));
        }
    }

    /** Whether something was found at the field itself or below it. */
    public boolean below(String field) {
        return found.stream()
                .anyMatch(p -> p.field().startsWith(field)
                        && (p.field().length() == field.length()
                                || ".[".indexOf(p.field().charAt(field.length())) >= 0));
    }

    public boolean isEmpty() {
        return found.isEmpty();
    }

    /** In the order of the text, as far as lines are known. */
    public List<Problem> all() {
        return found.stream().sorted(Comparator.comparingInt(Problem::line)).toList();
    }

    /** The line of the field, else of the nearest field around it that is in the text. */
    private int lineOf(String field) {
        var path = field;
        while (true) {
            var line = lines.get(path);
            if (line != null) {
                return line;
            }
            if (path.isEmpty()) {
                return 0;
            }
            path = path.substring(0, Math.max(0, Math.max(path.lastIndexOf('.'), path.lastIndexOf('['))));
        }
    }
}
