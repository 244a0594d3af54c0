package io.forebay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.forebay.api.schema.Default;
import io.forebay.api.schema.Required;
import io.forebay.api.schema.Syntax;
import io.forebay.api.schema.Text;
import org.jspecify.annotations.Nullable;

/** Files of each item that are written back. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record OutputSpec(
        @JsonPropertyDescription("Name in messages and records: letters, digits and '_'.")
        @Required
        @Text(Syntax.IDENTIFIER)
        String name,

        @JsonPropertyDescription(
                "Pattern of the files meant, relative to $(OUT); may hold $(ITEM), $(DIR), $(NAME), $(STEM), which "
                        + "stand for themselves.")
        @Text(Syntax.PATH_TEMPLATE)
        @Default("\"**\"")
        @Nullable
        String path,

        @JsonPropertyDescription(
                "Folder that they are published in, under their path below $(OUT); may hold $(ITEM), $(DIR), $(NAME), "
                        + "$(STEM) after a fixed start.")
        @Required
        @Text(Syntax.FOLDER_TEMPLATE)
        String to,

        @JsonPropertyDescription("When they become visible.") @Default("OnItem") @Nullable
        Publish publish,

        @JsonPropertyDescription("How the item must have ended.") @Default("Success") @Nullable
        When when,

        @JsonPropertyDescription("Whether an item that ended as in when, but left no such file, has failed.")
        @Default("true")
        @Nullable
        Boolean required,

        @JsonPropertyDescription("How it is made sure that the destination has the right bytes.")
        @Default("Store")
        @Nullable
        Verify verify) {}
