package io.forebay.sidecar.store.s3.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.sidecar.store.s3.http.HttpPool.BodyWriter;
import io.forebay.sidecar.store.s3.http.HttpPool.Request;
import io.forebay.sidecar.store.s3.http.HttpPool.SourceFailure;
import io.forebay.testing.Wait;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ProtocolException;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HttpPoolTest {
    private static final Duration SHORT = Duration.ofMillis(300);
    private static final Duration LONG = Duration.ofSeconds(30);

    private final List<AutoCloseable> closing = new ArrayList<>();

    @AfterEach
    void closeAll() throws Exception {
        for (var c : closing.reversed()) {
            c.close();
        }
    }

    private <T extends AutoCloseable> T closed(T closeable) {
        closing.add(closeable);
        return closeable;
    }

    private HttpPool pool(URI url, int max) throws Exception {
        return closed(new HttpPool(
                Origin.of(url), Optional.empty(), Optional.of(SSLContext.getDefault()), max, Duration.ofSeconds(5)));
    }

    record Got(int status, Headers headers, String body) {}

    private static Got exchange(HttpPool pool, String method, String body) throws Exception {
        BodyWriter writer =
                body == null ? null : sink -> sink.write(ByteBuffer.wrap(body.getBytes(StandardCharsets.UTF_8)));
        var request = new Request(
                method,
                "/x?y=1",
                Map.of("a", "b"),
                body == null ? -1 : body.getBytes(StandardCharsets.UTF_8).length,
                LONG,
                LONG);
        return read(pool, request, writer);
    }

    private static Got read(HttpPool pool, Request request, BodyWriter writer) throws Exception {
        return pool.<Got, RuntimeException>exchange(request, writer, (status, headers, answer) -> {
            var bytes = ByteBuffer.allocate(1 << 20);
            while (answer.read(bytes) >= 0) {}
            return new Got(status, headers, new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8));
        });
    }

    private Got get(String answer) throws Exception {
        return exchange(pool(closed(RawServer.answering(answer)).url(), 2), "GET", null);
    }

    @Test
    @DisplayName("a request is what it says, with Host and Content-Length")
    void request() throws Exception {
        var server = closed(RawServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
        var pool = pool(server.url(), 1);
        assertThat(exchange(pool, "PUT", "body").body()).isEqualTo("ok");
        assertThat(exchange(pool, "GET", null).body()).isEqualTo("ok");
        assertThat(server.heads)
                .containsExactly(
                        "PUT /x?y=1 HTTP/1.1\r\nHost: 127.0.0.1:" + server.port()
                                + "\r\na: b\r\nContent-Length: 4\r\n\r\n",
                        "GET /x?y=1 HTTP/1.1\r\nHost: 127.0.0.1:" + server.port() + "\r\na: b\r\n\r\n");
        assertThat(server.accepted).isEqualTo(1);
    }

    @Test
    @DisplayName("an answer to HEAD has no body, whatever its length says, and the connection is used again")
    void head() throws Exception {
        var server = closed(RawServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"));
        var pool = pool(server.url(), 1);
        for (int i = 0; i < 3; i++) {
            var got = exchange(pool, "HEAD", null);
            assertThat(got.headers().number("content-length")).isEqualTo(1000);
            assertThat(got.body()).isEmpty();
        }
        assertThat(server.accepted).isEqualTo(1);
    }

    @Test
    @DisplayName("answers are read however servers write them")
    void lenient() throws Exception {
        assertThat(get("HTTP/1.1 200 OK\nContent-Length: 2\n\nok").body()).isEqualTo("ok");
        assertThat(get("HTTP/1.1 200\r\ncontent-length:2\r\n\r\nok").body()).isEqualTo("ok");
        assertThat(
                        get("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
                                .body())
                .isEqualTo("ok");
        assertThat(get("HTTP/1.1 200 OK\r\nX-Long: a\r\n  b\r\nContent-Length: 0\r\n\r\n")
                        .headers()
                        .get("x-long"))
                .isEqualTo("a b");
        assertThat(get("HTTP/1.1 204 No Content\r\n\r\n").status()).isEqualTo(204);
        assertThat(get("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\nok\r\n0\r\nTrailer: t\r\n\r\n")
                        .body())
                .isEqualTo("ok");
        assertThat(get("HTTP/1.1 200 OK\r\nTransfer-Encoding: CHUNKED\r\n\r\n1\r\no\r\n00001\r\nk\r\n0\r\n\r\n")
                        .body())
                .isEqualTo("ok");
        assertThat(get("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok")
                        .body())
                .isEqualTo("ok");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SSH-2.0-OpenSSH_9.2\r\n",
                "HTTP/2 200\r\n\r\n",
                "HTTP/1.1 abc OK\r\n\r\n",
                "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok",
                "HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\nok",
                "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nok",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nok",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nokk\r\n0\r\n\r\n"
            })
    @DisplayName("what is no HTTP/1.1 is refused")
    void malformed(String answer) {
        assertThatThrownBy(() -> get(answer)).isInstanceOf(ProtocolException.class);
    }

    @Test
    @DisplayName("an endless head is refused")
    void endlessHead() {
        assertThatThrownBy(() -> get("HTTP/1.1 200 OK\r\n" + "X: y\r\n".repeat(20_000) + "\r\n"))
                .isInstanceOf(ProtocolException.class);
        assertThatThrownBy(() -> get("HTTP/1.1 200 OK\r\nX: " + "y".repeat(100_000) + "\r\n\r\n"))
                .isInstanceOf(ProtocolException.class);
    }

    private RawServer once(String answer) throws IOException {
        return closed(new RawServer((in, out) -> {
            RawServer.head(in);
            out.write(answer.getBytes(StandardCharsets.ISO_8859_1));
        }));
    }

    @Test
    @DisplayName("I5 an answer that ends before its end is an error, unless the end of the connection is its end")
    void early() throws Exception {
        for (var answer : List.of(
                "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nok",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n",
                "HTTP/1.1 200 OK\r\nConte",
                "")) {
            assertThatThrownBy(() -> exchange(pool(once(answer).url(), 1), "GET", null))
                    .isInstanceOf(EOFException.class);
        }
        assertThat(exchange(pool(once("HTTP/1.1 200 OK\r\n\r\nok").url(), 1), "GET", null)
                        .body())
                .isEqualTo("ok");
        assertThat(exchange(pool(once("HTTP/1.0 200 OK\r\n\r\nok").url(), 1), "GET", null)
                        .body())
                .isEqualTo("ok");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok",
                "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n"
            })
    @DisplayName("a connection that the server ends, or that has bytes nobody asked for, is not used again")
    void notReused(String answer) throws Exception {
        var server = closed(RawServer.answering(answer));
        var pool = pool(server.url(), 1);
        exchange(pool, "GET", null);
        exchange(pool, "GET", null);
        assertThat(server.accepted).isEqualTo(2);
        Wait.until("no connection is left", () -> server.open() == 0);
    }

    @Test
    @DisplayName("a stale connection is replaced, for requests with and without a body")
    void stale() throws Exception {
        var server = closed(new RawServer((in, out) -> {
            RawServer.head(in);
            out.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".getBytes(StandardCharsets.ISO_8859_1));
        }));
        var pool = pool(server.url(), 1);
        for (int i = 0; i < 10; i++) {
            assertThat(exchange(pool, i % 2 == 0 ? "GET" : "PUT", i % 2 == 0 ? null : "")
                            .body())
                    .isEqualTo("ok");
            Wait.until("the server has closed it", () -> server.open() == 0);
        }
    }

    @Test
    @DisplayName("a failure on a new connection is told, not repeated for ever")
    void failsOnce() throws Exception {
        var server = closed(new RawServer((in, out) -> RawServer.head(in)));
        assertThatThrownBy(() -> exchange(pool(server.url(), 1), "GET", null)).isInstanceOf(IOException.class);
        assertThat(server.accepted).isEqualTo(1);
    }

    @Test
    @DisplayName("M8 no more connections than the limit, whatever the number of callers")
    void bounded() throws Exception {
        var most = new AtomicInteger();
        var now = new AtomicInteger();
        var server = closed(new RawServer((in, out) -> {
            most.accumulateAndGet(now.incrementAndGet(), Math::max);
            try {
                for (var head = RawServer.head(in); head != null; head = RawServer.head(in)) {
                    out.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".getBytes(StandardCharsets.ISO_8859_1));
                }
            } finally {
                now.decrementAndGet();
            }
        }));
        var pool = pool(server.url(), 4);
        try (var callers = Executors.newVirtualThreadPerTaskExecutor()) {
            var all = new ArrayList<Future<Got>>();
            for (int i = 0; i < 300; i++) {
                all.add(callers.submit(() -> exchange(pool, "GET", null)));
            }
            for (var one : all) {
                assertThat(one.get().body()).isEqualTo("ok");
            }
        }
        assertThat(most.get()).isBetween(1, 4);
        assertThat(server.accepted).isLessThanOrEqualTo(4);
    }

    @Test
    @DisplayName("D1 a server that refuses and closes before it has read the body is heard all the same")
    void refusedEarly() throws Exception {
        var server = closed(new RawServer((in, out) -> {
            RawServer.head(in);
            out.write("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno".getBytes(StandardCharsets.ISO_8859_1));
            out.flush();
            in.readNBytes(1000);
        }));
        var request = new Request("PUT", "/x", Map.of(), 100L << 20, LONG, LONG);
        var piece = ByteBuffer.allocateDirect(64 * 1024);
        try {
            var got = read(pool(server.url(), 1), request, sink -> {
                for (int i = 0; i < 1600; i++) {
                    sink.write(piece.clear());
                }
            });
            assertThat(got.status()).isEqualTo(403);
        } catch (IOException reset) {
            // The reset may overtake the answer: then it is a passing fault, and the next try may hear it.
            assertThat(reset).isNotInstanceOf(SocketTimeoutException.class);
        }
    }

    @Test
    @DisplayName("a server that takes no more bytes is given up; one that is slow is not")
    void stalledUpload() throws Exception {
        var stalled = closed(new RawServer((in, out) -> closedLatch().await()));
        var request = new Request("PUT", "/x", Map.of(), 100L << 20, SHORT, SHORT);
        BodyWriter large = sink -> {
            for (int i = 0; i < 100; i++) {
                sink.write(ByteBuffer.allocateDirect(1 << 20));
            }
        };
        assertThatThrownBy(() -> read(pool(stalled.url(), 1), request, large))
                .isInstanceOf(SocketTimeoutException.class)
                .hasMessageContaining("took no bytes");
    }

    private static CountDownLatch closedLatch() {
        return new CountDownLatch(1);
    }

    @Test
    @DisplayName(
            "I3 an answer that comes byte by byte for ever ends when its whole time is over, though it is never silent")
    void dribble() throws Exception {
        var server = closed(new RawServer((in, out) -> {
            RawServer.head(in);
            out.write("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            while (!closedLatch().await(20, TimeUnit.MILLISECONDS)) {
                out.write('x');
                out.flush();
            }
        }));
        var request = new Request("GET", "/x", Map.of(), -1, LONG, LONG, SHORT);
        assertThatThrownBy(() -> read(pool(server.url(), 1), request, null))
                .isInstanceOf(SocketTimeoutException.class)
                .hasMessage("the answer was not whole after 0.3 s");
    }

    @Test
    @DisplayName("I3 interim answers are passed over, but not for ever")
    void interimAnswers() throws Exception {
        var interim = "HTTP/1.1 102 Processing\r\n\r\n";
        assertThat(get(interim.repeat(10) + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
                        .body())
                .isEqualTo("ok");
        var endless = closed(new RawServer((in, out) -> {
            RawServer.head(in);
            while (true) {
                out.write(interim.getBytes(StandardCharsets.US_ASCII));
                out.flush();
            }
        }));
        assertThatThrownBy(() -> exchange(pool(endless.url(), 1), "GET", null))
                .isInstanceOf(ProtocolException.class)
                .hasMessageContaining("10 interim answers");
    }

    @Test
    @DisplayName("E1 E2 an interrupt ends a request at once, and the connection with it")
    void interrupted() throws Exception {
        var server = closed(new RawServer((in, out) -> {
            RawServer.head(in);
            closedLatch().await();
        }));
        var pool = pool(server.url(), 1);
        for (var kind : List.of(Thread.ofVirtual(), Thread.ofPlatform())) {
            int before = server.accepted;
            var thrown = new AtomicReference<Throwable>();
            var request = new Request("GET", "/x", Map.of(), -1, Duration.ofMinutes(5), Duration.ofMinutes(5));
            var thread = kind.start(() -> {
                try {
                    read(pool, request, null);
                } catch (Throwable e) {
                    thrown.set(e);
                }
            });
            Wait.until("the request is under way", () -> server.accepted > before);
            thread.interrupt();
            assertThat(thread.join(Duration.ofSeconds(5))).isTrue();
            assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
        }
    }

    @Test
    @DisplayName("closing the pool ends what is under way")
    void closedPool() throws Exception {
        var server = closed(new RawServer((in, out) -> {
            RawServer.head(in);
            closedLatch().await();
        }));
        var pool = pool(server.url(), 1);
        try (var callers = Executors.newVirtualThreadPerTaskExecutor()) {
            var request = new Request("GET", "/x", Map.of(), -1, Duration.ofMinutes(5), Duration.ofMinutes(5));
            var call = callers.submit(() -> read(pool, request, null));
            Wait.until("the request is under way", () -> server.accepted == 1);
            pool.close();
            assertThatThrownBy(call::get).hasCauseInstanceOf(IOException.class);
        }
    }

    @Test
    @DisplayName("a source that fails is told as such, on new and on reused connections")
    void sourceFails() throws Exception {
        var pool = pool(
                closed(RawServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"))
                        .url(),
                1);
        for (int i = 0; i < 2; i++) {
            var calls = new AtomicInteger();
            assertThatThrownBy(() -> read(pool, new Request("PUT", "/x", Map.of(), 10, LONG, LONG), sink -> {
                        calls.incrementAndGet();
                        throw new SourceFailure(new IOException("EIO"));
                    }))
                    .isInstanceOf(SourceFailure.class);
            assertThat(calls).hasValue(1);
            exchange(pool, "GET", null);
        }
    }

    @Test
    @DisplayName("a refused connection names host and port")
    void refused() throws Exception {
        int port;
        // Nobody ever accepted on it: a listener that is being closed may still take a connection, and reset it.
        try (var listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = listening.getLocalPort();
        }
        assertThatThrownBy(() -> exchange(pool(URI.create("http://127.0.0.1:" + port), 1), "GET", null))
                .isInstanceOf(ConnectException.class)
                .hasMessageContaining("127.0.0.1:" + port);
    }

    @Test
    @DisplayName("K9 no line break gets into a head")
    void lineBreaks() {
        assertThatThrownBy(() -> new Request("GET", "/x", Map.of("a", "b\r\nc: d"), -1, SHORT, SHORT))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Request("GET", "/x\n", Map.of(), -1, SHORT, SHORT))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
