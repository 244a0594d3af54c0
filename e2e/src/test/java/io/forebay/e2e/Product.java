package io.forebay.e2e;

import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Forebay installed on a cluster, as an administrator does it: images built and imported, the chart installed by Helm. */
record Product(Cluster cluster) {
    static final String NAMESPACE = "forebay-system";
    static final String RELEASE = "forebay";
    /** Of the steps' containers; what docs/kubernetes.md uses. */
    static final String BUSYBOX = "busybox:stable";

    static Product install(Cluster cluster) {
        if (cluster.folder().isPresent()) {
            images().forEach(cluster::load);
            cluster.load(busybox());
        }
        var result = cluster.helm(
                "upgrade",
                "--install",
                RELEASE,
                Shell.checkout().resolve("helm/forebay").toString(),
                "--namespace",
                NAMESPACE,
                "--create-namespace",
                "--wait",
                "--timeout",
                "4m");
        if (result.exit() != 0) {
            throw new AssertionError("helm install: " + result.output() + "\n"
                    + cluster.kubectl("-n", NAMESPACE, "describe", "pods").output()
                    + cluster.kubectl(
                                    "-n", NAMESPACE, "logs", "-l", "app.kubernetes.io/component=operator", "--tail=80")
                            .output());
        }
        return new Product(cluster);
    }

    /** Built once for a state of the sources, by {@code images/build}. */
    private static List<Path> images() {
        var folder = Optional.ofNullable(System.getenv("FOREBAY_E2E_IMAGES"))
                .map(Path::of)
                .orElseGet(() -> Shell.checkout().resolve("target/images"));
        try {
            Files.createDirectories(folder);
            if (System.getenv("FOREBAY_E2E_IMAGES") == null) {
                System.out.println("[e2e] building the images");
                Shell.run("images/build", folder.toString()).good();
            }
            try (var all = Files.list(folder)) {
                return all.filter(f -> f.toString().endsWith(".tar")).toList();
            }
        } catch (IOException e) {
            throw new AssertionError("no images in " + folder + ": " + e.getMessage(), e);
        }
    }

    /** A shell and small tools for steps: this machine's static busybox in an image of the public one's name. */
    private static Path busybox() {
        var found = Stream.of("/bin/busybox", "/usr/bin/busybox")
                .map(Path::of)
                .filter(Files::isExecutable)
                .findFirst();
        if (found.isEmpty()) {
            abort("no static busybox on this machine (Debian: busybox-static; .ci/run installs it)");
        }
        var program = found.orElseThrow();
        try {
            var root = Files.createTempDirectory("busybox-root-");
            var bin = Files.createDirectory(root.resolve("bin"));
            Files.createDirectory(root.resolve("tmp"));
            Files.copy(program, bin.resolve("busybox"));
            for (var name : Shell.run(program.toString(), "--list").good().split("\n")) {
                if (!name.isBlank() && !name.equals("busybox")) {
                    Files.createSymbolicLink(bin.resolve(name), Path.of("busybox"));
                }
            }
            var archive = root.resolveSibling(root.getFileName() + ".tar");
            Shell.run(
                            Map.of(),
                            List.of(
                                    "e2e/cluster/pack",
                                    archive.toString(),
                                    "docker.io/library/" + BUSYBOX,
                                    root.toString(),
                                    "/bin/sh"))
                    .good();
            return archive;
        } catch (IOException e) {
            throw new AssertionError("no busybox image: " + e.getMessage(), e);
        }
    }
}
