package io.forebay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.forebay.api.schema.Required;
import org.jspecify.annotations.Nullable;

/** One condition, as on other Kubernetes objects. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record StatusCondition(
        @JsonPropertyDescription("What it is about.") @Required
        String type,

        @JsonPropertyDescription("True, False or Unknown.") @Required
        String status,

        @JsonPropertyDescription("Why, one word.") @Nullable String reason,

        @JsonPropertyDescription("Why, for people.") @Nullable
        String message,

        @JsonPropertyDescription("When status last changed, RFC 3339.") @Nullable
        String lastTransitionTime,

        @JsonPropertyDescription("Generation of the object that it is about.") @Nullable
        Long observedGeneration) {}
