package io.forebay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.forebay.api.schema.Default;
import io.forebay.api.schema.Rule;
import io.forebay.api.schema.Syntax;
import io.forebay.api.schema.Text;
import org.jspecify.annotations.Nullable;

/** How long the job may take. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
@Rule(
        cel =
                "!has(self.run) || !has(self.drain) || !self.run.matches('^([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?$')"
                        + " || !self.drain.matches('^([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?$') || duration(self.drain) <= duration(self.run)",
        message = Texts.DRAIN_ABOVE_RUN,
        field = ".drain")
public record DeadlinesSpec(
        @JsonPropertyDescription(
                "Time from the start of the coordinator until no further item is begun and running steps are ended: "
                        + "4h, 1h30m. Unset: no limit.")
        @Text(Syntax.DURATION)
        @Nullable
        String run,

        @JsonPropertyDescription(
                "Time after run, or after a cancellation, for publishing what is finished; what is not published by "
                        + "then is listed. At most run.")
        @Text(Syntax.DURATION)
        @Default("30m, or run where that is shorter")
        @Nullable
        String drain) {}
