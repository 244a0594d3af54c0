package io.forebay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.forebay.api.schema.Default;
import io.forebay.api.schema.Range;
import org.jspecify.annotations.Nullable;

/** How often what failed is tried again. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record RetrySpec(
        @JsonPropertyDescription(
                "Times that an item whose step failed is run again; 0: never. Deaths of nodes and pods do not count.")
        @Range(min = 0, max = 100)
        @Default("2")
        @Nullable
        Integer item,

        @JsonPropertyDescription(
                "Deaths in a row, without a finished item between, after which a worker is given up; 0: the first is "
                        + "the last.")
        @Range(min = 0, max = 100)
        @Default("3")
        @Nullable
        Integer worker) {}
