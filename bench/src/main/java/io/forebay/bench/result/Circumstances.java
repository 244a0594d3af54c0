package io.forebay.bench.result;

import java.time.LocalDate;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * When and where something was measured.
 *
 * @param load of the machine, averaged over the last 5 minutes, when it began
 * @param versions of the programs by name
 */
public record Circumstances(LocalDate date, String machine, double load, Map<String, String> versions) {
    public Circumstances {
        versions = Collections.unmodifiableMap(new LinkedHashMap<>(versions));
    }
}
