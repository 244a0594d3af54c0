package io.forebay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;

/** How it is made sure that the destination has the right bytes. */
public enum Verify {
    @JsonProperty("Store")
    @JsonPropertyDescription("By the checksum that the store returns; read back where it returns none.")
    STORE,
    @JsonProperty("ReadBack")
    @JsonPropertyDescription("Each file is read back from the destination and compared.")
    READ_BACK
}
