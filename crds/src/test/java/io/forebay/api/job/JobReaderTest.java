package io.forebay.api.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.forebay.api.manifest.Problem;
import io.forebay.api.value.Bytes;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class JobReaderTest {
    static final String DESIGN = """
            apiVersion: forebay.io/v1alpha1
            kind: PipelineJob
            metadata: {name: increment}
            spec:
              stores:                                  # how to reach what the URIs below name; longest prefix wins
              - uri: s3://brain
                endpoint: http://minio.lab:9000        # absent: AWS
                secretName: brain-s3                   # absent: the pod's or the user's own identity
              - uri: lustre:///scratch
                claimName: lustre-scratch              # Kubernetes: the PVC that holds that file system; elsewhere the path is the path
              inputs:
              - name: chunks
                source: s3://brain/chunks/             # s3://bucket/prefix, lustre:///path, file:///path
                include: ["**/*.nii.gz"]
              - name: atlas                            # not named in forEach: staged once per worker, shared by its items, read-only
                source: lustre:///scratch/atlas/
              forEach: {input: chunks}                 # one item per file; groupBy: "sub-*" one per subject; absent: the job is one item
              steps:                                   # an item passes through all steps on one node, depth first
              - name: increment
                image: registry.lab/increment:1.2
                command: [increment, $(INPUT), $(WORK)/1.nii]
                resources: {requests: {cpu: "1", memory: 2Gi}, limits: {memory: 2Gi}}
              - name: smooth
                image: registry.lab/fsl:6
                command: [sh, -c, 'smooth -a "$FOREBAY_INPUT_atlas" "$FOREBAY_WORK/1.nii" "$FOREBAY_OUT/$FOREBAY_STEM.nii"']
              outputs:
              - name: result
                path: "*.nii"                          # below $(OUT)
                to: lustre:///scratch/results/$(DIR)/
                publish: OnItem                        # OnItem: all of an item's outputs at its end | OnClose: each file when it is closed
                when: Success                          # Success | Failure | Always
                required: true                         # no match: the item fails
              buffer:
                tiers: [{medium: Memory, size: 8Gi}, {medium: Disk, size: 100Gi}]   # Memory | Disk | Ephemeral(storageClassName)
                item: {work: 2Gi, outputs: 1Gi}        # most that one item writes; absent: learned
              workers: {max: 15, min: 1, slots: 9}     # pods (nodes), and items at once in each
              locality: {mode: Preferred, waitSeconds: 60}   # None | Preferred | Required
              retry: {item: 2, worker: 3}
              onItemFailure: Continue                  # Continue | Stop
              deadlines: {run: 4h, drain: 30m}
              records: lustre:///scratch/results/.forebay/    # default: below the first output's destination
            """;

    static final String SMALLEST = """
            apiVersion: forebay.io/v1alpha1
            kind: PipelineJob
            metadata: {name: smallest}
            spec:
              steps:
              - {name: hello, command: [sh, -c, 'echo hello > "$FOREBAY_OUT/hello.txt"']}
              outputs:
              - {name: greeting, to: "file:///tmp/greetings"}
            """;

    static Job valid(String manifest) {
        var result = JobReader.read(manifest.getBytes(StandardCharsets.UTF_8));
        assertThat(result.problems()).isEmpty();
        return ((JobReader.Valid) result).job();
    }

    @Test
    void readsTheManifestOfTheDesign() {
        var job = valid(DESIGN);
        assertThat(job.name()).isEqualTo("increment");
        assertThat(job.namespace()).isEqualTo("default");
        assertThat(job.stores()).hasSize(2);
        assertThat(job.input("chunks").include()).extracting(Object::toString).containsExactly("**/*.nii.gz");
        assertThat(job.steps().getFirst().memoryLimit()).contains(Bytes.ofGiB(2));
        assertThat(job.steps().getFirst().cpuRequestMillis()).contains(1000L);
        assertThat(job.workers()).isEqualTo(new Job.Workers(15, 1, 9));
        assertThat(job.deadlines().run()).contains(Duration.ofHours(4));
        assertThat(job.records()).hasToString("lustre:///scratch/results/.forebay/");
        assertThat(job.outputs().getFirst().destination(Map.of("DIR", "a/b")))
                .hasToString("lustre:///scratch/results/a/b/");
    }

    @Test
    void fillsInDefaults() {
        var job = valid(SMALLEST);
        assertThat(job.buffer().tiers())
                .containsExactly(
                        new Job.Tier(Job.Medium.MEMORY, Bytes.ofGiB(1), null),
                        new Job.Tier(Job.Medium.DISK, Bytes.ofGiB(10), null));
        assertThat(job.workers()).isEqualTo(new Job.Workers(1, 1, 1));
        assertThat(job.retry()).isEqualTo(new Job.Retry(2, 3));
        assertThat(job.deadlines()).isEqualTo(new Job.Deadlines(Optional.empty(), Duration.ofMinutes(30)));
        assertThat(job.records()).hasToString("file:///tmp/greetings/.forebay/");
        var output = job.outputs().getFirst();
        assertThat(output.required()).isTrue();
        assertThat(output.publish()).isEqualTo(Job.Publish.ON_ITEM);
        assertThat(output.path()).hasToString("**");
    }

    @Test
    void readsBackItsOwnCanonicalForm() {
        var job = valid(DESIGN);
        assertThat(JobReader.readCanonical(job.manifest())).isEqualTo(job);
        assertThat(job.manifest())
                .startsWith("{\"apiVersion\":\"forebay.io/v1alpha1\",\"kind\":\"PipelineJob\",\"metadata\":{\"name\":");
    }

    @Test
    void relativeUrisAreBesideTheManifest() {
        var text = SMALLEST.replace("file:///tmp/greetings", "file://./out$x/$(ITEM)/");
        var job = ((JobReader.Valid) JobReader.read(text.getBytes(StandardCharsets.UTF_8), Path.of("/home/a$b"))).job();
        assertThat(job.outputs().getFirst().destination(Map.of("ITEM", "i"))).hasToString("file:///home/a$b/out$x/i/");
        assertThat(job.records()).hasToString("file:///home/a$b/out$x/.forebay/");
        assertThat(JobReader.read(text.getBytes(StandardCharsets.UTF_8)).problems())
                .singleElement()
                .satisfies(p -> assertThat(p.toString())
                        .startsWith("spec.outputs[0].to: 'file://./out$x/$(ITEM)/' is relative"));
    }

    private static List<String> problems(String text) {
        return JobReader.read(text.getBytes(StandardCharsets.UTF_8)).problems().stream()
                .map(Problem::toString)
                .toList();
    }

    @Test
    void brokenJsonIsNamedAsJson() {
        assertThat(problems("{\"apiVersion\": \"forebay.io/v1alpha1\","))
                .singleElement()
                .asString()
                .startsWith("the manifest is no JSON: ");
        assertThat(problems("{\"spec\": 1} {}")).anySatisfy(p -> assertThat(p).contains("goes on after the manifest"));
        assertThat(problems("{\"spec\": {}, \"spec\": {}}")).contains("spec: given twice; remove one");
        assertThat(problems("{\"a\": 01}")).singleElement().asString().contains("no JSON");
        assertThat(problems("{")).singleElement().asString().contains("no JSON");
    }

    @Test
    void everyProblemHasItsLine() {
        var text = SMALLEST + "  retry: {item: -1}\n  workers:\n    slots: 0\n    count: 3\n";
        int last = (int) SMALLEST.lines().count();
        assertThat(JobReader.read(text.getBytes(StandardCharsets.UTF_8)).problems())
                .extracting(Problem::line)
                .containsExactly(last + 1, last + 3, last + 4);
    }

    @Test
    void aMissingFieldHasTheLineOfWhatLacksIt() {
        var text = SMALLEST.replace("name: hello, ", "");
        assertThat(JobReader.read(text.getBytes(StandardCharsets.UTF_8)).problems())
                .extracting(Problem::line)
                .containsExactly(6);
    }

    @Test
    void textsAboveOneMebibyteAreRefusedUnread() {
        assertThat(JobReader.read(new byte[(1 << 20) + 1]).problems())
                .singleElement()
                .asString()
                .contains("1048577 bytes; at most 1048576");
    }

    @Test
    void deepNestingIsRefused() {
        assertThat(problems("a: " + "[".repeat(5000))).isNotEmpty();
        assertThat(problems("{\"a\":" + "[".repeat(5000))).isNotEmpty();
        assertThat(problems("{\"a\":" + "[".repeat(100) + "]".repeat(100) + "}"))
                .singleElement()
                .asString()
                .contains("nested");
    }

    @Test
    void aHostileTextMakesFewProblemsOnly() {
        var text = new StringBuilder(SMALLEST);
        for (int i = 0; i < 5000; i++) {
            text.append("  f").append(i).append(": 1\n");
        }
        assertThat(problems(text.toString())).hasSizeBetween(100, 200);
    }

    @Test
    void bytesThatAreNotUtf8SurviveTheCanonicalForm() {
        var name = "s3://brain/\uDCFF\uDCFE/caf\u00e9/";
        var json =
                "{\"apiVersion\":\"forebay.io/v1alpha1\",\"kind\":\"PipelineJob\",\"metadata\":{\"name\":\"x\"},\"spec\":{\"steps\":"
                        + "[{\"name\":\"a\",\"command\":[\"true\"]}],\"records\":\"s3://brain/\\udcff\\udcfe/caf\\u00e9/\"}}";
        var job = valid(json);
        assertThat(job.records()).hasToString(name);
        assertThat(job.manifest()).contains("s3://brain/\\uDCFF\\uDCFE/caf\\u00E9/");
        assertThat(JobReader.readCanonical(job.manifest()).records()).hasToString(name);
        assertThat(valid(SMALLEST.replace("file:///tmp/greetings", "s3://b/\\udcff"))
                        .outputs()
                        .getFirst()
                        .to())
                .hasToString("s3://b/\uDCFF");
    }

    @Test
    void theCanonicalFormDependsOnMeaningAlone() {
        var json =
                "{\"spec\":{\"outputs\":[{\"to\":\"file:///tmp/greetings\",\"name\":\"greeting\"}],\"steps\":[{\"command\":[\"sh\",\"-c\","
                        + "\"echo hello > \\\"$FOREBAY_OUT/hello.txt\\\"\"],\"name\":\"hello\"}]},\"metadata\":{\"uid\":\"1\",\"name\":\"smallest\"},"
                        + "\"kind\":\"PipelineJob\",\"apiVersion\":\"forebay.io/v1alpha1\",\"status\":{}}";
        assertThat(valid(json).manifest()).isEqualTo(valid(SMALLEST).manifest());
    }

    @Test
    void stemIsWithoutTheExtensionThatIncludeSpellsOut() {
        var job = valid(DESIGN);
        assertThat(job.input("chunks").stem("a.b/x.nii.gz")).isEqualTo("x");
        assertThat(job.input("chunks").stem("x.tar.bz2")).isEqualTo("x.tar");
        assertThat(job.input("chunks").stem("a.b/x")).isEqualTo("x");
        assertThat(job.input("chunks").stem(".nii.gz")).isEqualTo(".nii");
        assertThat(job.input("atlas").stem("x.nii.gz")).isEqualTo("x.nii");
        assertThat(job.input("atlas").stem(".hidden")).isEqualTo(".hidden");
    }

    @Test
    void valuesInPathsStandForThemselves() {
        var text = SMALLEST.replace(
                        "steps:", "inputs:\n  - {name: in, source: \"s3://b/in/\"}\n  forEach: {input: in}\n  steps:")
                .replace("{name: greeting,", "{name: greeting, path: \"$(DIR)/$(STEM)_*.nii\",")
                .replace("file:///tmp/greetings", "s3://b/r/$(DIR)/$(NAME)");
        var output = valid(text).outputs().getFirst();
        var variables = Map.of("DIR", "d[1]", "STEM", "*", "NAME", "*.nii", "ITEM", "d[1]/*.nii");
        assertThat(output.pathGlob(variables).matches("d[1]/*_x.nii")).isTrue();
        assertThat(output.pathGlob(variables).matches("d1/a_x.nii")).isFalse();
        assertThat(output.destination(variables)).hasToString("s3://b/r/d[1]/*.nii/");
        var top = Map.of("DIR", "", "STEM", "s", "NAME", "n", "ITEM", "n");
        assertThat(output.pathGlob(top).matches("s_x.nii")).isTrue();
        assertThat(output.destination(top)).hasToString("s3://b/r/n/");
        assertThat(output.fixedDestination()).hasToString("s3://b/r/");
    }

    @Test
    @DisplayName("N3 a key with .. makes no destination, on no store")
    void noDestinationOutside() {
        for (var to : List.of("s3://b/r/$(ITEM)", "file:///r/$(ITEM)")) {
            var text = SMALLEST.replace("file:///tmp/greetings", to);
            var output = valid(text).outputs().getFirst();
            for (var key : List.of("../x", "a/../../x", "..")) {
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> output.destination(Map.of("ITEM", key)))
                        .withMessageContaining("..");
            }
            assertThat(output.destination(Map.of("ITEM", "a..b/...")).path()).endsWith("r/a..b/.../");
        }
    }
}
