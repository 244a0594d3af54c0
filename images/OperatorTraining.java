import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * {@code java OperatorTraining.java COMMAND...}: the training run of the operator's AOT cache. Starts the command, with as much of a Kubernetes API server
 * as it asks for and one PipelineJob in it, waits until it has made the job's children and told its status, then ends it as a cluster would.
 * Its log goes to standard output. Exit code 0: all of this came about.
 */
final class OperatorTraining {
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final Pattern LISTENS = Pattern.compile("[Ll]istening on: http://[^:]+:(\\d+)");
    private static final String JOB = """
            {"apiVersion": "forebay.io/v1alpha1", "kind": "PipelineJob",
             "metadata": {"name": "training", "namespace": "default", "uid": "11111111-2222-3333-4444-555555555555", "generation": 1,
                          "resourceVersion": "1", "creationTimestamp": "2026-01-01T00:00:00Z"},
             "spec": {"stores": [{"uri": "file:///data", "claimName": "data"}],
                      "inputs": [{"name": "blocks", "source": "file:///data/blocks/", "include": ["*.bin"]}],
                      "forEach": {"input": "blocks"},
                      "steps": [{"name": "copy", "image": "busybox:stable", "command": ["cp", "a", "b"],
                                 "resources": {"limits": {"memory": "64Mi"}}}],
                      "outputs": [{"name": "result", "path": "*.bin", "to": "file:///data/results/"}],
                      "buffer": {"tiers": [{"medium": "Memory", "size": "64Mi"}]},
                      "workers": {"max": 1, "slots": 1}}}""";

    private final CountDownLatch ended = new CountDownLatch(1);
    private final CountDownLatch worked = new CountDownLatch(1);

    public static void main(String[] args) throws Exception {
        System.exit(new OperatorTraining().run(List.of(args)) ? 0 : 1);
    }

    private boolean run(List<String> command) throws Exception {
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.start();
        var builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().keySet().removeIf(name -> name.startsWith("KUBE") || name.startsWith("QUARKUS"));
        builder.environment().put("KUBERNETES_MASTER", "http://127.0.0.1:" + server.getAddress().getPort());
        builder.environment().put("KUBECONFIG", "/nonexistent");
        builder.environment().put("QUARKUS_HTTP_PORT", "0");
        var operator = builder.start();
        try {
            var port = new CompletableFuture<String>();
            Thread.ofVirtual().start(() -> copyLog(operator.inputReader(), port));
            var base = "http://127.0.0.1:" + port.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            // Never ready: its watches are web sockets on a real cluster, and none are here. Asking is training too.
            for (var page : List.of("ready", "live", "metrics")) {
                ask(base + (page.equals("metrics") ? "/q/" : "/q/health/") + page);
            }
            if (!worked.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                System.out.println("the operator wrote no status of the job");
                return false;
            }
            // Not Process.destroy, which closes the log.
            operator.toHandle().destroy();
            return operator.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } finally {
            operator.destroyForcibly();
            ended.countDown();
            server.stop(0);
        }
    }

    private static void copyLog(BufferedReader log, CompletableFuture<String> port) {
        log.lines().forEach(line -> {
            System.out.println(line);
            var found = LISTENS.matcher(line);
            if (found.find()) {
                port.complete(found.group(1));
            }
        });
        port.completeExceptionally(new IOException("the operator ended before it listened"));
    }

    private static void ask(String url) throws IOException, InterruptedException {
        try (var client = HttpClient.newHttpClient()) {
            var answer = client.send(HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString());
            System.out.println(url + " answers " + answer.statusCode());
        }
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            var path = exchange.getRequestURI().getPath();
            var query = String.valueOf(exchange.getRequestURI().getQuery());
            var body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            if (!exchange.getRequestMethod().equals("GET")) {
                send(exchange, 200, body.replaceFirst("\"metadata\" *: *\\{", "\"metadata\":{\"uid\":\"u\",\"resourceVersion\":\"2\","));
                if (path.endsWith("/status")) {
                    worked.countDown();
                }
            } else if (query.contains("watch=")) {
                watch(exchange);
            } else if (path.endsWith("/pipelinejobs")) {
                send(exchange, 200, listOf("PipelineJob", JOB));
            } else if (path.matches(".*/namespaces/[^/]+/[^/]+/[^/]+")) {
                send(exchange, 404, "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"reason\":\"NotFound\",\"code\":404}");
            } else {
                send(exchange, 200, listOf("", ""));
            }
        }
    }

    private static String listOf(String kind, String items) {
        return "{\"apiVersion\":\"v1\",\"kind\":\"%sList\",\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[%s]}".formatted(kind, items);
    }

    /** Nothing happens, until the end. */
    private void watch(HttpExchange exchange) throws IOException {
        if (exchange.getRequestHeaders().getFirst("Upgrade") != null) {
            // No web sockets here: the client asks again without one.
            exchange.sendResponseHeaders(200, -1);
            return;
        }
        exchange.sendResponseHeaders(200, 0);
        exchange.getResponseBody().flush();
        try {
            ended.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void send(HttpExchange exchange, int code, String text) throws IOException {
        var bytes = text.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(code, bytes.length);
        exchange.getResponseBody().write(bytes);
    }
}
