package io.forebay.sidecar.store.s3.http;

import io.forebay.sidecar.store.s3.http.ProxyChoice.Proxy;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Connections to one origin, kept alive, at most so many at once, used or idle. Thread-safe.
 *
 * <p>A connection that was idle may have been closed by the server meanwhile: a request that fails on it before a byte of the
 * answer came is sent once more, on a new one. Hence only requests that may be repeated belong here.
 */
public final class HttpPool implements AutoCloseable {
    /** Shorter than servers keep idle connections (Amazon and Go servers 20 s and more, nginx 75 s). */
    private static final long MAX_IDLE_NANOS = Duration.ofSeconds(15).toNanos();

    /** Of contents, which may be of any size. */
    public static final Duration UNBOUNDED = Duration.ofDays(365);

    /** How late a timeout may be. */
    private static final long WATCH_NANOS = Duration.ofMillis(200).toNanos();

    /** Of a body that its reader left: so much is read to save the connection. */
    private static final int MAX_DRAIN = 64 * 1024;

    /** As many as there are requests that read. */
    private static final int MAX_SPARE = 64;

    /**
     * One request.
     *
     * @param target path and query, encoded
     * @param headers all but Host and Content-Length
     * @param length bytes of the body; -1: none
     * @param sendPatience longest silence while the body is sent and for the answer to begin
     * @param readPatience longest silence within the answer
     * @param whole longest time for all of it on one connection, however many bytes come; {@link #UNBOUNDED} where silence alone counts
     */
    public record Request(
            String method,
            String target,
            Map<String, String> headers,
            long length,
            Duration sendPatience,
            Duration readPatience,
            Duration whole) {
        public Request {
            headers.forEach((name, value) -> requireOneLine(value));
            requireOneLine(target);
        }

        /** However long it takes, as long as bytes come. */
        public Request(
                String method,
                String target,
                Map<String, String> headers,
                long length,
                Duration sendPatience,
                Duration readPatience) {
            this(method, target, headers, length, sendPatience, readPatience, UNBOUNDED);
        }

        private static void requireOneLine(String text) {
            if (text.indexOf('\r') >= 0 || text.indexOf('\n') >= 0) {
                throw new IllegalArgumentException("a line break in a header field or target");
            }
        }
    }

    /** Writes a body, from its start, as often as it is asked to. */
    @FunctionalInterface
    public interface BodyWriter {
        void write(BodySink sink) throws IOException;
    }

    /** Takes the next bytes of a body. */
    @FunctionalInterface
    public interface BodySink {
        void write(ByteBuffer bytes) throws IOException;
    }

    /** Takes an answer, of any status. */
    @FunctionalInterface
    public interface Reader<T, E extends Exception> {
        T read(int status, Headers headers, ResponseBody body) throws IOException, E, InterruptedException;
    }

    private final Origin origin;
    private final Optional<Proxy> proxy;
    private final Dialer dialer;
    private final Semaphore permits;
    /** Most recently used last. Guarded by itself. */
    private final ArrayDeque<Connection> idle = new ArrayDeque<>();

    /** Memory of closed connections. Guarded by itself. */
    private final ArrayDeque<ByteBuffer> spare = new ArrayDeque<>();

    private final Set<Connection> watched = ConcurrentHashMap.newKeySet();
    private final Thread watchdog;
    private volatile boolean closed;

    /**
     * @param tls absent where the origin is spoken to in the clear: making one takes a start longer than all its requests
     * @param max connections
     * @param connectTimeout for each address of the host
     */
    public HttpPool(Origin origin, Optional<Proxy> proxy, Optional<SSLContext> tls, int max, Duration connectTimeout) {
        this.origin = origin;
        this.proxy = proxy;
        this.dialer = new Dialer(origin, proxy, tls, connectTimeout);
        this.permits = new Semaphore(max, true);
        this.watchdog =
                Thread.ofPlatform().daemon().name("forebay-http-watchdog").start(this::watch);
    }

    public Origin origin() {
        return origin;
    }

    /**
     * Sends a request and has its answer read. Blocks, also for a free connection.
     *
     * @param body absent: none
     * @throws IOException the connection failed, or broke HTTP; {@link SocketTimeoutException} after silence
     */
    public <T, E extends Exception> T exchange(Request request, @Nullable BodyWriter body, Reader<T, E> reader)
            throws IOException, E, InterruptedException {
        permits.acquire();
        try {
            var reused = takeIdle();
            if (reused != null) {
                try {
                    return on(reused, request, body, reader);
                } catch (IOException e) {
                    interruption();
                    if (reused.answered() || e instanceof SocketTimeoutException || e instanceof SourceFailure) {
                        throw e;
                    }
                }
            }
            try {
                return on(dialer.dial(watched::add, watched::remove, this::memory), request, body, reader);
            } catch (IOException e) {
                interruption();
                throw e;
            }
        } finally {
            permits.release();
        }
    }

