package io.forebay.api.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.api.value.Bytes;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JobReaderTest {
    static final String DESIGN =
            """
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

    static final String SMALLEST =
            """
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
        assertThat(job.outputs().getFirst().destination(Map.of("DIR", "a/b"))).hasToString("lustre:///scratch/results/a/b/");
    }

    @Test
    void fillsInDefaults() {
        var job = valid(SMALLEST);
        assertThat(job.buffer().tiers())
                .containsExactly(
                        new Job.Tier(Job.Medium.MEMORY, Bytes.ofGiB(1), null), new Job.Tier(Job.Medium.DISK, Bytes.ofGiB(10), null));
        assertThat(job.workers()).isEqualTo(new Job.Workers(1, 1, 1));
        assertThat(job.retry()).isEqualTo(new Job.Retry(2, 3));
        assertThat(job.deadlines()).isEqualTo(new Job.Deadlines(java.util.Optional.empty(), Duration.ofMinutes(30)));
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
        assertThat(job.manifest()).startsWith("{\"apiVersion\":\"forebay.io/v1alpha1\",\"kind\":\"PipelineJob\",\"metadata\":{\"name\":");
    }

    @Test
    void relativeUrisAreBesideTheManifest() {
        var text = SMALLEST.replace("file:///tmp/greetings", "file://./out$x/$(ITEM)/");
        var job = ((JobReader.Valid) JobReader.read(text.getBytes(StandardCharsets.UTF_8), Path.of("/home/a$b"))).job();
        assertThat(job.outputs().getFirst().destination(Map.of("ITEM", "i"))).hasToString("file:///home/a$b/out$x/i/");
        assertThat(job.records()).hasToString("file:///home/a$b/out$x/.forebay/");
        assertThat(JobReader.read(text.getBytes(StandardCharsets.UTF_8)).problems())
                .singleElement()
                .satisfies(p -> assertThat(p.toString()).startsWith("spec.outputs[0].to: 'file://./out$x/$(ITEM)/' is relative"));
    }
}
