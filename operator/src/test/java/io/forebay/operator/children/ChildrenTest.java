package io.forebay.operator.children;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.forebay.operator.Manifests;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ChildrenTest {
    private final JobTokens tokens = new JobTokens("0123456789abcdef0123456789abcdef".getBytes());
    private final Children children =
            new Children(new SidecarImage("forebay/sidecar:1", "Never", List.of("pull")), tokens, 600);

    private static Container named(PodSpec pod, String name) {
        return Stream.concat(pod.getInitContainers().stream(), pod.getContainers().stream())
                .filter(c -> c.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static List<String> paths(Container c) {
        return c.getVolumeMounts().stream().map(VolumeMount::getMountPath).toList();
    }

    private static PodSpec pod(Job job) {
        return job.getSpec().getTemplate().getSpec();
    }

    @Test
    @DisplayName("A worker is the buffer and the steps as sidecars in that order, and commit alone as main container")
    void workerShape() {
        var pod = pod(children.workers(Manifests.job(), 2));
        assertThat(pod.getInitContainers()).extracting(Container::getName).containsExactly("buffer", "work");
        assertThat(pod.getInitContainers())
                .extracting(Container::getRestartPolicy)
                .containsOnly("Always");
        assertThat(pod.getContainers()).extracting(Container::getName).containsExactly("commit");
        assertThat(pod.getRestartPolicy()).isEqualTo("Never");
        assertThat(pod.getImagePullSecrets()).extracting("name").containsExactly("pull");
    }

    @Test
    @DisplayName(
            "Steps see neither stores nor Secrets nor the job's token nor the journal; runner and socket read-only")
    void stepsSeeLittle() {
        var pod = pod(children.workers(Manifests.job(), 1));
        var step = named(pod, "work");
        assertThat(paths(step))
                .containsExactlyInAnyOrder(
                        "/forebay/bin",
                        "/forebay/run",
                        "/forebay/step-token",
                        "/tmp",
                        "/forebay/logs",
                        "/forebay/tiers/0",
                        "/forebay/tiers/1");
        assertThat(step.getVolumeMounts())
                .filteredOn(m -> List.of("/forebay/bin", "/forebay/run", "/forebay/step-token")
                        .contains(m.getMountPath()))
                .allMatch(m -> Boolean.TRUE.equals(m.getReadOnly()));
        assertThat(paths(named(pod, "commit"))).containsExactlyInAnyOrder("/forebay/run", "/forebay/step-token");
        assertThat(paths(named(pod, "buffer")))
                .contains("/data", "/forebay/secrets/brain-s3", "/forebay/job", "/forebay/control");
    }

    @Test
    @DisplayName(
            "Limits: what an item needs times slots, and the memory tiers for each container that may write to them")
    void limits() {
        var pod = pod(children.workers(Manifests.job(), 1));
        var step = named(pod, "work").getResources();
        assertThat(step.getRequests().get("cpu").getNumericalAmount()).isEqualByComparingTo("1.5");
        assertThat(step.getRequests().get("memory").getNumericalAmount()).isEqualByComparingTo(Long.toString(3L << 30));
        assertThat(step.getLimits().get("memory").getNumericalAmount()).isEqualByComparingTo(Long.toString(7L << 30));
        assertThat(named(pod, "buffer").getResources().getLimits().get("memory").getNumericalAmount())
                .isEqualByComparingTo(Long.toString((1L << 30) + (320L << 20)));
    }

    @Test
    @DisplayName("All containers fit the Pod Security Standard restricted; none has fsGroup, all share one group")
    void restricted() {
        for (var job : List.of(children.workers(Manifests.job(), 1), children.coordinator(Manifests.job(), 1))) {
            var pod = pod(job);
            assertThat(pod.getSecurityContext().getRunAsNonRoot()).isTrue();
            assertThat(pod.getSecurityContext().getFsGroup()).isNull();
            assertThat(pod.getSecurityContext().getSupplementalGroups()).hasSize(1);
            assertThat(pod.getSecurityContext().getSeccompProfile().getType()).isEqualTo("RuntimeDefault");
            assertThat(Stream.concat(pod.getInitContainers().stream(), pod.getContainers().stream()))
                    .allSatisfy(c -> {
                        assertThat(c.getSecurityContext().getAllowPrivilegeEscalation())
                                .isFalse();
                        assertThat(c.getSecurityContext().getCapabilities().getDrop())
                                .containsExactly("ALL");
                        assertThat(c.getSecurityContext().getRunAsUser()).isEqualTo(65532L);
                    });
            assertThat(pod.getAutomountServiceAccountToken()).isFalse();
        }
    }

    @Test
    @DisplayName(
            "A podTemplate is merged: the user's node selector, volumes, user, annotations and step mounts beside ours")
    void podTemplate() {
        var job = Manifests.job(
                "  podTemplate:",
                "    metadata: {annotations: {team: brain}, labels: {forebay.io/role: hacked, mine: yes-it-is}}",
                "    spec:",
                "      nodeSelector: {disk: nvme}",
                "      terminationGracePeriodSeconds: 7200",
                "      securityContext: {runAsUser: 5000}",
                "      tolerations: [{key: gpu, operator: Exists}]",
                "      volumes: [{name: licence, secret: {secretName: fsl}}]",
                "      initContainers: [{name: work, volumeMounts: [{name: licence, mountPath: /licence}]}]");
        var workers = children.workers(job, 1);
        var pod = pod(workers);
        assertThat(pod.getNodeSelector()).containsEntry("disk", "nvme");
        assertThat(pod.getTerminationGracePeriodSeconds()).isEqualTo(600);
        assertThat(pod.getSecurityContext().getRunAsUser()).isNull();
        assertThat(pod.getSecurityContext().getRunAsNonRoot()).isTrue();
        assertThat(named(pod, "work").getSecurityContext().getRunAsUser()).isEqualTo(5000);
        assertThat(paths(named(pod, "work"))).contains("/licence", "/forebay/run");
        assertThat(named(pod, "work").getImage()).isEqualTo("tools:1");
        assertThat(pod.getVolumes()).extracting("name").contains("licence", "tier-0");
        var meta = workers.getSpec().getTemplate().getMetadata();
        assertThat(meta.getAnnotations()).containsEntry("team", "brain").containsEntry(Labels.JOB, "increment");
        assertThat(meta.getLabels()).containsEntry("mine", "yes-it-is").containsEntry(Labels.ROLE, Labels.WORKER);

        var coordinator = pod(children.coordinator(job, 1));
        assertThat(coordinator.getContainers()).extracting(Container::getName).containsExactly("coordinator");
        assertThat(coordinator.getInitContainers()).isEmpty();
        assertThat(coordinator.getTerminationGracePeriodSeconds()).isEqualTo(630);
        assertThat(named(coordinator, "coordinator").getSecurityContext().getRunAsUser())
                .isEqualTo(5000);
    }

    @Test
    @DisplayName("A step of useImageUser runs as whoever its image says")
    void imageUser() {
        var yaml = """
                apiVersion: forebay.io/v1alpha1
                kind: PipelineJob
                metadata: {name: a}
                spec:
                  steps: [{name: s, image: i, command: [x], useImageUser: true}]
                  records: s3://b/r/
                  podTemplate: {spec: {securityContext: {runAsUser: 7}}}
                """;
        var pod = pod(children.workers(Manifests.read(yaml), 1));
        assertThat(named(pod, "s").getSecurityContext().getRunAsUser()).isNull();
        assertThat(pod.getSecurityContext().getRunAsUser()).isNull();
        assertThat(named(pod, "buffer").getSecurityContext().getRunAsUser()).isEqualTo(7);
    }

    @Test
    @DisplayName("Names fit Services and Jobs whatever the job is called, and differ by uid and run")
    void names() {
        var dotted = ChildNames.of("1.a" + "b".repeat(250), Manifests.UID, null);
        assertThat(dotted.service()).matches("[a-z]([-a-z0-9]{0,61}[a-z0-9])?");
        assertThat(dotted.coordinator(1234)).hasSizeLessThanOrEqualTo(63);
        assertThat(ChildNames.of("a", Manifests.UID, "2").workers())
                .isNotEqualTo(ChildNames.of("a", Manifests.UID, "1").workers())
                .isNotEqualTo(ChildNames.of("a", "4" + Manifests.UID, "2").workers());
    }

    @Test
    @DisplayName("The job's token is in its Secret alone; steps get another one")
    void tokens() {
        var job = Manifests.job();
        var secret = children.secret(job).getStringData();
        assertThat(secret.get("token")).isEqualTo(tokens.job(Manifests.UID)).isNotEqualTo(secret.get("step-token"));
        assertThat(tokens.job(Manifests.UID)).isNotEqualTo(tokens.job(Manifests.UID + "x"));
        assertThat(children.workers(job, 1).toString() + children.coordinator(job, 1))
                .doesNotContain(secret.get("token"), secret.get("step-token"));
    }

    @Test
    @DisplayName("Kueue's queue goes to the worker Job alone, which then is made suspended")
    void queue() {
        var job = Manifests.read("""
                apiVersion: forebay.io/v1alpha1
                kind: PipelineJob
                metadata: {name: a, labels: {kueue.x-k8s.io/queue-name: q}}
                spec:
                  steps: [{name: s, image: i, command: [x]}]
                  records: s3://b/r/
                """);
        assertThat(children.workers(job, 1).getMetadata().getLabels()).containsEntry(Labels.QUEUE, "q");
        assertThat(children.workers(job, 1).getSpec().getSuspend()).isTrue();
        assertThat(children.coordinator(job, 1).getMetadata().getLabels()).doesNotContainKey(Labels.QUEUE);
        assertThat(children.coordinator(job, 1).getSpec().getSuspend()).isNull();
    }
}
