package io.forebay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.forebay.api.schema.Default;
import io.forebay.api.schema.Range;
import org.jspecify.annotations.Nullable;

/** Whether items are placed where their inputs are cached. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record LocalitySpec(
        @JsonPropertyDescription("How much it matters.") @Default("Preferred") @Nullable
        LocalityMode mode,

        @JsonPropertyDescription(
                "Seconds that an item waits for the place it is best at, also with Required, before it goes anywhere; "
                        + "0: not at all.")
        @Range(min = 0, max = 86400)
        @Default("60")
        @Nullable
        Integer waitSeconds) {}
