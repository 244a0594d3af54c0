package io.forebay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;

/** What a symbolic link among the inputs is. */
public enum Symlinks {
    @JsonProperty("Preserve")
    @JsonPropertyDescription("A link: it is made again in the buffer with the same target.")
    PRESERVE,
    @JsonProperty("Follow")
    @JsonPropertyDescription(
            "The file or folder that it points to, if that lies below source; else it is left out and named, and the run ends with 65.")
    FOLLOW,
    @JsonProperty("Error")
    @JsonPropertyDescription("A fault: the job is refused, naming it.")
    ERROR
}
