package io.forebay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.forebay.api.schema.Required;
import io.forebay.api.schema.Rule;
import io.forebay.api.schema.Syntax;
import io.forebay.api.schema.Text;
import org.jspecify.annotations.Nullable;

/** One place of the buffer, per worker. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
@Rule(
        cel = "!has(self.storageClassName) || self.medium == 'Ephemeral'",
        message = Texts.STORAGE_CLASS,
        field = ".storageClassName")
@Rule(
        cel = "!isQuantity(string(self.size)) || quantity(string(self.size)).compareTo(quantity('64Mi')) >= 0",
        messageExpression = "\"'\" + string(self.size) + \"' " + Texts.TIER_TOO_SMALL + "\"",
        field = ".size")
public record TierSpec(
        @JsonPropertyDescription("What it is made of.") @Required
        Medium medium,

        @JsonPropertyDescription(
                "Bytes of it that a worker uses at most, at least 64Mi. Memory counts towards the pod's memory; "
                        + "outside Kubernetes it is never more than half of what is available.")
        @Required
        @Text(Syntax.QUANTITY)
        String size,

        @JsonPropertyDescription("Kubernetes, Ephemeral only: the StorageClass. Unset: the cluster's default.")
        @Text(Syntax.JOB_NAME)
        @Nullable
        String storageClassName) {}
