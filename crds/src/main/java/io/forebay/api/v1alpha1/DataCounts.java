package io.forebay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import org.jspecify.annotations.Nullable;

/** Files and bytes brought in and written back. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record DataCounts(
        @JsonPropertyDescription("Input files.") @Nullable Long filesPlanned,

        @JsonPropertyDescription("Bytes of the input files.") @Nullable
        Long bytesPlanned,

        @JsonPropertyDescription("Input files in a buffer so far.") @Nullable
        Long filesStaged,

        @JsonPropertyDescription("Their bytes.") @Nullable Long bytesStaged,

        @JsonPropertyDescription("Output files published so far.") @Nullable
        Long filesFlushed,

        @JsonPropertyDescription("Their bytes.") @Nullable Long bytesFlushed,

        @JsonPropertyDescription("Output files that could not be written back; listed in UNEXPORTED.jsonl.") @Nullable
        Long filesUnexported,

        @JsonPropertyDescription("Their bytes.") @Nullable Long bytesUnexported,

        @JsonPropertyDescription("When these figures were taken, RFC 3339.") @Nullable
        String updated) {}
