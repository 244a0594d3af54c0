package io.forebay.e2e;

import static org.junit.jupiter.api.Assumptions.abort;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The cluster that the suite runs on: the one that {@code FOREBAY_E2E_KUBECONFIG} names, with Forebay's images and the chart's CRD free to be
 * installed; else two nodes on this machine, brought up by {@code e2e/cluster}.
 *
 * @param folder of the cluster on this machine; absent: it is somebody else's
 */
record Cluster(Path kubeconfig, Optional<Path> folder, KubernetesClient client) implements AutoCloseable {
    static final String KUBECONFIG = "FOREBAY_E2E_KUBECONFIG";

    /** The test is left out, and says why, where there can be none. */
    static Cluster assumed() {
        var given = System.getenv(KUBECONFIG);
        if (given != null) {
            return of(Path.of(given), Optional.empty());
        }
        try {
            var folder =
                    Files.createTempDirectory(Path.of("/var/tmp"), "fb-e2e-").resolve("lab");
            var up = Shell.run("e2e/cluster/up", folder.toString(), "2");
            if (up.exit() != 0) {
                // Not the product's fault: what this machine cannot (69), or what did not start on it.
                Shell.run("e2e/cluster/down", folder.toString());
                abort("no cluster on this machine: " + up.output().strip());
            }
            System.out.println("[e2e] " + up.output().strip());
            return of(folder.resolve("admin.kubeconfig"), Optional.of(folder));
        } catch (IOException e) {
            throw new AssertionError("no folder for a cluster: " + e.getMessage(), e);
        }
    }

    private static Cluster of(Path kubeconfig, Optional<Path> folder) {
        try {
            var config = Config.fromKubeconfig(Files.readString(kubeconfig));
            return new Cluster(
                    kubeconfig,
                    folder,
                    new KubernetesClientBuilder().withConfig(config).build());
        } catch (IOException e) {
            throw new AssertionError("cannot read " + kubeconfig + ": " + e.getMessage(), e);
        }
    }

    /** Programs that the cluster was built with. */
    private static String program(String name) {
        var versions = Shell.cache().resolve("kubernetes");
        try (var all = Files.list(versions)) {
            return all.map(v -> v.resolve("bin").resolve(name))
                    .filter(Files::isExecutable)
                    .map(Path::toString)
                    .findFirst()
                    .orElse(name);
        } catch (IOException e) {
            return name;
        }
    }

    Shell.Result helm(String... words) {
        return tool("helm", words);
    }

    Shell.Result kubectl(String... words) {
        return tool("kubectl", words);
    }

    private Shell.Result tool(String name, String... words) {
        var line = new ArrayList<>(List.of(program(name)));
        line.addAll(List.of(words));
        return Shell.run(Map.of("KUBECONFIG", kubeconfig.toString()), line);
    }

    /** On a cluster of this machine: {@code e2e/cluster/node}. */
    void node(String... words) {
        var line = new ArrayList<>(List.of("e2e/cluster/node", own().toString()));
        line.addAll(List.of(words));
        Shell.run(Map.of(), line).good();
    }

    /** The test is left out where the cluster is not of this machine. */
    Path own() {
        if (folder.isEmpty()) {
            abort("the cluster that " + KUBECONFIG + " names is not this machine's to break, nor are its volumes");
        }
        return folder.orElseThrow();
    }

    void load(Path image) {
        folder.ifPresent(f ->
                Shell.run("e2e/cluster/import", f.toString(), image.toString()).good());
    }

    /** Where pods reach a server of this machine. */
    String address() {
        try {
            return Files.readString(own().resolve("address")).strip();
        } catch (IOException e) {
            throw new AssertionError("the cluster has no address: " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        client.close();
        folder.ifPresent(f -> {
            if (System.getenv("FOREBAY_E2E_KEEP") != null) {
                System.out.println("[e2e] kept: e2e/cluster/down " + f);
                return;
            }
            Shell.run("e2e/cluster/down", f.toString());
        });
    }
}
