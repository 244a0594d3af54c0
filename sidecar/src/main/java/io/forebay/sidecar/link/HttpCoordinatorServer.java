package io.forebay.sidecar.link;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.forebay.message.MessageJson;
import io.forebay.message.Messages.CommitRequest;
import io.forebay.message.Messages.ItemEnded;
import io.forebay.message.Messages.JobInfo;
import io.forebay.message.Messages.LeaseRequest;
import io.forebay.message.Messages.Leave;
import io.forebay.message.Messages.Register;
import io.forebay.message.Messages.Release;
import io.forebay.message.Messages.Renew;
import io.forebay.message.Messages.Staging;
import io.forebay.sidecar.link.CoordinatorLink.LinkException;
import io.forebay.sidecar.link.HttpPaths.Problem;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Answers workers over HTTP. Everything but {@code /healthz} and {@code /readyz} needs the job's token.
 *
 * <pre>
 * 200 the answer   400 not JSON of the expected kind   401 no token   403 wrong token   413 question above 8 MiB
 * 503 ask again: planning, or succeeded by another coordinator
 * </pre>
 */
public final class HttpCoordinatorServer implements AutoCloseable {
    /** Connections that send or take nothing are closed after this, by the JDK's server. */
    private static final String MOST_SECONDS = "120";

    /** Workers whose last lease answer is kept for the case that it was lost. */
    private static final int REMEMBERED_ANSWERS = 4096;

    private static final String TOKEN_WANTED =
            "the job's token is missing: send the header 'Authorization: Bearer TOKEN', where TOKEN is the first line of the"
                    + " coordinator's --token-file; /healthz and /readyz need none";

    static {
        // Read once, when the JDK's server classes are loaded.
        System.getProperties().putIfAbsent("sun.net.httpserver.maxReqTime", MOST_SECONDS);
        System.getProperties().putIfAbsent("sun.net.httpserver.maxRspTime", MOST_SECONDS);
    }

    private final HttpServer server;
    private final ExecutorService threads = Executors.newThreadPerTaskExecutor(
            Thread.ofVirtual().name("http-", 0).factory());
    private final byte[] authorization;
    private final CoordinatorLink link;
    private final LeaseAnswers leaseAnswers = new LeaseAnswers();

    /** The last lease answer of each worker, by request id: an answer that was lost must not cost the items in it. */
    private static final class LeaseAnswers {
        private record Kept(String request, byte[] answer) {}

