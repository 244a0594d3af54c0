package io.forebay.testing;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import javax.net.ServerSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * A small S3 server in memory that does what a test's script says: lies, flips bits, cuts, hangs, drops connections, refuses.
 * Without a script it behaves well ({@link S3Objects}). It checks no signatures; real servers are there for that. Path style.
 */
public final class ScriptedS3 implements AutoCloseable {
    private final ServerSocket listener;
    private final boolean tls;
    private final S3Objects objects;
    private final CopyOnWriteArrayList<Rule> rules = new CopyOnWriteArrayList<>();
    private final CopyOnWriteArrayList<Request> requests = new CopyOnWriteArrayList<>();
    private final Set<Socket> connections = ConcurrentHashMap.newKeySet();
    private final CountDownLatch closed = new CountDownLatch(1);
    /** Most connections that were open at once. */
    public final AtomicInteger peakConnections = new AtomicInteger();

    /** Connections accepted so far. */
    public final AtomicInteger accepted = new AtomicInteger();

    /** @param key decoded; empty for the bucket itself @param headers names in lower case */
    public record Request(
            String method,
            String target,
            String bucket,
            String key,
            Map<String, String> query,
            Map<String, String> headers,
            byte[] body) {
        public Request withBody(byte[] other) {
            return new Request(method, target, bucket, key, query, headers, other);
        }

        public @Nullable String header(String name) {
            return headers.get(name);
        }

        public boolean is(String method, String key) {
            return this.method.equals(method) && this.key.equals(key);
        }

        /** GET, PUT and so on of an object's or part's bytes, not of lists. */
        public boolean isData(String method) {
            return this.method.equals(method)
                    && !key.isEmpty()
                    && !(method.equals("GET") && query.containsKey("uploadId"));
        }
    }

    /**
     * @param sendAtMost bytes of the body after which it stops; -1: all
     * @param then what happens after the body
     */
    public record Answer(int status, Map<String, String> headers, byte[] body, long sendAtMost, Then then) {
        /** What follows the bytes that were sent. */
        public enum Then {
            KEEP,
            CLOSE,
            /** Nothing, until the server is closed. */
            HANG
        }

        public static Answer of(int status, Map<String, String> headers, byte[] body) {
            return new Answer(status, headers, body, -1, Then.KEEP);
        }

        public static Answer error(int status, String code) {
            var xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>" + code + "</Code><Message>scripted "
                    + code + "</Message><RequestId>REQ-1</RequestId></Error>";
            return of(status, Map.of("content-type", "application/xml"), xml.getBytes(StandardCharsets.UTF_8));
        }

        /** The connection is closed without an answer. */
        public static Answer drop() {
            return new Answer(0, Map.of(), new byte[0], 0, Then.CLOSE);
        }

        /** No byte, ever. */
        public static Answer hang() {
            return new Answer(0, Map.of(), new byte[0], 0, Then.HANG);
        }

        public Answer cut(long after, Then then) {
            return new Answer(status, headers, body, after, then);
        }

        public Answer withBody(byte[] other) {
            return new Answer(status, headers, other, sendAtMost, then);
        }

        public Answer with(String name, @Nullable String value) {
            var changed = new LinkedHashMap<>(headers);
            if (value == null) {
                changed.remove(name);
            } else {
                changed.put(name, value);
            }
            return new Answer(status, changed, body, sendAtMost, then);
        }

        public Answer withStatus(int other) {
            return new Answer(other, headers, body, sendAtMost, then);
        }
    }

    /** What happens to a request; {@code server} is the well-behaved one. */
    @FunctionalInterface
    public interface Fault {
        Answer answer(Request request, S3Objects server) throws InterruptedException;
    }

    /** A fault that strikes some requests, a number of times. */
    public static final class Rule {
        private final Predicate<Request> when;
        private final Fault fault;
        private final AtomicInteger left;
        private final AtomicInteger struck = new AtomicInteger();

        private Rule(Predicate<Request> when, Fault fault, int times) {
            this.when = when;
            this.fault = fault;
            this.left = new AtomicInteger(times);
        }

        /** How often it has struck. */
        public int struck() {
            return struck.get();
        }

        private boolean strikes(Request request) {
            if (!when.test(request) || left.getAndUpdate(n -> Math.max(0, n - 1)) == 0) {
                return false;
            }
            struck.incrementAndGet();
            return true;
        }
    }

    private ScriptedS3(ServerSocket listener, boolean tls, String bucket) {
        this.listener = listener;
        this.tls = tls;
        this.objects = new S3Objects(bucket);
        Thread.ofVirtual().name("scripted-s3").start(this::accept);
    }

    public static ScriptedS3 start(String bucket) throws IOException {
        return new ScriptedS3(new ServerSocket(0, 200, InetAddress.getLoopbackAddress()), false, bucket);
    }

    /** @param sockets of an SSLContext with a certificate for the host */
    public static ScriptedS3 startTls(String bucket, ServerSocketFactory sockets) throws IOException {
        return new ScriptedS3(sockets.createServerSocket(0, 200, InetAddress.getLoopbackAddress()), true, bucket);
    }

