package io.forebay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;

/** When an output becomes visible at its destination. */
public enum Publish {
    @JsonProperty("OnItem")
    @JsonPropertyDescription(
            "All of an item's outputs, when the item has ended and all are verified: none before. Names then follow one after the other, in no certain order: a reader may see some before the others.")
    ON_ITEM,
    @JsonProperty("OnClose")
    @JsonPropertyDescription(
            "Each file when it has been closed: for checkpoints and logs. It stays when the item fails later.")
    ON_CLOSE
}
