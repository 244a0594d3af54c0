package io.forebay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import com.fasterxml.jackson.databind.JsonNode;
import io.forebay.api.schema.Default;
import io.forebay.api.schema.Mutable;
import io.forebay.api.schema.Range;
import io.forebay.api.schema.Required;
import io.forebay.api.schema.Rule;
import io.forebay.api.schema.Size;
import io.forebay.api.schema.Syntax;
import io.forebay.api.schema.Text;
import io.forebay.api.schema.UniqueBy;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a job does, with what, and within which bounds. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
@Rule(
        cel = "!has(self.forEach) || (has(self.inputs) && self.inputs.exists(i, i.name == self.forEach.input))",
        messageExpression = "\"'\" + self.forEach.input + \"' " + Texts.NO_SUCH_INPUT + "\"",
        field = ".forEach.input")
@Rule(
        cel = "has(self.records) || (has(self.outputs) && self.outputs.size() > 0)",
        message = Texts.NO_RECORDS,
        field = ".records",
        requiredValue = true)
public record PipelineJobSpec(
        @JsonPropertyDescription(
                "How to reach what the URIs of this job name. A URI belongs to the entry with the longest uri that is "
                        + "its prefix; one without entry is reached with defaults: the user's own or the pod's identity.")
        @Size(max = 16)
        @UniqueBy("uri")
        List<StoreSpec> stores,

        @JsonPropertyDescription("Files that are brought into the buffer before the steps that read them run.")
        @Size(max = 16)
        @UniqueBy("name")
        List<InputSpec> inputs,

        @JsonPropertyDescription(
                "What makes an item: the unit that passes through all steps, fails, is run again and is published by "
                        + "itself. Unset: the whole job is one item.")
        @Nullable
        ForEachSpec forEach,

        @JsonPropertyDescription(
                "What is run for each item, one after the other, on one node, while its data is in the buffer.")
        @Required
        @Size(min = 1, max = 16)
        @UniqueBy("name")
        List<StepSpec> steps,

        @JsonPropertyDescription(
                "What of an item is written back, and where to. Everything else that a step writes is an intermediate "
                        + "and ends with the item. Unset: nothing is written back.")
        @Size(max = 16)
        @UniqueBy("name")
        List<OutputSpec> outputs,

        @JsonPropertyDescription("Where an item's data is kept while it is worked on.") @Nullable
        BufferSpec buffer,

        @JsonPropertyDescription("How many pods or nodes work on the job, and how many items each has at once.")
        @Nullable
        WorkersSpec workers,

        @JsonPropertyDescription("Whether items are placed where their inputs are cached.") @Nullable
        LocalitySpec locality,

        @JsonPropertyDescription("How often what failed is tried again.") @Nullable
        RetrySpec retry,

        @JsonPropertyDescription("What happens to the other items when one has failed for good.")
        @Default("Continue")
        @Nullable
        OnItemFailure onItemFailure,

        @JsonPropertyDescription("How long the job may take.") @Mutable @Nullable
        DeadlinesSpec deadlines,

        @JsonPropertyDescription(
                "Folder for plan, commit intents and completion records: what makes a job resumable. Each job has its "
                        + "own folder below it. Unset: .forebay/ below the fixed start of the first output's destination; so a "
                        + "job without outputs must set it.")
        @Text(Syntax.URI)
        @Nullable
        String records,

        @JsonPropertyDescription(
                "Kubernetes: whether the job is held: no pods while true. With a queue label Kueue sets and unsets "
                        + "it. Not looked at elsewhere.")
        @Mutable
        @Default("false")
        @Nullable
        Boolean suspend,

        @JsonPropertyDescription(
                "Kubernetes: any text; a new one runs a finished job again. Items whose inputs, steps and output "
                        + "rules are unchanged are skipped.")
        @Mutable
        @Nullable
        String run,

        @JsonPropertyDescription(
                "Kubernetes: seconds after its end until the object and its pods are deleted; 0: at once. Records and "
                        + "outputs stay. Unset: never.")
        @Mutable
        @Range(min = 0, max = Integer.MAX_VALUE)
        @Nullable
        Integer ttlSecondsAfterFinished,

        @JsonPropertyDescription(
                "Kubernetes: what is merged into the pods of workers and coordinator: a PodTemplateSpec with metadata "
                        + "(labels, annotations) and spec (serviceAccountName, nodeSelector, affinity, tolerations, "
                        + "securityContext, imagePullSecrets, priorityClassName, terminationGracePeriodSeconds, volumes). Not "
                        + "looked at elsewhere.")
        @Nullable
        JsonNode podTemplate) {
    public PipelineJobSpec {
        stores = stores == null ? List.of() : List.copyOf(stores);
        inputs = inputs == null ? List.of() : List.copyOf(inputs);
        steps = steps == null ? List.of() : List.copyOf(steps);
        outputs = outputs == null ? List.of() : List.copyOf(outputs);
    }
}
