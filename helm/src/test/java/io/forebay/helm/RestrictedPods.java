package io.forebay.helm;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** The Pod Security Standard "restricted" (Kubernetes, Pod Security Standards), and what we ask for beside it. */
final class RestrictedPods {
    private static final Set<String> VOLUMES = Set.of(
            "configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "persistentVolumeClaim", "projected", "secret");

    private RestrictedPods() {}

    /** @param pod a pod's spec, or that of a pod template */
    static void assertFits(JsonNode pod) {
        for (var field : List.of("hostNetwork", "hostPID", "hostIPC")) {
            assertThat(pod.path(field).asBoolean()).as(field).isFalse();
        }
        var security = pod.at("/securityContext");
        assertThat(security.at("/runAsNonRoot").asBoolean()).isTrue();
        assertThat(security.at("/runAsUser").asInt()).isEqualTo(65532);
        assertThat(security.at("/seccompProfile/type").asText()).isEqualTo("RuntimeDefault");
        for (var volume : pod.at("/volumes")) {
            assertThat(volume.properties())
                    .filteredOn(e -> !e.getKey().equals("name"))
                    .allSatisfy(e -> assertThat(e.getKey()).isIn(VOLUMES));
        }
        for (var container : containers(pod)) {
            assertContainerFits(container);
        }
    }

    private static void assertContainerFits(JsonNode container) {
        var security = container.at("/securityContext");
        assertThat(security.at("/allowPrivilegeEscalation")).isEqualTo(BooleanNode.FALSE);
        assertThat(security.path("privileged").asBoolean()).isFalse();
        assertThat(security.at("/readOnlyRootFilesystem").asBoolean()).isTrue();
        assertThat(security.at("/capabilities").toString()).isEqualTo("{\"drop\":[\"ALL\"]}");
        assertThat(container.at("/resources/limits/memory").asText()).isNotEmpty();
        for (var port : container.at("/ports")) {
            assertThat(port.has("hostPort")).isFalse();
        }
    }

    private static List<JsonNode> containers(JsonNode pod) {
        return Stream.of("initContainers", "containers")
                .flatMap(field -> StreamSupport.stream(pod.path(field).spliterator(), false))
                .toList();
    }
}
