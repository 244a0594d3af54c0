package io.forebay.helm;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A real API server with its etcd on this machine, and nothing else: no controller, no node. Objects are checked, admitted and kept; nothing is
 * started. Its one user, {@code admin}, may do everything, and speak for others.
 */
final class ApiServer implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final String TOKEN = "admin-of-a-test";

    private final Path folder;
    private final Path kubectl;
    private final List<Process> processes = new ArrayList<>();

    private ApiServer(Path folder, Path kubectl) {
        this.folder = folder;
        this.kubectl = kubectl;
    }

    /** The test is left out, and says why, where a program is not there. */
    static ApiServer assumed(Path folder) throws IOException, GeneralSecurityException, InterruptedException {
        var etcd = Programs.assumed("etcd");
        var apiserver = Programs.assumed("kube-apiserver");
        var server = new ApiServer(folder, Programs.assumed("kubectl"));
        try {
            server.start(etcd, apiserver);
            return server;
        } catch (IOException | GeneralSecurityException | InterruptedException | RuntimeException | Error e) {
            server.close();
            throw e;
        }
    }

    Helm helm() {
        return new Helm(
                Programs.assumed("helm"),
                folder,
                Map.of("KUBECONFIG", kubeconfig().toString()));
    }

    Programs.Result kubectl(String... words) {
        var line = new ArrayList<>(List.of(kubectl.toString()));
        line.addAll(List.of(words));
        var environment = new HashMap<>(Map.of("KUBECONFIG", kubeconfig().toString()));
        environment.put("HOME", folder.toString());
        return Programs.run(line, environment);
    }

    @Override
    public void close() {
        for (var process : processes.reversed()) {
            process.destroy();
            try {
                process.waitFor();
            } catch (InterruptedException e) {
                process.destroyForcibly();
                Thread.currentThread().interrupt();
            }
        }
    }

    private void start(Path etcd, Path apiserver) throws IOException, GeneralSecurityException, InterruptedException {
        var store = "http://127.0.0.1:" + freePort();
        var peers = "http://127.0.0.1:" + freePort();
        launch(
                "etcd",
                etcd,
                "--data-dir=" + folder.resolve("etcd"),
                "--unsafe-no-fsync",
                "--listen-client-urls=" + store,
                "--advertise-client-urls=" + store,
                "--listen-peer-urls=" + peers,
                "--initial-advertise-peer-urls=" + peers,
                "--initial-cluster=default=" + peers);
        var port = freePort();
        Files.writeString(folder.resolve("tokens"), TOKEN + ",admin,1,system:masters\n");
        Files.writeString(folder.resolve("key.pem"), key());
        Files.writeString(kubeconfig(), """
                apiVersion: v1
                kind: Config
                current-context: test
                clusters: [{name: test, cluster: {server: "https://127.0.0.1:%d", insecure-skip-tls-verify: true}}]
                contexts: [{name: test, context: {cluster: test, user: admin}}]
                users: [{name: admin, user: {token: %s}}]
                """.formatted(port, TOKEN));
        launch(
                "kube-apiserver",
                apiserver,
                "--etcd-servers=" + store,
                "--bind-address=127.0.0.1",
                "--secure-port=" + port,
                "--cert-dir=" + folder.resolve("certificates"),
                "--token-auth-file=" + folder.resolve("tokens"),
                "--authorization-mode=RBAC",
                "--service-cluster-ip-range=10.0.0.0/24",
                "--service-account-issuer=https://kubernetes.default.svc",
                "--service-account-signing-key-file=" + folder.resolve("key.pem"),
                "--service-account-key-file=" + folder.resolve("key.pem"),
                // It waits for a controller that makes the namespaces' default accounts.
                "--disable-admission-plugins=ServiceAccount");
        awaitReady();
    }

    private void launch(String name, Path program, String... words) throws IOException {
        var line =
                Stream.concat(Stream.of(program.toString()), Stream.of(words)).toList();
        processes.add(new ProcessBuilder(line)
                .redirectErrorStream(true)
                .redirectOutput(log(name).toFile())
                .start());
    }

    private void awaitReady() throws InterruptedException, IOException {
        var end = Instant.now().plus(PATIENCE);
        while (true) {
            var answer = kubectl("get", "--raw", "/readyz");
            if (answer.exit() == 0) {
                return;
            }
            for (var name : List.of("etcd", "kube-apiserver")) {
                if (!processes.get(name.equals("etcd") ? 0 : 1).isAlive()) {
                    throw new IllegalStateException(name + " has ended: " + Files.readString(log(name)));
                }
            }
            if (Instant.now().isAfter(end)) {
                throw new IllegalStateException("not ready after " + PATIENCE + ": " + answer.output()
                        + Files.readString(log("kube-apiserver")));
            }
            Thread.sleep(Duration.ofMillis(200)); // between two looks
        }
    }

    private Path kubeconfig() {
        return folder.resolve("kubeconfig");
    }

    private Path log(String name) {
        return folder.resolve(name + ".log");
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private static String key() throws GeneralSecurityException {
        var generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(2048);
        var bytes = generator.generateKeyPair().getPrivate().getEncoded();
        return "-----BEGIN PRIVATE KEY-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes) + "\n-----END PRIVATE KEY-----\n";
    }
}
