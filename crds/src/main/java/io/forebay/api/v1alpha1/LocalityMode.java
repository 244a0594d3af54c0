package io.forebay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;

/** How much it matters that items are near their inputs. */
public enum LocalityMode {
    @JsonProperty("None")
    @JsonPropertyDescription("Not at all.")
    NONE,
    @JsonProperty("Preferred")
    @JsonPropertyDescription("An item waits waitSeconds for such a place.")
    PREFERRED,
    @JsonProperty("Required")
    @JsonPropertyDescription("Also pods are placed so; falls back after waitSeconds.")
    REQUIRED
}
