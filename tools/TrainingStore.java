import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * {@code java TrainingStore.java FILE}: as much of an S3 server as the training run of tools/train.sh asks for, on a free port of this
 * machine alone. Its URL is written to FILE; it ends with its standard input.
 */
final class TrainingStore {
    private static final ConcurrentMap<String, byte[]> OBJECTS = new ConcurrentHashMap<>();

    private TrainingStore() {}

    public static void main(String[] args) throws IOException {
        OBJECTS.put("/training/in/one", "one\n".getBytes(StandardCharsets.UTF_8));
        OBJECTS.put("/training/in/two", "two\n".getBytes(StandardCharsets.UTF_8));
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", TrainingStore::answer);
        server.start();
        var file = Path.of(args[0]);
        var whole = Path.of(args[0] + ".new");
        Files.writeString(whole, "http://127.0.0.1:" + server.getAddress().getPort() + "\n");
        Files.move(whole, file, StandardCopyOption.ATOMIC_MOVE);
        while (System.in.read() >= 0) {}
        System.exit(0);
    }

    private static void answer(HttpExchange exchange) throws IOException {
        var key = exchange.getRequestURI().getPath();
        var query = String.valueOf(exchange.getRequestURI().getQuery());
        byte[] body = exchange.getRequestBody().readAllBytes();
        switch (exchange.getRequestMethod()) {
            case "PUT" -> {
                OBJECTS.put(key, body);
                exchange.getResponseHeaders().set("ETag", "\"" + md5(body) + "\"");
                send(exchange, 200, new byte[0]);
            }
            case "GET" -> {
                if (query.contains("list-type=2")) {
                    exchange.getResponseHeaders().set("Content-Type", "application/xml");
                    send(exchange, 200, listing(key).getBytes(StandardCharsets.UTF_8));
                } else {
                    get(exchange, key);
                }
            }
            case "DELETE" -> {
                OBJECTS.remove(key);
                send(exchange, 204, new byte[0]);
            }
            default -> get(exchange, key);
        }
    }

    private static void get(HttpExchange exchange, String key) throws IOException {
        byte[] found = OBJECTS.get(key);
        if (found == null) {
            send(exchange, 404, new byte[0]);
            return;
        }
        exchange.getResponseHeaders().set("ETag", "\"" + md5(found) + "\"");
        exchange.getResponseHeaders().set("Last-Modified", "Thu, 01 Jan 2026 00:00:00 GMT");
        send(exchange, 200, found);
    }

    private static void send(HttpExchange exchange, int status, byte[] body) throws IOException {
        try (exchange) {
            exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
            if (body.length > 0) {
                exchange.getResponseBody().write(body);
            }
        }
    }

    private static String listing(String bucket) {
        var root = bucket.endsWith("/") ? bucket : bucket + "/";
        var xml = new StringBuilder("<?xml version=\"1.0\" encoding=\"UTF-8\"?><ListBucketResult><Name>training</Name>"
                + "<IsTruncated>false</IsTruncated>");
        OBJECTS.forEach((key, body) -> {
            if (key.startsWith(root + "in/")) {
                xml.append("<Contents><Key>")
                        .append(key.substring(root.length()))
                        .append("</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><ETag>&quot;")
                        .append(md5(body))
                        .append("&quot;</ETag><Size>")
                        .append(body.length)
                        .append("</Size></Contents>");
            }
        });
        return xml.append("</ListBucketResult>").toString();
    }

    private static String md5(byte[] body) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("MD5").digest(body));
        } catch (java.security.GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }
}
