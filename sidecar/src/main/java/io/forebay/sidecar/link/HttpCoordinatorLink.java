package io.forebay.sidecar.link;

import io.forebay.message.MessageJson;
import io.forebay.message.Messages.Answer;
import io.forebay.message.Messages.CommitRequest;
import io.forebay.message.Messages.Ended;
import io.forebay.message.Messages.ItemEnded;
import io.forebay.message.Messages.JobInfo;
import io.forebay.message.Messages.LeaseRequest;
import io.forebay.message.Messages.Leases;
import io.forebay.message.Messages.Leave;
import io.forebay.message.Messages.Register;
import io.forebay.message.Messages.Registered;
import io.forebay.message.Messages.Release;
import io.forebay.message.Messages.Renew;
import io.forebay.message.Messages.Renewed;
import io.forebay.message.Messages.SharedInputs;
import io.forebay.message.Messages.Staging;
import io.forebay.sidecar.link.HttpPaths.Problem;
import java.io.IOException;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Asks a coordinator over HTTP, once for each call; {@link PatientLink} repeats. Names are looked up anew for each connection,
 * since a successor has another address. Thread-safe.
 *
 * <p>A lease request whose answer did not arrive is repeated under its first request id, until there is an answer: the items in
 * the lost one are then not lost.
 */
public final class HttpCoordinatorLink implements CoordinatorLink {
    private static final Duration CONNECT = Duration.ofSeconds(5);
    /** A refusal in words, or the page of a proxy that is in the way. */
    private static final int LONGEST_PROBLEM = 64 << 10;

    /** Hears how each question went. Thread-safe. */
    public interface Listener {
        void answered();

        void failed(LinkException why);
    }

    private final URI base;
    private final String token;
    private final Listener listener;
    /** The id of a lease request that has no answer yet; guarded by this. */
    private @Nullable String unanswered;

    /** As below, with nobody who listens. */
    public HttpCoordinatorLink(URI base, String token) {
        this(base, token, new Listener() {
            @Override
            public void answered() {}

            @Override
            public void failed(LinkException why) {}
        });
    }

    /** @param base for example {@code http://fb-increment-0a1b2c3d:8080} */
    public HttpCoordinatorLink(URI base, String token, Listener listener) {
        this.base = base;
        this.token = token;
        this.listener = listener;
    }

    /** Which job the coordinator has; answered while it plans, too. */
    public JobInfo job() throws LinkException {
        return ask(HttpPaths.JOB, Map.of(), JobInfo.class, HttpPaths.SOON, null);
    }

    @Override
    public Registered register(Register hello) throws LinkException {
        return ask(HttpPaths.REGISTER, hello, Registered.class, HttpPaths.SOON, null);
    }

    @Override
    public SharedInputs shared() throws LinkException {
        return ask(HttpPaths.SHARED, Map.of(), SharedInputs.class, HttpPaths.DURABLE, null);
    }

    @Override
    public Leases lease(LeaseRequest request) throws LinkException {
        String id;
        synchronized (this) {
            id = unanswered == null ? UUID.randomUUID().toString() : unanswered;
            unanswered = id;
        }
        var leases = ask(HttpPaths.LEASE, request, Leases.class, HttpPaths.SOON, id);
        synchronized (this) {
            unanswered = null;
        }
        return leases;
    }

    @Override
    public Renewed renew(Renew renew) throws LinkException {
        return ask(HttpPaths.RENEW, renew, Renewed.class, HttpPaths.SOON, null);
    }

    @Override
    public Answer staging(Staging staging) throws LinkException {
        return ask(HttpPaths.STAGING, staging, Answer.class, HttpPaths.DURABLE, null);
    }

    @Override
    public Answer commit(CommitRequest request) throws LinkException {
        return ask(HttpPaths.COMMIT, request, Answer.class, HttpPaths.DURABLE, null);
    }

    @Override
    public Ended ended(ItemEnded ended) throws LinkException {
        return ask(HttpPaths.ENDED, ended, Ended.class, HttpPaths.DURABLE, null);
    }

    @Override
    public void release(Release release) throws LinkException {
        ask(HttpPaths.RELEASE, release, Map.class, HttpPaths.SOON, null);
    }

    @Override
    public void leave(Leave leave) throws LinkException {
        ask(HttpPaths.LEAVE, leave, Map.class, HttpPaths.SOON, null);
    }

    private <A> A ask(String path, Object question, Class<A> answer, Duration patience, @Nullable String requestId)
            throws LinkException {
        try {
            var heard = askOnce(path, question, answer, patience, requestId);
            listener.answered();
            return heard;
        } catch (LinkException e) {
            listener.failed(e);
            throw e;
        }
    }

    private <A> A askOnce(String path, Object question, Class<A> answer, Duration patience, @Nullable String requestId)
            throws LinkException {
        var uri = base.resolve(path);
        try {
            // No proxy of the environment: the coordinator is in the job's own network.
            var http = (HttpURLConnection) uri.toURL().openConnection(Proxy.NO_PROXY);
            http.setRequestMethod("POST");
            http.setConnectTimeout(Math.toIntExact(CONNECT.toMillis()));
            http.setReadTimeout(Math.toIntExact(patience.toMillis()));
            http.setInstanceFollowRedirects(false);
            http.setRequestProperty("Authorization", "Bearer " + token);
            http.setRequestProperty("Content-Type", "application/json");
            if (requestId != null) {
                http.setRequestProperty(HttpPaths.REQUEST_ID, requestId);
            }
            http.setDoOutput(true);
            var body = MessageJson.MAPPER.writeValueAsBytes(question);
            http.setFixedLengthStreamingMode(body.length);
            try (var out = http.getOutputStream()) {
                out.write(body);
            }
            int code = http.getResponseCode();
            if (code != HttpURLConnection.HTTP_OK) {
                throw new LinkException(
                        kind(code),
                        "coordinator at " + base + " answered " + code + ": " + problem(http),
                        new IOException("HTTP " + code));
            }
            try (var in = http.getInputStream()) {
                return MessageJson.MAPPER.readValue(in, answer);
            }
        } catch (IOException e) {
            throw new LinkException("coordinator at " + base + " cannot be reached: " + reason(e), e);
        }
    }

    private static String reason(IOException e) {
        return switch (e) {
            case SocketTimeoutException _ -> "no answer in time";
            case UnknownHostException _ -> "its host name is not known here";
            case ConnectException _ -> String.valueOf(e.getMessage()).toLowerCase(Locale.ROOT);
            default -> e.getMessage() == null ? "the line broke" : e.getMessage();
        };
    }

    private static LinkException.Kind kind(int code) {
        return switch (code) {
            case HttpURLConnection.HTTP_UNAUTHORIZED, HttpURLConnection.HTTP_FORBIDDEN -> LinkException.Kind.REFUSED;
            case HttpURLConnection.HTTP_UNAVAILABLE -> LinkException.Kind.NOT_NOW;
            default -> LinkException.Kind.AWAY;
        };
    }

    private static String problem(HttpURLConnection http) throws IOException {
        try (var in = http.getErrorStream()) {
            if (in == null) {
                return String.valueOf(http.getResponseMessage());
            }
            var body = in.readNBytes(LONGEST_PROBLEM);
            try {
                return MessageJson.MAPPER.readValue(body, Problem.class).message();
            } catch (IOException e) {
                return new String(body, StandardCharsets.UTF_8)
                        .lines()
                        .findFirst()
                        .orElse("");
            }
        }
    }
}
