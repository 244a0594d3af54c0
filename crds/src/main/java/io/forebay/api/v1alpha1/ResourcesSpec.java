package io.forebay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.forebay.api.schema.Size;
import io.forebay.api.schema.Syntax;
import io.forebay.api.schema.Text;
import java.util.Map;

/** Needs and bounds of one item in one step, as in a Kubernetes container. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record ResourcesSpec(
        @JsonPropertyDescription(
                "What is set aside: cpu (1, 500m), memory (2Gi), devices (nvidia.com/gpu). Unset: the limit, else "
                        + "nothing.")
        @Size(max = 16)
        @Text(Syntax.RESOURCE)
        Map<String, String> requests,

        @JsonPropertyDescription("What may not be passed: an item above limits.memory is ended. Unset: no limit.")
        @Size(max = 16)
        @Text(Syntax.RESOURCE)
        Map<String, String> limits) {
    public ResourcesSpec {
        requests = requests == null ? Map.of() : Map.copyOf(requests);
        limits = limits == null ? Map.of() : Map.copyOf(limits);
    }
}
