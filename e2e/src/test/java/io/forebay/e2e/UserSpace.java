package io.forebay.e2e;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;

/** A namespace under the Pod Security Standard {@code restricted}, as a user has one, with a claim {@code data} that is a folder of this machine. */
final class UserSpace implements AutoCloseable {
    private static final ResourceDefinitionContext JOBS = new ResourceDefinitionContext.Builder()
            .withGroup("forebay.io")
            .withVersion("v1alpha1")
            .withKind("PipelineJob")
            .withPlural("pipelinejobs")
            .withNamespaced(true)
            .build();

    final Cluster cluster;
    final KubernetesClient client;
    final String name = "e2e-" + UUID.randomUUID().toString().substring(0, 8);
    final Path data;

    UserSpace(Product product) throws IOException {
        cluster = product.cluster();
        client = cluster.client();
        client.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .addToLabels("pod-security.kubernetes.io/enforce", "restricted")
                        .endMetadata()
                        .build())
                .create();
        data = cluster.own().resolve("volumes").resolve(name);
        Files.createDirectories(data.resolve("in"));
        give(data);
        apply("""
                apiVersion: v1
                kind: PersistentVolume
                metadata: {name: %1$s}
                spec:
                  capacity: {storage: 1Gi}
                  accessModes: [ReadWriteMany]
                  persistentVolumeReclaimPolicy: Retain
                  hostPath: {path: %2$s}
                  claimRef: {namespace: %1$s, name: data}
                ---
                apiVersion: v1
                kind: PersistentVolumeClaim
                metadata: {name: data, namespace: %1$s}
                spec:
                  accessModes: [ReadWriteMany]
                  storageClassName: ""
                  volumeName: %1$s
                  resources: {requests: {storage: 1Gi}}
                """.formatted(name, data));
    }

    private static void give(Path folder) throws IOException {
        for (var f : List.of(folder, folder.resolve("in"))) {
            Files.setPosixFilePermissions(f, PosixFilePermissions.fromString("rwxrwxrwx"));
        }
    }

    void input(String file, byte[] content) throws IOException {
        Files.write(data.resolve("in").resolve(file), content);
    }

    byte[] output(String file) throws IOException {
        return Files.readAllBytes(data.resolve("out").resolve(file));
    }

    void apply(String yaml) {
        for (var document : yaml.split("\n---\n")) {
            client.resource(new ByteArrayInputStream(document.getBytes(StandardCharsets.UTF_8)))
                    .serverSideApply();
        }
    }

    /**
     * A job over {@code in/} of the claim, its outputs to {@code out/}, one step of busybox.
     *
     * @param script for {@code sh -ec}
     * @param lines of YAML below spec
     */
    String job(String job, String script, String... lines) {
        var yaml = """
                apiVersion: forebay.io/v1alpha1
                kind: PipelineJob
                metadata: {name: %s, namespace: %s}
                spec:
                  stores: [{uri: 'file:///data', claimName: data}]
                  inputs: [{name: in, source: 'file:///data/in/'}]
                  forEach: {input: in}
                  steps:
                  - name: work
                    image: busybox:stable
                    command: [sh, -ec, %s]
                    resources: {requests: {cpu: 10m, memory: 16Mi}, limits: {memory: 64Mi}}
                  outputs: [{name: out, path: '**', to: 'file:///data/out/'}]
                  buffer: {tiers: [{medium: Memory, size: 64Mi}, {medium: Disk, size: 128Mi}]}
                %s
                """.formatted(job, name, Serialization.asJson(script), String.join("\n", lines));
        apply(yaml);
        return job;
    }

    GenericKubernetesResource get(String job) {
        return client.genericKubernetesResources(JOBS)
                .inNamespace(name)
                .withName(job)
                .get();
    }

    void edit(String job, String mergePatch) {
        client.genericKubernetesResources(JOBS)
                .inNamespace(name)
                .withName(job)
                .patch(PatchContext.of(PatchType.JSON_MERGE), mergePatch);
    }

    void delete(String job) {
        client.genericKubernetesResources(JOBS).inNamespace(name).withName(job).delete();
    }

    /** A field of its status, as text; empty: not there. */
    String status(String job, String... path) {
        var there = get(job);
        if (there == null) {
            return "";
        }
        var all = new ArrayList<Object>(List.of("status"));
        all.addAll(List.of(path));
        Object value = there.get(all.toArray());
        return value == null ? "" : value.toString();
    }

    String phase(String job) {
        return status(job, "phase");
    }

    /** @return Succeeded, Failed or Cancelled */
    String ended(String job, Duration most) {
        try {
            return Eventually.see(
                    "the end of job " + job,
                    most,
                    () -> phase(job),
                    p -> List.of("Succeeded", "Failed", "Cancelled").contains(p));
        } catch (AssertionError e) {
            throw new AssertionError(e.getMessage() + "\n" + picture(job), e);
        }
    }

    List<Pod> pods(String role) {
        return client.pods()
                .inNamespace(name)
                .withLabel("forebay.io/role", role)
                .list()
                .getItems();
    }

    /** For messages of failed tests. */
    String picture(String job) {
        var logs = client.pods().inNamespace(name).list().getItems().stream()
                .map(p -> p.getMetadata().getName() + "\n"
                        + cluster.kubectl(
                                        "-n", name, "logs", p.getMetadata().getName(), "--all-containers", "--tail=30")
                                .output())
                .collect(Collectors.joining("\n"));
        return Serialization.asYaml(get(job)) + "\n"
                + cluster.kubectl("-n", name, "get", "pods,jobs,events", "-o", "wide")
                        .output() + "\n" + logs;
    }

    /** Names of all files below the claim's {@code out/}, without records. */
    List<String> outputs() throws IOException {
        var out = data.resolve("out");
        if (!Files.isDirectory(out)) {
            return List.of();
        }
        try (var all = Files.walk(out)) {
            return all.filter(Files::isRegularFile)
                    .map(f -> out.relativize(f).toString())
                    .filter(f -> !f.startsWith(".forebay/"))
                    .sorted()
                    .toList();
        }
    }

    @Override
    public void close() {
        client.namespaces().withName(name).delete();
        client.persistentVolumes().withName(name).delete();
    }
}
