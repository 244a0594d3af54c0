package io.forebay.sidecar.local;

import java.util.LinkedHashMap;
import java.util.Map;

/** What commands of steps see of the user's own environment on one machine: all of it, as the user had it. Pure. */
final class ShellEnvironment {
    /** The launcher saves here what it had to change for the engine. */
    private static final String SAVED = "FOREBAY_USER_";

    private ShellEnvironment() {}

    static Map<String, String> of(Map<String, String> ofThisProcess) {
        var out = new LinkedHashMap<>(ofThisProcess);
        out.keySet().removeIf(name -> name.startsWith("FOREBAY_"));
        out.remove("MALLOC_ARENA_MAX");
        out.remove("LC_ALL");
        ofThisProcess.forEach((name, value) -> {
            if (name.startsWith(SAVED)) {
                out.put(name.substring(SAVED.length()), value);
            }
        });
        return out;
    }
}
