package io.forebay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;

/** When an output becomes visible at its destination. */
public enum Publish {
    @JsonProperty("OnItem")
    @JsonPropertyDescription("All of an item's outputs together, when the item has ended.")
    ON_ITEM,
    @JsonProperty("OnClose")
    @JsonPropertyDescription(
            "Each file when it has been closed: for checkpoints and logs. It stays when the item fails later.")
    ON_CLOSE
}
