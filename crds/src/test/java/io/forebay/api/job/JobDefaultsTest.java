package io.forebay.api.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.api.schema.Default;
import io.forebay.api.v1alpha1.BufferSpec;
import io.forebay.api.v1alpha1.DeadlinesSpec;
import io.forebay.api.v1alpha1.EnvVar;
import io.forebay.api.v1alpha1.InputSpec;
import io.forebay.api.v1alpha1.LocalitySpec;
import io.forebay.api.v1alpha1.Metadata;
import io.forebay.api.v1alpha1.OutputSpec;
import io.forebay.api.v1alpha1.PipelineJobSpec;
import io.forebay.api.v1alpha1.RetrySpec;
import io.forebay.api.v1alpha1.StoreSpec;
import io.forebay.api.v1alpha1.WorkersSpec;
import java.lang.reflect.ParameterizedType;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** What the reference page says of absent fields is what is filled in. */
class JobDefaultsTest {
    private static final Job JOB = JobReaderTest.valid("""
            apiVersion: forebay.io/v1alpha1
            kind: PipelineJob
            metadata: {name: x}
            spec:
              stores: [{uri: "s3://b"}]
              inputs: [{name: in, source: "s3://b/in/"}]
              steps: [{name: a, command: [work], env: [{name: A}]}]
              outputs: [{name: out, to: "s3://b/out/"}]
            """);

    private static final Set<String> CHECKED = new HashSet<>();

    private static void says(Class<? extends Record> type, String field, Object expected) {
        var component = Arrays.stream(type.getRecordComponents())
                .filter(c -> c.getName().equals(field))
                .findFirst()
                .orElseThrow();
        CHECKED.add(type.getSimpleName() + "." + field);
        assertThat(component.getAnnotation(Default.class).value())
                .as("%s.%s", type.getSimpleName(), field)
                .isEqualTo(expected.toString());
    }

    private static String word(Enum<?> constant) {
        var words = new StringBuilder();
        for (var part : constant.name().split("_")) {
            words.append(part.charAt(0)).append(part.substring(1).toLowerCase(Locale.ROOT));
        }
        return words.toString();
    }

    @Test
    void scalars() {
        says(Metadata.class, "namespace", JOB.namespace());
        says(PipelineJobSpec.class, "onItemFailure", word(JOB.onItemFailure()));
        says(StoreSpec.class, "anonymous", JOB.stores().getFirst().anonymous());
        says(InputSpec.class, "include", "[\"" + JOB.input("in").include().getFirst() + "\"]");
        says(InputSpec.class, "symlinks", word(JOB.input("in").symlinks()));
        says(EnvVar.class, "value", "\"" + JOB.steps().getFirst().env().get("A") + "\"");
        var output = JOB.outputs().getFirst();
        says(OutputSpec.class, "path", "\"" + output.path() + "\"");
        says(OutputSpec.class, "publish", word(output.publish()));
        says(OutputSpec.class, "when", word(output.when()));
        says(OutputSpec.class, "required", output.required());
        says(OutputSpec.class, "verify", word(output.verify()));
        says(WorkersSpec.class, "max", JOB.workers().max() + ", or min");
        says(WorkersSpec.class, "min", JOB.workers().min());
        says(WorkersSpec.class, "slots", JOB.workers().slots());
        says(LocalitySpec.class, "mode", word(JOB.locality().mode()));
        says(LocalitySpec.class, "waitSeconds", JOB.locality().waitTime().toSeconds());
        says(RetrySpec.class, "item", JOB.retry().item());
        says(RetrySpec.class, "worker", JOB.retry().worker());
        says(DeadlinesSpec.class, "drain", JOB.deadlines().drain().toMinutes() + "m, or run where that is shorter");
        var tiers = JOB.buffer().tiers().stream()
                .map(t ->
                        "{medium: " + word(t.medium()) + ", size: " + (t.size().value() >> 30) + "Gi}")
                .toList();
        says(BufferSpec.class, "tiers", "[" + String.join(", ", tiers) + "]");
    }

    @Test
    void whatDependsOnOtherFields() {
        var text = JobReaderTest.SMALLEST + "  workers: {min: 3}\n  deadlines: {run: 5m}\n";
        var job = JobReaderTest.valid(text);
        assertThat(job.workers()).isEqualTo(new Job.Workers(3, 3, 1));
        assertThat(job.deadlines().drain()).isEqualTo(Duration.ofMinutes(5));
    }

    @AfterAll
    static void noneWasForgotten() {
        // Only Kubernetes looks at these; the operator fills them in.
        CHECKED.addAll(List.of("PipelineJobSpec.suspend", "StepSpec.useImageUser"));
        var all = new HashSet<String>();
        collect(PipelineJobSpec.class, all);
        collect(Metadata.class, all);
        assertThat(CHECKED).isEqualTo(all);
    }

    private static void collect(Class<? extends Record> type, Set<String> all) {
        for (var component : type.getRecordComponents()) {
            if (component.isAnnotationPresent(Default.class)) {
                all.add(type.getSimpleName() + "." + component.getName());
            }
            var below = component.getGenericType() instanceof ParameterizedType p
                    ? (Class<?>) p.getActualTypeArguments()[p.getActualTypeArguments().length - 1]
                    : component.getType();
            if (below.isRecord()) {
                collect(below.asSubclass(Record.class), all);
            }
        }
    }
}