        /** Guarded by this; least recently used first. */
        private final Map<String, Kept> byInstance = new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Kept> eldest) {
                return size() > REMEMBERED_ANSWERS;
            }
        };

        synchronized byte @org.jspecify.annotations.Nullable [] find(String instance, String request) {
            var kept = byInstance.get(instance);
            return kept != null && kept.request.equals(request) ? kept.answer : null;
        }

        synchronized void keep(String instance, String request, byte[] answer) {
            byInstance.put(instance, new Kept(request, answer));
        }
    }

    /** One question with its answer. */
    @FunctionalInterface
    private interface Question<Q> {
        Object answer(Q question) throws LinkException, InterruptedException;
    }

    /**
     * What is answered beside the workers' questions.
     *
     * @param job for workers that do not know yet whether this is theirs
     * @param ready for {@code GET /readyz}: whether leases can be granted; 503 until then
     * @param status for {@code GET /status}: a record, written as JSON
     * @param metrics for {@code GET /metrics}: Prometheus' text format
     */
    public record Pages(JobInfo job, BooleanSupplier ready, Supplier<?> status, Supplier<String> metrics) {}

    /**
     * Starts to answer.
     *
     * @param at port 0: any free one
     * @throws java.net.BindException the port is in use, or the address is none of this machine's
     */
    public HttpCoordinatorServer(InetSocketAddress at, String token, CoordinatorLink link, Pages pages)
            throws IOException {
        if (token.isEmpty()) {
            throw new IllegalArgumentException("the job's token is empty");
        }
        this.authorization = ("Bearer " + token).getBytes(StandardCharsets.UTF_8);
        this.link = link;
        this.server = HttpServer.create(at, 1024);
        server.setExecutor(threads);
        question(HttpPaths.REGISTER, Register.class, link::register);
        question(HttpPaths.SHARED, Object.class, q -> link.shared());
        question(HttpPaths.RENEW, Renew.class, link::renew);
        question(HttpPaths.STAGING, Staging.class, link::staging);
        question(HttpPaths.COMMIT, CommitRequest.class, link::commit);
        question(HttpPaths.ENDED, ItemEnded.class, link::ended);
        question(HttpPaths.RELEASE, Release.class, q -> {
            link.release(q);
            return Map.of();
        });
        question(HttpPaths.LEAVE, Leave.class, q -> {
            link.leave(q);
            return Map.of();
        });
        question(HttpPaths.JOB, Object.class, q -> pages.job());
        server.createContext(HttpPaths.LEASE, guarded(this::lease));
        server.createContext(
                HttpPaths.STATUS, guarded(e -> send(e, 200, json(pages.status().get()))));
        server.createContext(HttpPaths.METRICS, guarded(e -> {
            e.getResponseHeaders().set("Content-Type", "text/plain; version=0.0.4");
            send(e, 200, pages.metrics().get().getBytes(StandardCharsets.UTF_8));
        }));
        server.createContext(HttpPaths.HEALTH, e -> say(e, 200, "ok"));
        server.createContext(HttpPaths.READY, e -> {
            boolean ready = pages.ready().getAsBoolean();
            say(e, ready ? 200 : 503, ready ? "ready" : "planning");
        });
        server.start();
    }

    public int port() {
        return server.getAddress().getPort();
    }

    @FunctionalInterface
    private interface Handler {
        void handle(HttpExchange exchange) throws IOException, LinkException, InterruptedException;
    }

    private com.sun.net.httpserver.HttpHandler guarded(Handler handler) {
        return exchange -> {
            try {
                var given = exchange.getRequestHeaders().getFirst("Authorization");
                if (given == null) {
                    exchange.getResponseHeaders().set("WWW-Authenticate", "Bearer");
                    send(exchange, 401, json(new Problem(TOKEN_WANTED)));
                    return;
                }
                // Constant time, so that nothing can be learnt of the token byte by byte.
                if (!MessageDigest.isEqual(given.getBytes(StandardCharsets.UTF_8), authorization)) {
                    send(
                            exchange,
                            403,
                            json(new Problem("wrong token: this coordinator belongs to another job, or user")));
                    return;
                }
                handler.handle(exchange);
            } catch (LinkException e) {
                send(exchange, 503, json(new Problem(String.valueOf(e.getMessage()))));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                send(exchange, 503, json(new Problem("the coordinator is closing")));
            } catch (JsonProcessingException e) {
                send(exchange, 400, json(new Problem("not understood: " + e.getOriginalMessage())));
            } catch (RuntimeException e) {
                send(exchange, 500, json(new Problem("a fault of the coordinator's: " + e)));
            } finally {
                exchange.close();
            }
        };
    }

    private <Q> void question(String path, Class<Q> type, Question<Q> question) {
        server.createContext(path, guarded(exchange -> {
            var body = body(exchange);
            if (body != null) {
                send(exchange, 200, json(question.answer(MessageJson.MAPPER.readValue(body, type))));
            }
        }));
    }

    private void lease(HttpExchange exchange) throws IOException, LinkException, InterruptedException {
        var body = body(exchange);
        if (body == null) {
            return;
        }
        var request = MessageJson.MAPPER.readValue(body, LeaseRequest.class);
        var id = exchange.getRequestHeaders().getFirst(HttpPaths.REQUEST_ID);
        var before = id == null ? null : leaseAnswers.find(request.instance(), id);
        if (before != null) {
            send(exchange, 200, before);
            return;
        }
        var answer = json(link.lease(request));
        if (id != null) {
            leaseAnswers.keep(request.instance(), id, answer);
        }
        send(exchange, 200, answer);
    }

    /** @return null: it was too long, and that is answered */
    private static byte @org.jspecify.annotations.Nullable [] body(HttpExchange exchange) throws IOException {
        var body = exchange.getRequestBody().readNBytes(HttpPaths.LARGEST_QUESTION + 1);
        if (body.length > HttpPaths.LARGEST_QUESTION) {
            send(
                    exchange,
                    413,
                    json(new Problem("the message has more than " + HttpPaths.LARGEST_QUESTION
                            + " bytes: an item with so many outputs must be cut into several items")));
            return null;
        }
        return body;
    }

    private static byte[] json(Object value) {
        try {
            return MessageJson.MAPPER.writeValueAsBytes(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("cannot be written as JSON: " + value.getClass(), e);
        }
    }

    private static void say(HttpExchange exchange, int code, String word) throws IOException {
        try (exchange) {
            exchange.getResponseHeaders().set("Content-Type", "text/plain");
            send(exchange, code, (word + "\n").getBytes(StandardCharsets.US_ASCII));
        }
    }

    private static void send(HttpExchange exchange, int code, byte[] body) throws IOException {
        if (!exchange.getResponseHeaders().containsKey("Content-Type")) {
            exchange.getResponseHeaders().set("Content-Type", "application/json");
        }
        exchange.sendResponseHeaders(code, body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
    }

    /** Answers nothing more. */
    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
