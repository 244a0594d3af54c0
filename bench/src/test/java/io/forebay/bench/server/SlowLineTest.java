package io.forebay.bench.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class SlowLineTest {
    private final byte[] content = new byte[3_000_000];
    private HttpServer server;
    private URI address;

    @BeforeEach
    void start() throws IOException {
        new Random(1).nextBytes(content);
        server = HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", exchange -> {
            boolean chunked = exchange.getRequestURI().getPath().equals("/chunked");
            exchange.getResponseHeaders().set("Connection", "close");
            if (exchange.getRequestMethod().equals("HEAD")) {
                exchange.getResponseHeaders().set("Content-Length", "3000000");
                exchange.sendResponseHeaders(200, -1);
            } else {
                exchange.sendResponseHeaders(200, chunked ? 0 : content.length);
                exchange.getResponseBody().write(content);
            }
            exchange.close();
        });
        server.start();
        address = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private byte[] get(HttpClient client, URI from) throws IOException, InterruptedException {
        return client.send(HttpRequest.newBuilder(from).build(), HttpResponse.BodyHandlers.ofByteArray())
                .body();
    }

    @Test
    @DisplayName(
            "bytes arrive as they are, with a length and in chunks, and the connection lives on where the server ends its own")
    void faithful() throws Exception {
        try (var line = SlowLine.to(address, Duration.ZERO, 0);
                var socket = new Socket(
                        InetAddress.getByName("127.0.0.1"), line.endpoint().getPort())) {
            try (var client =
                    HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
                assertThat(get(client, line.endpoint().resolve("/chunked"))).isEqualTo(content);
                assertThat(get(client, line.endpoint().resolve("/whole"))).isEqualTo(content);
            }
            // One connection, by hand: three answers, the first two without a body.
            var out = socket.getOutputStream();
            var in = socket.getInputStream();
            for (var method : new String[] {"HEAD", "HEAD", "GET"}) {
                out.write((method + " /whole HTTP/1.1\r\nHost: here\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
                var head = new StringBuilder();
                while (!head.toString().endsWith("\r\n\r\n")) {
                    int b = in.read();
                    assertThat(b).as("the connection is open: " + head).isNotNegative();
                    head.append((char) b);
                }
                assertThat(head.toString()).contains("200 OK", "keep-alive").doesNotContainIgnoringCase("close");
            }
            assertThat(in.readNBytes(content.length)).isEqualTo(content);
        }
    }

    @Test
    @DisplayName("3 MB at 10 MB/s take 0.3 s at least, and the clock runs from the first request")
    void bandwidth() throws Exception {
        try (var line = SlowLine.to(address, Duration.ZERO, 10_000_000);
                var client = HttpClient.newHttpClient()) {
            var watch = line.fromFirstRequest();
            watch.start();
            get(client, line.endpoint().resolve("/whole"));
            // The first piece and what may be caught up come at once.
            assertThat(watch.stop()).isGreaterThan(0.22);
        }
    }

    @Test
    @DisplayName(
            "a request waits for the round trip, the first of a connection for two; streams are as many as there are")
    void latency() throws Exception {
        try (var line = SlowLine.to(address, Duration.ofMillis(100), 0, 1);
                var client = HttpClient.newHttpClient()) {
            long began = System.nanoTime();
            get(client, line.endpoint().resolve("/whole"));
            get(client, line.endpoint().resolve("/whole"));
            assertThat(System.nanoTime() - began).isGreaterThan(300_000_000L);
            var both = new Thread[] {
                new Thread(() -> quietly(client, line)), new Thread(() -> quietly(client, line)),
            };
            began = System.nanoTime();
            for (var thread : both) {
                thread.start();
            }
            for (var thread : both) {
                thread.join();
            }
            assertThat(System.nanoTime() - began).as("one after the other").isGreaterThan(200_000_000L);
        }
    }

    private void quietly(HttpClient client, SlowLine line) {
        try {
            assertThat(get(client, line.endpoint().resolve("/whole"))).isEqualTo(content);
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
