package io.forebay.helm;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.forebay.api.job.JobReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the chart makes of its values. */
class ChartTest {
    private static final Set<String> WITHOUT_NAMESPACE =
            Set.of("ClusterRole", "ClusterRoleBinding", "CustomResourceDefinition");

    @TempDir
    private Path home;

    private Helm helm;

    @BeforeEach
    void findHelm() {
        helm = Helm.assumed(home);
    }

    @ParameterizedTest
    @EnumSource
    void lintFindsNothing(ValueSet values) {
        var words = new ArrayList<>(List.of("lint", "--strict", Chart.FOLDER.toString()));
        words.addAll(List.of(values.words()));

        var result = helm.run(words.toArray(String[]::new));

        assertThat(result.exit()).as(result.output()).isZero();
        assertThat(result.output()).doesNotContain("[WARNING]", "[ERROR]");
    }

    @ParameterizedTest
    @EnumSource
    void everyObjectIsWhole(ValueSet values) {
        var rendered = Chart.rendered(helm, values.words());

        assertThat(rendered.names()).isNotEmpty().doesNotHaveDuplicates();
        for (var object : rendered.objects()) {
            var name = Rendered.name(object);
            assertThat(object.at("/apiVersion").asText()).as(name).isNotEmpty();
            assertThat(object.at("/metadata/name").asText()).as(name).matches("[a-z0-9]([a-z0-9.-]*[a-z0-9])?");
            assertThat(object.at("/metadata/labels/app.kubernetes.io~1instance").asText())
                    .as(name)
                    .isEqualTo("forebay");
            assertThat(object.at("/metadata/namespace").isMissingNode())
                    .as(name + " has a namespace only where it can")
                    .isEqualTo(WITHOUT_NAMESPACE.contains(object.at("/kind").asText()));
            assertThat(object.toString()).as(name).doesNotContain("<no value>", "<nil>");
        }
    }

