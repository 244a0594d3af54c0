package io.forebay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;

/** What a tier of the buffer is made of. */
public enum Medium {
    @JsonProperty("Memory")
    @JsonPropertyDescription("A memory file system: emptyDir with medium Memory; a private folder in /dev/shm.")
    MEMORY,
    @JsonProperty("Disk")
    @JsonPropertyDescription("The node's disk: emptyDir; a folder below the user's cache or --buffer-dir.")
    DISK,
    @JsonProperty("Ephemeral")
    @JsonPropertyDescription("Kubernetes: a volume made for the pod by a StorageClass. Elsewhere as Disk.")
    EPHEMERAL
}
