package io.forebay.images;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** As much of a registry (OCI distribution, basic authentication, a certificate that nobody signed) as a push needs. */
final class RegistryServer implements AutoCloseable {
    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final String authorization;
    private final Map<String, byte[]> blobs = new ConcurrentHashMap<>();
    private final Map<String, byte[]> uploads = new ConcurrentHashMap<>();
    private final Map<String, String> manifests = new ConcurrentHashMap<>();

    private RegistryServer(HttpServer server, String user, String password) {
        this.server = server;
        authorization =
                "Basic " + Base64.getEncoder().encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
    }

    /** @param folder where its key can lie */
    static RegistryServer start(Path folder, String user, String password) throws Exception {
        var https = HttpsServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 0);
        https.setHttpsConfigurator(new HttpsConfigurator(identity(folder.resolve("key.p12"))));
        var started = new RegistryServer(https, user, password);
        https.createContext("/v2/", started::handle);
        https.setExecutor(started.threads);
        https.start();
        return started;
    }

    private static SSLContext identity(Path file) throws Exception {
        var made = new ProcessBuilder(
                        Host.jdk("bin/keytool").toString(),
                        "-genkeypair",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=localhost",
                        "-storepass",
                        "changeit",
                        "-keystore",
                        file.toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        if (made.waitFor() != 0) {
            throw new IOException("keytool made no key in " + file);
        }
        var password = "changeit".toCharArray();
        var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(KeyStore.getInstance(file.toFile(), password), password);
        var identity = SSLContext.getInstance("TLS");
        identity.init(keys.getKeyManagers(), null, null);
        return identity;
    }

    String address() {
        return "localhost:" + server.getAddress().getPort();
    }

    /** By digest. */
    Map<String, byte[]> blobs() {
        return blobs;
    }

    /** Digests, by {@code name:tag}. */
    Map<String, String> manifests() {
        return manifests;
    }

    @Override
    public void close() {
        server.stop(0);
        threads.close();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            var body = exchange.getRequestBody().readAllBytes();
            if (!authorization.equals(exchange.getRequestHeaders().getFirst("Authorization"))) {
                exchange.getResponseHeaders().set("WWW-Authenticate", "Basic realm=\"test\"");
                exchange.sendResponseHeaders(401, -1);
                return;
            }
            exchange.sendResponseHeaders(answer(exchange, body), -1);
        }
    }

    private int answer(HttpExchange exchange, byte[] body) {
        var path = exchange.getRequestURI().getPath();
        var last = path.substring(path.lastIndexOf('/') + 1);
        return switch (exchange.getRequestMethod()) {
            case "HEAD" -> blobs.containsKey(last) ? 200 : 404;
            case "POST" -> {
                exchange.getResponseHeaders().set("Location", path + "u" + (uploads.size() + System.nanoTime()));
                yield 202;
            }
            case "PATCH" -> {
                uploads.put(last, body);
                exchange.getResponseHeaders().set("Location", path);
                yield 202;
            }
            case "PUT" -> path.contains("/manifests/") ? manifest(exchange, path, last, body) : blob(exchange, last);
            default -> 200;
        };
    }

    private int blob(HttpExchange exchange, String upload) {
        var digest = exchange.getRequestURI().getQuery().replaceFirst(".*digest=", "");
        var bytes = uploads.remove(upload);
        if (!digest.equals(digest(bytes))) {
            return 400;
        }
        blobs.put(digest, bytes);
        return 201;
    }

    private int manifest(HttpExchange exchange, String path, String tag, byte[] body) {
        var digest = digest(body);
        manifests.put(path.substring("/v2/".length(), path.indexOf("/manifests/")) + ":" + tag, digest);
        exchange.getResponseHeaders().set("Docker-Content-Digest", digest);
        return 201;
    }

    private static String digest(byte[] bytes) {
        try {
            return "sha256:"
                    + HexFormat.of()
                            .formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }
}
