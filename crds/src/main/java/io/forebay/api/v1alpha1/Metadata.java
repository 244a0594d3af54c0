package io.forebay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.forebay.api.schema.Default;
import io.forebay.api.schema.Required;
import io.forebay.api.schema.Size;
import io.forebay.api.schema.Syntax;
import io.forebay.api.schema.Text;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The part of an object's metadata that Forebay reads; all else that Kubernetes puts there is accepted and ignored. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record Metadata(
        @JsonPropertyDescription(
                "Name of the job, unique in its namespace; also that of its folder below records. Lower case letters, "
                        + "digits, '-' and '.'.")
        @Required
        @Text(Syntax.JOB_NAME)
        String name,

        @JsonPropertyDescription("Namespace on Kubernetes. Part of the job's identity everywhere.")
        @Text(Syntax.NAMESPACE)
        @Default("default")
        @Nullable
        String namespace,

        @JsonPropertyDescription(
                "Labels, as on any Kubernetes object; kueue.x-k8s.io/queue-name is handed to the worker Job.")
        @Size(max = 256)
        Map<String, String> labels,

        @JsonPropertyDescription("Annotations, as on any Kubernetes object.") @Size(max = 256)
        Map<String, String> annotations) {
    public Metadata {
        labels = labels == null ? Map.of() : Map.copyOf(labels);
        annotations = annotations == null ? Map.of() : Map.copyOf(annotations);
    }
}
