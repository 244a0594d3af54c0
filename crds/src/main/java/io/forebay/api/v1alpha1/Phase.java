package io.forebay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;

/** Where a job is. */
public enum Phase {
    @JsonProperty("Pending")
    @JsonPropertyDescription("Accepted; nothing has started.")
    PENDING,
    @JsonProperty("Suspended")
    @JsonPropertyDescription("Held by spec.suspend or by a queue.")
    SUSPENDED,
    @JsonProperty("Planning")
    @JsonPropertyDescription("Inputs are listed, items made.")
    PLANNING,
    @JsonProperty("Running")
    @JsonPropertyDescription("Items are worked on.")
    RUNNING,
    @JsonProperty("Draining")
    @JsonPropertyDescription("No further item is begun; what is finished is published.")
    DRAINING,
    @JsonProperty("Succeeded")
    @JsonPropertyDescription("All items are done and all selected outputs durable.")
    SUCCEEDED,
    @JsonProperty("Failed")
    @JsonPropertyDescription("Ended otherwise; see reason.")
    FAILED,
    @JsonProperty("Cancelled")
    @JsonPropertyDescription("Ended by a user; resumable.")
    CANCELLED
}
