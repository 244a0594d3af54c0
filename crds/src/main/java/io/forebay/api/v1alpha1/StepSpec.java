package io.forebay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.forebay.api.schema.Default;
import io.forebay.api.schema.Required;
import io.forebay.api.schema.Rule;
import io.forebay.api.schema.Size;
import io.forebay.api.schema.Syntax;
import io.forebay.api.schema.Text;
import io.forebay.api.schema.UniqueBy;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One program of the pipeline. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record StepSpec(
        @JsonPropertyDescription("Name in messages, and the container's: lower case letters, digits and '-'.")
        @Required
        @Text(Syntax.STEP_NAME)
        String name,

        @JsonPropertyDescription(
                "Container image. Needed on Kubernetes; elsewhere it is run by apptainer or podman where there is "
                        + "one, else the command runs on the host.")
        @Nullable
        String image,

        @JsonPropertyDescription(
                "Program and arguments, run for each item in $(WORK), without a shell. $(INPUT), $(INPUT_name), "
                        + "$(ITEM), $(DIR), $(NAME), $(STEM), $(WORK) and $(OUT) are replaced; $$ is a $. Inside the text of sh "
                        + "-c and the like they are refused: use the environment variables FOREBAY_INPUT and so on there.")
        @Required
        @Size(min = 1, max = 256)
        @Text(Syntax.FREE)
        @Rule(cel = ProgramTextRule.CEL, messageExpression = ProgramTextRule.MESSAGE)
        List<String> command,

        @JsonPropertyDescription(
                "Environment variables of the program, beside FOREBAY_INPUT and so on and those of the image or the "
                        + "user.")
        @Size(max = 256)
        @UniqueBy("name")
        List<EnvVar> env,

        @JsonPropertyDescription("What one item needs in this step; a container's limit is slots times that.") @Nullable
        ResourcesSpec resources,

        @JsonPropertyDescription(
                "Kubernetes: whether the step runs as the image's own user rather than podTemplate's runAsUser or "
                        + "65532.")
        @Default("false")
        @Nullable
        Boolean useImageUser) {
    public StepSpec {
        command = command == null ? List.of() : List.copyOf(command);
        env = env == null ? List.of() : List.copyOf(env);
    }
}