    public URI endpoint() {
        return URI.create((tls ? "https://127.0.0.1:" : "http://127.0.0.1:") + port());
    }

    public int port() {
        return listener.getLocalPort();
    }

    /** What is stored, and how the server behaves when no script says otherwise. */
    public S3Objects objects() {
        return objects;
    }

    /** All requests so far, in order of arrival. */
    public List<Request> requests() {
        return List.copyOf(requests);
    }

    public long count(Predicate<Request> which) {
        return requests.stream().filter(which).count();
    }

    /** From now on, every time. Later rules go first. */
    public Rule on(Predicate<Request> when, Fault fault) {
        return on(when, fault, Integer.MAX_VALUE);
    }

    /** From now on, so many times. */
    public Rule on(Predicate<Request> when, Fault fault, int times) {
        var rule = new Rule(when, fault, times);
        rules.addFirst(rule);
        return rule;
    }

    public void behave() {
        rules.clear();
    }

    private void accept() {
        while (closed.getCount() > 0) {
            try {
                var socket = listener.accept();
                accepted.incrementAndGet();
                connections.add(socket);
                peakConnections.accumulateAndGet(connections.size(), Math::max);
                Thread.ofVirtual().name("scripted-s3-connection").start(() -> serve(socket));
            } catch (IOException e) {
                // Closed, or a client gave up while TLS began.
            }
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            socket.setTcpNoDelay(true);
            var in = new BufferedInputStream(socket.getInputStream());
            var out = new BufferedOutputStream(socket.getOutputStream(), 64 * 1024);
            for (var request = read(in); request != null; request = read(in)) {
                requests.add(request);
                if (!send(out, request, answer(request))) {
                    return;
                }
            }
        } catch (IOException | UncheckedIOException e) {
            // The client went away, which tests make it do.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            connections.remove(socket);
        }
    }

    private Answer answer(Request request) throws InterruptedException {
        for (var rule : rules) {
            if (rule.strikes(request)) {
                return rule.fault.answer(request, objects);
            }
        }
        return objects.answer(request);
    }

    private @Nullable Request read(InputStream in) throws IOException {
        var first = line(in);
        if (first == null) {
            return null;
        }
        var parts = first.split(" ");
        var headers = new TreeMap<String, String>();
        for (var line = line(in); line != null && !line.isEmpty(); line = line(in)) {
            int colon = line.indexOf(':');
            headers.put(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip());
        }
        int length = Integer.parseInt(headers.getOrDefault("content-length", "0"));
        var body = in.readNBytes(length);
        if (body.length < length) {
            throw new EOFException();
        }
        var target = parts[1];
        int question = target.indexOf('?');
        var path = question < 0 ? target : target.substring(0, question);
        int slash = path.indexOf('/', 1);
        return new Request(
                parts[0],
                target,
                decoded(slash < 0 ? path.substring(1) : path.substring(1, slash)),
                slash < 0 ? "" : decoded(path.substring(slash + 1)),
                query(question < 0 ? "" : target.substring(question + 1)),
                headers,
                body);
    }

    private static Map<String, String> query(String text) {
        var query = new TreeMap<String, String>();
        for (var pair : text.split("&")) {
            if (!pair.isEmpty()) {
                int equals = pair.indexOf('=');
                query.put(
                        decoded(equals < 0 ? pair : pair.substring(0, equals)),
                        equals < 0 ? "" : decoded(pair.substring(equals + 1)));
            }
        }
        return query;
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    private static @Nullable String line(InputStream in) throws IOException {
        var bytes = new ByteArrayOutputStream();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) {
                return null;
            }
            bytes.write(b);
        }
        return bytes.toString(StandardCharsets.ISO_8859_1).stripTrailing();
    }

    /** @return whether the connection goes on */
    private boolean send(OutputStream out, Request request, Answer answer) throws IOException, InterruptedException {
        if (answer.status() != 0) {
            var head = new StringBuilder("HTTP/1.1 ").append(answer.status()).append(" Scripted\r\n");
            answer.headers()
                    .forEach((name, value) ->
                            head.append(name).append(": ").append(value).append("\r\n"));
            if (!answer.headers().containsKey("content-length")
                    && !answer.headers().containsKey("transfer-encoding")) {
                head.append("content-length: ").append(answer.body().length).append("\r\n");
            }
            out.write(head.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1));
            if (!request.method().equals("HEAD")) {
                int n = answer.sendAtMost() < 0
                        ? answer.body().length
                        : (int) Math.min(answer.sendAtMost(), answer.body().length);
                out.write(answer.body(), 0, n);
            }
            out.flush();
        }
        return switch (answer.then()) {
            case KEEP -> true;
            case CLOSE -> false;
            case HANG -> {
                closed.await();
                yield false;
            }
        };
    }

    @Override
    public void close() throws IOException {
        closed.countDown();
        listener.close();
        for (var socket : new ArrayList<>(connections)) {
            socket.close();
        }
    }
}
