package io.forebay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.forebay.api.schema.Default;
import io.forebay.api.schema.Required;
import io.forebay.api.schema.Syntax;
import io.forebay.api.schema.Text;
import org.jspecify.annotations.Nullable;

/** One environment variable. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record EnvVar(
        @JsonPropertyDescription("Letters, digits and '_'; FOREBAY_... is reserved.") @Required @Text(Syntax.ENV_NAME)
        String name,

        @JsonPropertyDescription("Its value; variables are replaced as in command.")
        @Text(Syntax.FREE)
        @Default("\"\"")
        @Nullable
        String value) {}
