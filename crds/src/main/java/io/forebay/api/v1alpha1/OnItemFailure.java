package io.forebay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;

/** What happens to the other items when one has failed for good. */
public enum OnItemFailure {
    @JsonProperty("Continue")
    @JsonPropertyDescription("The others go on; the job fails at its end.")
    CONTINUE,
    @JsonProperty("Stop")
    @JsonPropertyDescription("No further item is started; those running are finished.")
    STOP
}
