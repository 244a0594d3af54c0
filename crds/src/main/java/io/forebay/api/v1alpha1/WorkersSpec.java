package io.forebay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.forebay.api.schema.Default;
import io.forebay.api.schema.Mutable;
import io.forebay.api.schema.Range;
import io.forebay.api.schema.Rule;
import org.jspecify.annotations.Nullable;

/** How many pods or nodes, and how many items in each. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
@Rule(
        cel = "!has(self.min) || self.min <= (has(self.max) ? self.max : self.min)",
        message = Texts.MIN_ABOVE_MAX,
        field = ".min")
public record WorkersSpec(
        @JsonPropertyDescription("Pods, or nodes, at most; never more than there are items.")
        @Mutable
        @Range(min = 1, max = 10000)
        @Default("1, or min")
        @Nullable
        Integer max,

        @JsonPropertyDescription(
                "Pods that stay until all items have ended, so that a late failure finds one; any number from min to "
                        + "max makes progress.")
        @Range(min = 1, max = 10000)
        @Default("1")
        @Nullable
        Integer min,

        @JsonPropertyDescription("Items in one step of one worker at the same time at most.")
        @Range(min = 1, max = 1024)
        @Default("1")
        @Nullable
        Integer slots) {}
