package io.forebay.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What goes wrong in a cluster, and what a user is told of it. */
@Tag("cluster")
@ExtendWith(ProductExtension.class)
class FaultsIT {
    private static final Duration MOST = Duration.ofMinutes(5);
    private static final Duration SOON = Duration.ofSeconds(90);
    /** Long enough to be met in the middle. */
    private static final String SLOW = "sleep 4; tr a-z A-Z <\"$FOREBAY_INPUT\" >\"$FOREBAY_OUT/$FOREBAY_NAME\"";

    private UserSpace space;

    @BeforeEach
    void open(Product product) throws Exception {
        space = new UserSpace(product);
    }

    @AfterEach
    void close() {
        space.close();
    }

    private void inputs(int count) throws Exception {
        for (int i = 0; i < count; i++) {
            space.input("f" + i, ("content " + i).getBytes(StandardCharsets.UTF_8));
        }
    }

    private void awaitFirstOutput() {
        Eventually.see("a first output", SOON, () -> {
            try {
                return !space.outputs().isEmpty();
            } catch (IOException e) {
                return false;
            }
        });
    }

    /** All are there and right, and the job says so. */
    private void succeeds(String job, int count) throws Exception {
        assertThat(space.ended(job, MOST)).as(() -> space.picture(job)).isEqualTo("Succeeded");
        assertThat(space.outputs()).hasSize(count);
        for (int i = 0; i < count; i++) {
            assertThat(space.output("f" + i)).asString().isEqualTo("CONTENT " + i);
        }
        assertThat(space.status(job, "items", "done")).isEqualTo(Integer.toString(count));
    }

    @Test
    @DisplayName("The coordinator's pod is deleted in mid-run: its successor goes on, nothing is lost")
    void coordinatorDeleted() throws Exception {
        inputs(8);
        space.job("c", SLOW, "  workers: {max: 2, slots: 1}");
        awaitFirstOutput();

        space.pods("coordinator").forEach(p -> space.client.resource(p).delete());

        succeeds("c", 8);
    }

    @Test
    @DisplayName(
            "A worker's pod is deleted in mid-run: what it held is run elsewhere or by its successor, nothing is lost")
    void workerDeleted() throws Exception {
        inputs(8);
        space.job("w", SLOW, "  workers: {max: 2, slots: 1}");
        awaitFirstOutput();

        space.client.resource(space.pods("worker").getFirst()).delete();

        succeeds("w", 8);
    }

    @Test
    @DisplayName("The operator's pod is deleted in mid-run: the job goes on, and the next operator tells its end")
    void operatorDeleted() throws Exception {
        inputs(4);
        space.job("o", SLOW, "  workers: {max: 1, slots: 1}");
        awaitFirstOutput();

        space.client
                .pods()
                .inNamespace(Product.NAMESPACE)
                .withLabel("app.kubernetes.io/component", "operator")
                .delete();

        succeeds("o", 4);
    }

    @Test
    @DisplayName(
            "suspend in mid-run: the pods end, what is done stays; unset, it goes on and does not run again what is done")
    void suspend() throws Exception {
        inputs(6);
        space.job("s", SLOW, "  workers: {max: 1, slots: 1}");
        awaitFirstOutput();

        space.edit("s", "{\"spec\":{\"suspend\":true}}");
        Eventually.see("Suspended", MOST, () -> space.phase("s"), "Suspended"::equals);
        var done = space.outputs().size();
        assertThat(done).isBetween(1, 5);
        assertThat(space.pods("worker"))
                .allMatch(p -> !"Running".equals(p.getStatus().getPhase()));

        space.edit("s", "{\"spec\":{\"suspend\":false}}");
        succeeds("s", 6);
    }

    @Test
    @DisplayName("An image that does not exist: a condition says so, with the image's name")
    void wrongImage() throws Exception {
        inputs(1);
        space.apply("""
                apiVersion: forebay.io/v1alpha1
                kind: PipelineJob
                metadata: {name: image, namespace: %s}
                spec:
                  stores: [{uri: 'file:///data', claimName: data}]
                  inputs: [{name: in, source: 'file:///data/in/'}]
                  forEach: {input: in}
                  steps: [{name: work, image: 'registry.invalid/none:1', command: ['true']}]
                  outputs: [{name: out, path: '**', to: 'file:///data/out/'}]
                """.formatted(space.name));

        Eventually.see("ImagePull", SOON, () -> space.status("image", "conditions"), c -> c.contains("ImagePull"));
        assertThat(space.status("image", "message")).contains("registry.invalid/none:1");
    }

    @Test
    @DisplayName("Inputs that are not there end the job with 65 and a message that names the place; nothing runs")
    void noInputs() {
        space.job("none", "true");

        assertThat(space.ended("none", SOON)).isEqualTo("Failed");

        assertThat(space.status("none", "exitCode")).isEqualTo("65");
        assertThat(space.status("none", "message")).contains("file:///data/in/");
        assertThat(space.pods("worker")).isEmpty();
    }

    @Test
    @DisplayName("A claim that does not exist: a condition says that the volume cannot be had")
    void noClaim() throws Exception {
        space.apply("""
                apiVersion: forebay.io/v1alpha1
                kind: PipelineJob
                metadata: {name: claim, namespace: %s}
                spec:
                  stores: [{uri: 'file:///data', claimName: other}]
                  inputs: [{name: in, source: 'file:///data/in/'}]
                  steps: [{name: work, image: 'busybox:stable', command: ['true']}]
                  outputs: [{name: out, path: '**', to: 'file:///data/out/'}]
                """.formatted(space.name));

        Eventually.see("VolumeNotBound", SOON, () -> space.status("claim", "reason"), "VolumeNotBound"::equals);
        assertThat(space.status("claim", "message")).contains("other");
    }

    @Test
    @DisplayName("An invalid manifest is refused by the API server; what only a cluster asks for, by the operator")
    void refused() {
        assertThatThrownBy(() -> space.job("bad", "true", "  workers: {max: 1, min: 2}"))
                .isInstanceOf(KubernetesClientException.class)
                .hasMessageContaining("min");

        space.apply("""
                apiVersion: forebay.io/v1alpha1
                kind: PipelineJob
                metadata: {name: unclaimed, namespace: %s}
                spec:
                  inputs: [{name: in, source: 'file:///data/in/'}]
                  steps: [{name: work, image: 'busybox:stable', command: ['true']}]
                  outputs: [{name: out, path: '**', to: 'file:///data/out/'}]
                """.formatted(space.name));
        assertThat(space.ended("unclaimed", SOON)).isEqualTo("Failed");
        assertThat(space.status("unclaimed", "exitCode")).isEqualTo("64");
        assertThat(space.status("unclaimed", "message")).contains("claimName");
    }

    @Test
    @DisplayName("Deleting a job takes its pods with it; what was done stays")
    void deleted() throws Exception {
        inputs(8);
        space.job(
                "d",
                SLOW,
                "  workers: {max: 1, slots: 1}",
                "  podTemplate: {spec: {terminationGracePeriodSeconds: 20}}");
        awaitFirstOutput();

        space.delete("d");

        Eventually.see(
                "no pods",
                MOST,
                () -> space.client
                        .pods()
                        .inNamespace(space.name)
                        .list()
                        .getItems()
                        .isEmpty());
        assertThat(space.outputs()).isNotEmpty();
        for (var f : space.outputs()) {
            assertThat(space.output(f)).asString().startsWith("CONTENT ");
        }
    }
}
