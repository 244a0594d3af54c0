package io.forebay.api.job;

import io.forebay.api.manifest.ManifestText;
import io.forebay.api.manifest.Problem;
import io.forebay.api.manifest.Problems;
import io.forebay.api.v1alpha1.PipelineJob;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads a PipelineJob, YAML or JSON in UTF-8, as {@code forebay}, the coordinator and the operator do: strictly, and telling
 * all faults at once. Pure; no I/O.
 */
public final class JobReader {
    /** What came of a text. */
    public sealed interface Result {
        /** All that is wrong with it, or nothing. */
        default List<Problem> problems() {
            return switch (this) {
                case Valid _ -> List.of();
                case Invalid invalid -> invalid.problems;
            };
        }
    }

    /** @param manifest as written, for what only Kubernetes looks at (podTemplate, suspend) */
    public record Valid(Job job, PipelineJob manifest) implements Result {}

    /** @param problems at least one, in the order of the text */
    public record Invalid(List<Problem> problems) implements Result {
        public Invalid {
            problems = List.copyOf(problems);
        }
    }

    private JobReader() {}

    /** Reads a text that has no place of its own, as from the API server: relative {@code file://./} URIs are refused. */
    public static Result read(byte[] text) {
        return read(text, null);
    }

    /** @param folder absolute; what {@code file://./} means, the folder of the manifest's file */
    public static Result read(byte[] text, @Nullable Path folder) {
        var problems = new Problems();
        var parsed = ManifestText.parse(text, problems);
        if (parsed.isPresent()) {
            var manifest = folder == null ? parsed.get() : parsed.get().mapTexts(new RelativeUris(folder)::absolute);
            var job = manifest.bind(PipelineJob.class, problems);
            SpecRules.check(job, problems);
            if (problems.isEmpty()) {
                return new Valid(JobBuilder.build(job, CanonicalManifest.of(manifest.toJson())), job);
            }
        }
        return new Invalid(problems.all());
    }

    /**
     * Reads back what {@link Job#manifest()} is.
     *
     * @throws IllegalArgumentException if it is none
     */
    public static Job readCanonical(String manifest) {
        return switch (read(manifest.getBytes(StandardCharsets.UTF_8))) {
            case Valid valid -> valid.job();
            case Invalid invalid ->
                throw new IllegalArgumentException(
                        "no valid manifest: " + invalid.problems().getFirst());
        };
    }
}
