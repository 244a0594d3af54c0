package io.forebay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import org.jspecify.annotations.Nullable;

/** Items by what became of them. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record ItemCounts(
        @JsonPropertyDescription("Items planned.") @Nullable Long total,

        @JsonPropertyDescription("Items whose outputs are durable.") @Nullable
        Long done,

        @JsonPropertyDescription("Items that failed for good.") @Nullable
        Long failed,

        @JsonPropertyDescription("Items leased to a worker.") @Nullable
        Long running,

        @JsonPropertyDescription("Times that an item was run again.") @Nullable
        Long retries) {}
