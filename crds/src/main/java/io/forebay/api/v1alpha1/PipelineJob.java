package io.forebay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.forebay.api.schema.Required;
import org.jspecify.annotations.Nullable;

/** A batch pipeline and the burst buffer that carries its data: one manifest for one machine, Kubernetes and Slurm. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record PipelineJob(
        @JsonPropertyDescription("Always forebay.io/v1alpha1.") @Required
        String apiVersion,

        @JsonPropertyDescription("Always PipelineJob.") @Required
        String kind,

        @JsonPropertyDescription("Name, and what Kubernetes keeps with it.") @Required
        Metadata metadata,

        @JsonPropertyDescription(
                "What is to be done. Immutable but for suspend, workers.max, deadlines, ttlSecondsAfterFinished and "
                        + "run.")
        @Required
        PipelineJobSpec spec,

        @JsonPropertyDescription("What has been done; written by the operator, ignored in a file.") @Nullable
        PipelineJobStatus status) {
    /** Of the group. */
    public static final String GROUP = "forebay.io";

    public static final String VERSION = "v1alpha1";
    public static final String API_VERSION = GROUP + "/" + VERSION;
    public static final String KIND = "PipelineJob";
    public static final String PLURAL = "pipelinejobs";
    public static final String SHORT_NAME = "pj";
}
