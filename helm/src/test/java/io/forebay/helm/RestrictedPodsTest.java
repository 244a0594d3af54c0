package io.forebay.helm;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** K1: every pod of the chart fits the Pod Security Standard "restricted", and its root is read-only. */
class RestrictedPodsTest {
    @TempDir
    private Path home;

    private Helm helm;

    @BeforeEach
    void findHelm() {
        helm = Helm.assumed(home);
    }

    @ParameterizedTest
    @EnumSource
    void fitsRestricted(ValueSet values) {
        var pods = pods(Chart.rendered(helm, values.words()));

        assertThat(pods).as("the operator's and that of helm test").hasSize(2);
        for (var pod : pods) {
            RestrictedPods.assertFits(pod);
            assertThat(pod.at("/containers/0/volumeMounts").toString())
                    .as("a JVM wants to write there")
                    .contains("\"mountPath\":\"/tmp\"");
        }
    }

    private static List<JsonNode> pods(Rendered rendered) {
        return Stream.concat(
                        rendered.ofKind("Pod").map(o -> o.at("/spec")),
                        Stream.of("Deployment", "Job", "DaemonSet", "StatefulSet")
                                .flatMap(rendered::ofKind)
                                .map(o -> o.at("/spec/template/spec")))
                .toList();
    }
}
