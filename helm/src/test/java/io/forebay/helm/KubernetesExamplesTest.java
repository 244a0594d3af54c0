package io.forebay.helm;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.api.job.JobReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/** The examples that docs/kubernetes.md tells its readers to apply. */
class KubernetesExamplesTest {
    private static final Path INCREMENT =
            Chart.FOLDER.resolve("../../examples/increment").normalize();

    @Test
    void theJobIsValidAsTheApiServerReadsIt() throws IOException {
        var text = Files.readAllBytes(INCREMENT.resolve("job-kubernetes.yaml"));

        assertThat(JobReader.read(text).problems()).isEmpty();
    }

    @Test
    void theJobReadsAndWritesTheClaimThatTheDataAreMadeIn() throws IOException {
        var data = new Rendered(Chart.documents(Files.readString(INCREMENT.resolve("data-kubernetes.yaml"))));
        var job = Chart.documents(Files.readString(INCREMENT.resolve("job-kubernetes.yaml")))
                .getFirst();
        var claim = data.one("PersistentVolumeClaim", "increment-data");
        var writer = data.one("Job", "increment-data").at("/spec/template/spec");

        assertThat(job.at("/spec/stores/0/claimName").asText())
                .isEqualTo(claim.at("/metadata/name").asText());
        assertThat(writer.at("/volumes/0/persistentVolumeClaim/claimName").asText())
                .isEqualTo(claim.at("/metadata/name").asText());
        assertThat(StreamSupport.stream(job.at("/spec/steps").spliterator(), false)
                        .map(step -> step.at("/image").asText())
                        .collect(Collectors.toSet()))
                .as("one image to bring into a cluster")
                .isEqualTo(Set.of(writer.at("/containers/0/image").asText()));
    }

    @Test
    void thePodsBesideTheJobFitRestricted() throws IOException {
        for (var name : List.of("data", "results")) {
            var text = Files.readString(INCREMENT.resolve(name + "-kubernetes.yaml"));
            var pod = new Rendered(Chart.documents(text))
                    .one("Job", "increment-" + name)
                    .at("/spec/template/spec");

            RestrictedPods.assertFits(pod);
            assertThat(pod.at("/volumes/0/persistentVolumeClaim/claimName").asText())
                    .isEqualTo("increment-data");
        }
    }
}
