package io.forebay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import org.jspecify.annotations.Nullable;

/** What kubectl get shows, ready to be read. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record StatusColumns(
        @JsonPropertyDescription("Items done / total.") @Nullable
        String items,

        @JsonPropertyDescription("Input bytes in a buffer so far / planned.") @Nullable
        String staged,

        @JsonPropertyDescription("Output bytes published.") @Nullable
        String flushed,

        @JsonPropertyDescription("Bytes per second from the stores.") @Nullable
        String in,

        @JsonPropertyDescription("Bytes per second to the stores.") @Nullable
        String out,

        @JsonPropertyDescription("Items per minute.") @Nullable
        String rate,

        @JsonPropertyDescription("Workers registered / most.") @Nullable
        String workers) {}
