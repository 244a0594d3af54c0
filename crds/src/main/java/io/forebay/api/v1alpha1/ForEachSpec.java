package io.forebay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.forebay.api.schema.Required;
import io.forebay.api.schema.Syntax;
import io.forebay.api.schema.Text;
import org.jspecify.annotations.Nullable;

/** What makes an item. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record ForEachSpec(
        @JsonPropertyDescription(
                "Name of the input whose files, or groups of files, make the items. All other inputs are brought in "
                        + "once per worker and shared, read-only.")
        @Required
        @Text(Syntax.IDENTIFIER)
        String input,

        @JsonPropertyDescription(
                "Pattern of folders below source that make one item each, with all files below: sub-* makes one per "
                        + "subject, sub-*/ses-* one per session of a subject, */* one per folder of the second level. It matches the "
                        + "path of a folder or the end of that path; of a folder and one in it the outer one is the group. Files outside any such folder are left out and named. Unset: one item per file.")
        @Text(Syntax.GLOB)
        @Nullable
        String groupBy) {}
