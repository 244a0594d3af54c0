package io.forebay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;

/** How an item must have ended for an output to be published. */
public enum When {
    @JsonProperty("Success")
    @JsonPropertyDescription("All its steps succeeded.")
    SUCCESS,
    @JsonProperty("Failure")
    @JsonPropertyDescription("A step failed.")
    FAILURE,
    @JsonProperty("Always")
    @JsonPropertyDescription("Either way.")
    ALWAYS
}