    @Test
    void theOperatorLearnsItsConfigurationFromTheEnvironment() {
        assertThat(environment(ValueSet.DEFAULTS))
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        "POD_NAME", "metadata.name",
                        "POD_NAMESPACE", "metadata.namespace",
                        "FOREBAY_SIDECAR_IMAGE", "forebay/sidecar:0.1.0-SNAPSHOT",
                        "FOREBAY_SIDECAR_PULL_POLICY", "IfNotPresent",
                        "FOREBAY_TOKEN_KEY_FILE", "/var/run/forebay/key/key",
                        "FOREBAY_MAX_WORKER_GRACE", "600"));
        assertThat(environment(ValueSet.EVERYTHING))
                .containsEntry("FOREBAY_NAMESPACES", "brain")
                .containsEntry("FOREBAY_PULL_SECRETS", "a,b")
                .containsEntry("FOREBAY_MAX_MEMORY_TIER", "64Gi")
                .containsEntry("FOREBAY_MAX_DISK_TIER", "1Ti")
                .containsEntry("FOREBAY_MAX_WORKER_GRACE", "7200")
                .containsEntry("A", "b");
        assertThat(environment(ValueSet.TWO_NAMESPACES)).containsEntry("FOREBAY_NAMESPACES", "brain,heart");
    }

    @Test
    void imagesComeFromTheMirrorAndADigestDecides() {
        var container = container(ValueSet.MIRROR);

        assertThat(container.at("/image").asText())
                .isEqualTo("registry.lab:5000/mirror/forebay/operator@sha256:" + "0123456789abcdef".repeat(4));
        assertThat(container.at("/imagePullPolicy").asText()).isEqualTo("Always");
        assertThat(environment(ValueSet.MIRROR))
                .containsEntry("FOREBAY_SIDECAR_IMAGE", "registry.lab:5000/mirror/forebay/sidecar:1.2.3")
                .containsEntry("FOREBAY_SIDECAR_PULL_POLICY", "Always")
                .containsEntry("FOREBAY_PULL_SECRETS", "lab-pull");
    }

    @Test
    void severalOperatorsHaveADisruptionBudgetAndOneHasNone() {
        assertThat(Chart.rendered(helm).ofKind("PodDisruptionBudget")).isEmpty();
        assertThat(Chart.rendered(helm, ValueSet.HIGHLY_AVAILABLE.words()).ofKind("PodDisruptionBudget"))
                .singleElement()
                .satisfies(budget ->
                        assertThat(budget.at("/spec/maxUnavailable").asInt()).isEqualTo(1));
    }

    /** With more than none, Helm takes the only operator for ready before it is. */
    @Test
    void helmCanWaitForTheOnlyOperator() {
        var deployment = Chart.rendered(helm).one("Deployment", "forebay-operator");

        assertThat(deployment.at("/spec/strategy/rollingUpdate/maxUnavailable").asInt(-1))
                .isZero();
    }

    @Test
    void theOperatorsOwnObjectsAreFoundByTheirLabels() {
        var rendered = Chart.rendered(helm, ValueSet.EVERYTHING.words());
        var pod = rendered.one("Deployment", "forebay-operator").at("/spec/template/metadata/labels");

        assertSelects(rendered.one("Deployment", "forebay-operator").at("/spec/selector/matchLabels"), pod);
        assertSelects(rendered.one("Service", "forebay-operator").at("/spec/selector"), pod);
        assertSelects(rendered.one("PodDisruptionBudget", "forebay-operator").at("/spec/selector/matchLabels"), pod);
        assertSelects(rendered.one("NetworkPolicy", "forebay-operator").at("/spec/podSelector/matchLabels"), pod);
        assertSelects(
                rendered.one("ServiceMonitor", "forebay-operator").at("/spec/selector/matchLabels"),
                rendered.one("Service", "forebay-operator").at("/metadata/labels"));
    }

    @Test
    void theTokenKeyIsLongIsKeptAndIsNotMadeWhereOneIsNamed() {
        var secret = Chart.rendered(helm).one("Secret", "forebay-token-key");

        assertThat(secret.at("/metadata/annotations/helm.sh~1resource-policy").asText())
                .isEqualTo("keep");
        assertThat(Base64.getDecoder().decode(secret.at("/data/key").asText())).hasSize(64);
        assertThat(Chart.rendered(helm).one("Secret", "forebay-token-key").at("/data/key"))
                .as("another each time that there is none")
                .isNotEqualTo(secret.at("/data/key"));
        var named = Chart.rendered(helm, ValueSet.OWN_NAMES.words());
        assertThat(named.ofKind("Secret")).isEmpty();
        assertThat(named.one("Deployment", "fb-operator")
                        .at("/spec/template/spec/volumes")
                        .toString())
                .contains("\"secretName\":\"my-key\"");
    }

    @Test
    void theCrdIsTheGeneratedOneAndIsKept() {
        var crd = Chart.rendered(helm).one("CustomResourceDefinition", "pipelinejobs.forebay.io");

        assertThat(crd.at("/spec"))
                .isEqualTo(Chart.documents(Chart.text("files/pipelinejobs.forebay.io-v1.yml"))
                        .getFirst()
                        .at("/spec"));
        assertThat(crd.at("/metadata/annotations/helm.sh~1resource-policy").asText())
                .isEqualTo("keep");
        assertThat(Chart.rendered(helm, ValueSet.OWN_NAMES.words()).ofKind("CustomResourceDefinition"))
                .isEmpty();
    }

    @Test
    void theJobOfHelmTestIsValidAndHeld() {
        var rendered = Chart.rendered(helm);
        var inPod =
                rendered.one("ConfigMap", "forebay-test").at("/data/job.yaml").asText();
        var object = rendered.one("PipelineJob", "forebay-test");

        assertThat(JobReader.read(inPod.getBytes(StandardCharsets.UTF_8)).problems())
                .isEmpty();
        assertThat(Chart.documents(inPod).getFirst().at("/spec")).isEqualTo(object.at("/spec"));
        assertThat(object.at("/spec/suspend").asBoolean()).isTrue();
        assertThat(rendered.objects().stream()
                        .filter(o -> o.at("/metadata/annotations/helm.sh~1hook")
                                .asText()
                                .equals("test"))
                        .map(Rendered::name))
                .containsExactlyInAnyOrder(
                        "ConfigMap forebay-system/forebay-test",
                        "PipelineJob forebay-system/forebay-test",
                        "Pod forebay-system/forebay-test");
    }

    @Test
    void thePoliciesLetThroughWhatIsNeeded() {
        var rendered = Chart.rendered(helm, ValueSet.FENCED.words());

        assertThat(rendered.ofKind("NetworkPolicy").map(Rendered::name))
                .containsExactlyInAnyOrder(
                        "NetworkPolicy forebay-system/forebay-operator",
                        "NetworkPolicy brain/forebay-coordinators",
                        "NetworkPolicy heart/forebay-coordinators",
                        "NetworkPolicy brain/forebay-workers",
                        "NetworkPolicy heart/forebay-workers",
                        "NetworkPolicy brain/forebay-stores",
                        "NetworkPolicy heart/forebay-stores");
        var egress = rendered.one("NetworkPolicy", "forebay-operator")
                .at("/spec/egress")
                .toString();
        assertThat(egress).contains("\"port\":53", "\"port\":443", "\"port\":6443", "\"port\":8600");
        var coordinators = rendered.ofKind("NetworkPolicy")
                .filter(o -> Rendered.name(o).equals("NetworkPolicy brain/forebay-coordinators"))
                .findFirst()
                .orElseThrow();
        assertThat(coordinators.at("/spec/ingress")).hasSize(1);
        assertThat(coordinators.at("/spec/ingress/0/ports/0/port").asInt()).isEqualTo(8600);
        assertThat(coordinators.at("/spec/ingress/0/from")).hasSize(2);
        var stores = rendered.ofKind("NetworkPolicy")
                .filter(o -> Rendered.name(o).equals("NetworkPolicy brain/forebay-stores"))
                .findFirst()
                .orElseThrow();
        assertThat(stores.at("/spec/egress").toString()).contains("10.0.0.0/8", "\"port\":53", "\"port\":8600");
    }

    private static void assertSelects(JsonNode selector, JsonNode labels) {
        assertThat(selector).isNotEmpty();
        selector.properties()
                .forEach(e -> assertThat(labels.path(e.getKey())).as(e.getKey()).isEqualTo(e.getValue()));
    }

    private JsonNode container(ValueSet values) {
        return Chart.rendered(helm, values.words())
                .one("Deployment", "forebay-operator")
                .at("/spec/template/spec/containers/0");
    }

    /** Each variable with its value, or the field that it is taken from. */
    private Map<String, String> environment(ValueSet values) {
        var found = new TreeMap<String, String>();
        for (var variable : container(values).at("/env")) {
            var value = variable.has("value")
                    ? variable.at("/value").asText()
                    : variable.at("/valueFrom/fieldRef/fieldPath").asText();
            found.put(variable.at("/name").asText(), value);
        }
        return found;
    }
}
