package io.forebay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.forebay.api.schema.Default;
import io.forebay.api.schema.Required;
import io.forebay.api.schema.Size;
import io.forebay.api.schema.Syntax;
import io.forebay.api.schema.Text;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Files of one store. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record InputSpec(
        @JsonPropertyDescription(
                "Name in forEach.input, $(INPUT_name) and FOREBAY_INPUT_name: letters, digits and '_'.")
        @Required
        @Text(Syntax.IDENTIFIER)
        String name,

        @JsonPropertyDescription(
                "Folder, prefix or single file: s3://bucket/prefix, lustre:///path, file:///path. Taken as it is: %20 "
                        + "means %20.")
        @Required
        @Text(Syntax.URI)
        String source,

        @JsonPropertyDescription(
                "Patterns of the keys meant, relative to source: * and ? within a folder, ** across folders, [a-z], "
                        + "[!a-z], {a,b}, \\\\ before a special character. A key is taken if any of them matches.")
        @Size(min = 1, max = 32)
        @Text(Syntax.GLOB)
        @Default("[\"**\"]")
        List<String> include,

        @JsonPropertyDescription("Patterns of keys that are left out although include takes them.")
        @Size(max = 32)
        @Text(Syntax.GLOB)
        List<String> exclude,

        @JsonPropertyDescription("lustre, file: what a symbolic link is.") @Default("Follow") @Nullable
        Symlinks symlinks) {
    public InputSpec {
        include = include == null ? List.of() : List.copyOf(include);
        exclude = exclude == null ? List.of() : List.copyOf(exclude);
    }
}
