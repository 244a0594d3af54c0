package io.forebay.helm;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** K5: the operator's rights, and no more. */
class RbacTest {
    /** In each namespace with PipelineJobs: "resource.group: verbs". */
    private static final List<String> IN_A_NAMESPACE = List.of(
            "pipelinejobs.forebay.io: get list watch delete",
            "pipelinejobs/status.forebay.io: get patch update",
            "jobs.batch: create get list watch patch delete",
            "services: create",
            "secrets: create",
            "pods: get list watch",
            "events: create list");

    private static final List<String> IN_THE_CLUSTER = List.of("nodes: get list watch");

    private static final List<String> ELECTION = List.of(
            "leases.coordination.k8s.io: create", "leases.coordination.k8s.io[forebay-operator]: get update patch");

    @TempDir
    private Path home;

    private Helm helm;

    @BeforeEach
    void findHelm() {
        helm = Helm.assumed(home);
    }

    @Test
    void clusterWide() {
        var rendered = Chart.rendered(helm);

        assertThat(rules(rendered.one("ClusterRole", "forebay-operator")))
                .containsExactlyInAnyOrderElementsOf(joined(IN_A_NAMESPACE, IN_THE_CLUSTER));
        assertThat(rules(rendered.one("Role", "forebay-operator-election")))
                .containsExactlyInAnyOrderElementsOf(ELECTION);
        assertThat(grants(rendered))
                .containsExactlyInAnyOrder(
                        "ClusterRoleBinding forebay-operator: ClusterRole forebay-operator to forebay-system/forebay-operator",
                        "RoleBinding forebay-system/forebay-operator-election: Role forebay-operator-election to forebay-system/forebay-operator");
    }

    @Test
    void perNamespaceWithoutAnythingOfTheCluster() {
        var rendered = Chart.rendered(helm, ValueSet.TWO_NAMESPACES.words());

        assertThat(grants(rendered))
                .containsExactlyInAnyOrder(
                        "RoleBinding brain/forebay-operator: Role forebay-operator to forebay-system/forebay-operator",
                        "RoleBinding heart/forebay-operator: Role forebay-operator to forebay-system/forebay-operator",
                        "RoleBinding forebay-system/forebay-operator-election: Role forebay-operator-election to forebay-system/forebay-operator");
        assertThat(rendered.ofKind("Role").map(Rendered::name))
                .containsExactlyInAnyOrder(
                        "Role brain/forebay-operator",
                        "Role heart/forebay-operator",
                        "Role forebay-system/forebay-operator-election");
        assertThat(rendered.ofKind("Role")
                        .filter(role -> role.at("/metadata/name").asText().equals("forebay-operator")))
                .allSatisfy(role -> assertThat(rules(role)).containsExactlyInAnyOrderElementsOf(IN_A_NAMESPACE));
        assertThat(rendered.ofKind("ClusterRole").map(Rendered::name))
                .containsExactlyInAnyOrder("ClusterRole forebay-view", "ClusterRole forebay-edit");
    }

    @Test
    void usersGetTheirRightsThroughTheClustersOwnRoles() {
        var rendered = Chart.rendered(helm);
        var view = rendered.one("ClusterRole", "forebay-view");
        var edit = rendered.one("ClusterRole", "forebay-edit");

        assertThat(rules(view))
                .containsExactlyInAnyOrder(
                        "pipelinejobs.forebay.io: get list watch", "pipelinejobs/status.forebay.io: get list watch");
        assertThat(rules(edit))
                .containsExactlyInAnyOrder("pipelinejobs.forebay.io: create update patch delete deletecollection");
        assertThat(aggregations(view)).containsExactlyInAnyOrder("view", "edit", "admin");
        assertThat(aggregations(edit)).containsExactlyInAnyOrder("edit", "admin");
    }

    private static List<String> aggregations(JsonNode role) {
        var prefix = "rbac.authorization.k8s.io/aggregate-to-";
        return role.at("/metadata/labels").properties().stream()
                .filter(label -> label.getKey().startsWith(prefix)
                        && label.getValue().asText().equals("true"))
                .map(label -> label.getKey().substring(prefix.length()))
                .toList();
    }

    private static List<String> rules(JsonNode role) {
        var rules = new ArrayList<String>();
        for (var rule : role.at("/rules")) {
            assertThat(rule.properties())
                    .extracting(Map.Entry::getKey)
                    .isSubsetOf("apiGroups", "resources", "resourceNames", "verbs");
            var names = rule.has("resourceNames") ? "[" + words(rule.at("/resourceNames")) + "]" : "";
            for (var group : rule.at("/apiGroups")) {
                for (var resource : rule.at("/resources")) {
                    var suffix = group.asText().isEmpty() ? "" : "." + group.asText();
                    rules.add(resource.asText() + suffix + names + ": " + words(rule.at("/verbs")));
                }
            }
        }
        return rules;
    }

    private static List<String> grants(Rendered rendered) {
        return Stream.concat(rendered.ofKind("ClusterRoleBinding"), rendered.ofKind("RoleBinding"))
                .map(binding -> {
                    assertThat(binding.at("/subjects")).hasSize(1);
                    var subject = binding.at("/subjects/0");
                    assertThat(subject.at("/kind").asText()).isEqualTo("ServiceAccount");
                    return Rendered.name(binding) + ": "
                            + binding.at("/roleRef/kind").asText() + " "
                            + binding.at("/roleRef/name").asText() + " to "
                            + subject.at("/namespace").asText() + "/"
                            + subject.at("/name").asText();
                })
                .toList();
    }

    private static String words(JsonNode texts) {
        return String.join(
                " ",
                StreamSupport.stream(texts.spliterator(), false)
                        .map(JsonNode::asText)
                        .toList());
    }

    private static List<String> joined(List<String> a, List<String> b) {
        return Stream.concat(a.stream(), b.stream()).toList();
    }
}
