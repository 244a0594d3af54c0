package io.forebay.bench.result;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What was to be done, for whoever reads the figures.
 *
 * @param id the benchmark's, and after a comma what it is a variant of: {@code B2, versitygw}
 * @param mebibytes carried, for rates; 0: not the point
 * @param predicted seconds that a model gives, by what it gives them for
 */
public record Subject(
        String id,
        String title,
        double mebibytes,
        List<Goal> goals,
        Map<String, Double> predicted,
        Optional<Point> point) {
    public Subject {
        goals = List.copyOf(goals);
        predicted = Collections.unmodifiableMap(new LinkedHashMap<>(predicted));
        if (id.isBlank() || goals.isEmpty()) {
            throw new IllegalArgumentException("'" + id + "' has no id or no goal");
        }
    }

    /** Without a model. */
    public Subject(String id, String title, double mebibytes, Goal... goals) {
        this(id, title, mebibytes, List.of(goals), Map.of(), Optional.empty());
    }

    /** B2 of {@code B2, versitygw}. */
    public String benchmark() {
        return id.replaceFirst(",.*", "");
    }
}
