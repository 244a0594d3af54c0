package io.forebay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.forebay.api.schema.Syntax;
import io.forebay.api.schema.Text;
import org.jspecify.annotations.Nullable;

/** The most that one item writes. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record ItemSpec(
        @JsonPropertyDescription("Bytes below $(WORK). Unset: learned.") @Text(Syntax.QUANTITY) @Nullable
        String work,

        @JsonPropertyDescription("Bytes below $(OUT). Unset: learned.") @Text(Syntax.QUANTITY) @Nullable
        String outputs) {}
