package io.forebay.api.manifest;

import io.forebay.api.v1alpha1.Metadata;
import io.forebay.api.v1alpha1.StepSpec;
import io.forebay.api.v1alpha1.WorkersSpec;
import java.util.Map;
import java.util.Optional;

/** Fields that users of other systems look for, and where they are here. */
final class KnownMistakes {
    private static final Map<Class<?>, Map<String, String>> HINTS = Map.of(
            StepSpec.class,
            Map.of(
                    "args", "; put the arguments into command",
                    "script", "; write command: [sh, -c, '...']",
                    "volumeMounts", "; declare inputs and outputs, or podTemplate.spec.volumes",
                    "workingDir", "; a step runs in $(WORK)",
                    "cmd", "; did you mean 'command'?"),
            WorkersSpec.class,
            Map.of("replicas", "; did you mean 'max'?", "count", "; did you mean 'max'?"),
            Metadata.class,
            Map.of("generateName", "; only kubectl create knows it; give the job a name"));

    private KnownMistakes() {}

    static Optional<String> hint(Class<? extends Record> type, String field) {
        return Optional.ofNullable(HINTS.getOrDefault(type, Map.of()).get(field));
    }
}
