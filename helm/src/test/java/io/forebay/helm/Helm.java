package io.forebay.helm;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The {@code helm} command.
 *
 * @param home a folder for what it keeps
 * @param environment for each call
 */
record Helm(Path program, Path home, Map<String, String> environment) {
    Helm {
        environment = Map.copyOf(environment);
    }

    /** Without a cluster. The test is left out, and says why, where there is no Helm. */
    static Helm assumed(Path home) {
        return new Helm(Programs.assumed("helm"), home, Map.of());
    }

    Programs.Result run(String... words) {
        var line = new ArrayList<>(List.of(program.toString()));
        line.addAll(List.of(words));
        var all = new HashMap<>(environment);
        all.put("HOME", home.toString());
        return Programs.run(line, all);
    }
}
