package io.forebay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.forebay.api.schema.Size;
import io.forebay.api.schema.UniqueBy;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What has been done; bounded in size whatever the job holds (counts, first errors, a pointer to the records). */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record PipelineJobStatus(
        @JsonPropertyDescription("Generation of the object that this status is about.") @Nullable
        Long observedGeneration,

        @JsonPropertyDescription("Where the job is.") @Nullable
        Phase phase,

        @JsonPropertyDescription("Why it is there, one word: AccessDenied, NoSpace, NoInputs, Deadline...") @Nullable
        String reason,

        @JsonPropertyDescription("Why it is there, for people; where something failed, what, where and what to do.")
        @Nullable
        String message,

        @JsonPropertyDescription(
                "Exit code of the coordinator: 0 all durable, 1 a step failed, 64 manifest refused, 65 an input cannot be"
                        + " had, 74 an output is not durable, 75 passing fault, 124 deadline, 130 or 143 cancelled, 70 a fault of"
                        + " Forebay's own. Unset: not ended.")
        @Nullable
        Integer exitCode,

        @JsonPropertyDescription("Start of the coordinator, RFC 3339.") @Nullable
        String startTime,

        @JsonPropertyDescription("When all had ended, RFC 3339.") @Nullable
        String completionTime,

        @JsonPropertyDescription("The value of spec.run that this status is about.") @Nullable
        String run,

        @JsonPropertyDescription("Folder with the job's plan and records.") @Nullable
        String records,

        @JsonPropertyDescription("Workers that are registered with the coordinator.") @Nullable
        Integer workers,

        @JsonPropertyDescription("Items by what became of them.") @Nullable
        ItemCounts items,

        @JsonPropertyDescription("Files and bytes.") @Nullable
        DataCounts data,

        @JsonPropertyDescription("The columns of kubectl get.") @Nullable
        StatusColumns columns,

        @JsonPropertyDescription("The first errors, one line each; all of them are in the records.") @Size(max = 20)
        List<String> errors,

        @JsonPropertyDescription(
                "Conditions, as on other Kubernetes objects: Planned, Running, Succeeded, Failed, ProgressUnknown.")
        @Size(max = 16)
        @UniqueBy("type")
        List<StatusCondition> conditions) {
    public PipelineJobStatus {
        errors = errors == null ? List.of() : List.copyOf(errors);
        conditions = conditions == null ? List.of() : List.copyOf(conditions);
    }
}
