package io.forebay.operator.decide;

import io.forebay.api.manifest.Problem;
import io.forebay.api.v1alpha1.Phase;
import io.forebay.api.v1alpha1.PipelineJobStatus;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The status of a job whose manifest cannot be carried here: it has ended before anything was made. */
public final class Refusal {
    private static final int REFUSED = 64;
    private static final int ERRORS = 20;

    private Refusal() {}

    /** @param problems at least one */
    public static PipelineJobStatus of(
            @Nullable PipelineJobStatus last, List<Problem> problems, long generation, Instant now) {
        var lines = problems.stream().limit(ERRORS).map(Problem::toString).collect(Collectors.toList());
        var message =
                Texts.cut(lines.getFirst() + (problems.size() > 1 ? " (and " + (problems.size() - 1) + " more)" : ""));
        var at = last != null && last.completionTime() != null ? last.completionTime() : Conditions.text(now);
        return new PipelineJobStatus(
                generation,
                Phase.FAILED,
                "Invalid",
                message,
                REFUSED,
                last == null ? null : last.startTime(),
                at,
                null,
                null,
                null,
                null,
                null,
                null,
                lines,
                new Conditions(last, generation, now)
                        .set("Failed", true, "Invalid", message)
                        .all());
    }
}
