package io.forebay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.forebay.api.schema.Default;
import io.forebay.api.schema.Size;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where an item's data is kept while it is worked on. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record BufferSpec(
        @JsonPropertyDescription(
                "Places, fastest first. An item goes to the first one that it fits in, and to the next when it "
                        + "outgrows it.")
        @Size(min = 1, max = 4)
        @Default("[{medium: Memory, size: 1Gi}, {medium: Disk, size: 10Gi}]")
        List<TierSpec> tiers,

        @JsonPropertyDescription(
                "How much one item writes. Unset: learned from the items that have ended; at first 3 times an item's "
                        + "inputs.")
        @Nullable
        ItemSpec item) {
    public BufferSpec {
        tiers = tiers == null ? List.of() : List.copyOf(tiers);
    }
}