    /** A blocked channel is closed by an interrupt; that is no fault of the connection. */
    private static void interruption() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    private <T, E extends Exception> T on(
            Connection connection, Request request, @Nullable BodyWriter body, Reader<T, E> reader)
            throws IOException, E, InterruptedException {
        boolean reusable = false;
        try {
            connection.begin(request.sendPatience(), request.whole());
            boolean sent = send(connection, request, body);
            var head = ResponseHead.read(connection);
            connection.patience(request.readPatience());
            // Whatever the fields of an answer to HEAD say, it has no body (RFC 9112, 6.3).
            var framing = request.method().equals("HEAD") ? new ResponseHead.Framing.Length(0) : head.framing();
            var answer = new ResponseBody(connection, framing);
            T result = reader.read(head.status(), head.headers(), answer);
            reusable = sent && head.keepAlive() && answer.drain(MAX_DRAIN) && !connection.hasLeftovers();
            return result;
        } finally {
            watched.remove(connection);
            if (reusable) {
                release(connection);
            } else {
                connection.close();
                giveBack(connection.takeMemory());
            }
        }
    }

    /** Of connections that are closed: some servers end each with its answer. */
    private ByteBuffer memory() {
        synchronized (spare) {
            var kept = spare.pollLast();
            if (kept != null) {
                return kept;
            }
        }
        return Connection.memory();
    }

    private void giveBack(ByteBuffer memory) {
        synchronized (spare) {
            if (spare.size() < MAX_SPARE) {
                spare.addLast(memory);
            }
        }
    }

    /** @return false: the server broke off; its answer may say why */
    private boolean send(Connection connection, Request request, @Nullable BodyWriter body) throws IOException {
        var head = new PendingHead(connection, ByteBuffer.wrap(head(request)));
        if (body == null) {
            head.flush();
            return true;
        }
        try {
            body.write(head);
            head.flush();
            return true;
        } catch (SourceFailure | SocketTimeoutException e) {
            throw e;
        } catch (IOException e) {
            if (Thread.currentThread().isInterrupted()) {
                throw e;
            }
            return answerAfter(connection, e);
        }
    }

    /** A server that refuses a body often answers and closes before it has read it: then the answer is worth more than EPIPE. */
    private static boolean answerAfter(Connection connection, IOException broken) throws IOException {
        try {
            connection.peek();
            return false;
        } catch (IOException e) {
            broken.addSuppressed(e);
            throw broken;
        }
    }

    /** The caller's own source of the body failed; passed through as it is. */
    public static final class SourceFailure extends IOException {
        private static final long serialVersionUID = 1L;

        public SourceFailure(IOException cause) {
            super(cause);
        }

        public IOException source() {
            return (IOException) java.util.Objects.requireNonNull(getCause());
        }
    }

    /** Sends the head together with the first bytes of the body: one packet for small objects. */
    private record PendingHead(Connection connection, ByteBuffer head) implements BodySink {
        @Override
        public void write(ByteBuffer bytes) throws IOException {
            connection.write(head, bytes);
        }

        void flush() throws IOException {
            if (head.hasRemaining()) {
                connection.write(head);
            }
        }
    }

    private byte[] head(Request request) {
        var text = new StringBuilder(512).append(request.method()).append(' ');
        if (proxy.isPresent() && !origin.tls()) {
            text.append(origin);
        }
        text.append(request.target())
                .append(" HTTP/1.1\r\nHost: ")
                .append(origin.authority())
                .append("\r\n");
        request.headers()
                .forEach((name, value) ->
                        text.append(name).append(": ").append(value).append("\r\n"));
        if (proxy.isPresent() && !origin.tls()) {
            Dialer.authorization(proxy.get())
                    .ifPresent(
                            a -> text.append("Proxy-Authorization: ").append(a).append("\r\n"));
        }
        if (request.length() >= 0) {
            text.append("Content-Length: ").append(request.length()).append("\r\n");
        }
        return text.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1);
    }

    private @Nullable Connection takeIdle() {
        long now = System.nanoTime();
        while (true) {
            Connection connection;
            synchronized (idle) {
                connection = idle.pollLast();
            }
            if (connection == null) {
                return null;
            }
            if (now - connection.idleSince() < MAX_IDLE_NANOS) {
                watched.add(connection);
                return connection;
            }
            connection.close();
        }
    }

    private void release(Connection connection) {
        connection.idleSince(System.nanoTime());
        synchronized (idle) {
            if (!closed) {
                idle.addLast(connection);
                return;
            }
        }
        connection.close();
    }

    private void watch() {
        while (!closed) {
            LockSupport.parkNanos(WATCH_NANOS);
            long now = System.nanoTime();
            for (var connection : watched) {
                connection.closeIfOverdue(now);
            }
            closeOldest(now);
        }
    }

    private void closeOldest(long now) {
        while (true) {
            Connection oldest;
            synchronized (idle) {
                oldest = idle.peekFirst();
                if (oldest == null || now - oldest.idleSince() < MAX_IDLE_NANOS) {
                    return;
                }
                idle.pollFirst();
            }
            oldest.close();
        }
    }

    /** Idle connections are closed, requests under way end with an error. */
    @Override
    public void close() {
        synchronized (idle) {
            closed = true;
            idle.forEach(Connection::close);
            idle.clear();
        }
        watched.forEach(Connection::close);
        LockSupport.unpark(watchdog);
    }
}
