package io.forebay.sidecar.store.s3;

import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.s3.http.Headers;
import io.forebay.sidecar.store.s3.http.HttpPool;
import io.forebay.sidecar.store.s3.http.HttpPool.BodyWriter;
import io.forebay.sidecar.store.s3.http.HttpPool.Request;
import io.forebay.sidecar.store.s3.http.HttpPool.SourceFailure;
import io.forebay.sidecar.store.s3.http.Origin;
import io.forebay.sidecar.store.s3.http.ProxyChoice.Proxy;
import io.forebay.sidecar.store.s3.http.ResponseBody;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.exception.SdkException;

/** Requests to one bucket through our own HTTP: addressed, signed, sent once, faults classified. Thread-safe. */
final class LeanRequests implements AutoCloseable {
    private static final String AGENT = "forebay";

    private final HttpPool pool;
    /** What stands before the key in the path: empty, or the bucket. */
    private final String base;

    private final SigV4 signer;
    private final Identity identity;
    private final S3Errors errors;
    private final InstantSource clock;

    /** @param bucketUrl from {@link SdkClients#bucketUrl} */
    LeanRequests(HttpPool pool, URI bucketUrl, String region, Identity identity, S3Errors errors, InstantSource clock) {
        this.pool = pool;
        var path = bucketUrl.getRawPath();
        this.base = path == null || path.equals("/") ? "" : path;
        this.signer = new SigV4(region);
        this.identity = identity;
        this.errors = errors;
        this.clock = clock;
    }

    /** Opens nothing yet. @throws StoreException the trusted certificates cannot be used */
    static LeanRequests connect(
            S3Settings settings, URI bucketUrl, Identity identity, Trust trust, Optional<Proxy> proxy, S3Errors errors)
            throws StoreException {
        try {
            var origin = Origin.of(bucketUrl);
            var pool = new HttpPool(
                    origin,
                    proxy,
                    origin.tls() ? Optional.of(trust.context()) : Optional.empty(),
                    settings.maxConnections(),
                    settings.timeouts().connect());
            return new LeanRequests(pool, bucketUrl, settings.region(), identity, errors, InstantSource.system());
        } catch (GeneralSecurityException e) {
            throw new StoreException(StoreException.Kind.PERMANENT, "TLS cannot be set up: " + e.getMessage(), e, true);
        }
    }

    /**
     * A request as this package thinks of it.
     *
     * @param path below the bucket's own, encoded
     * @param key for messages
     * @param headers to be sent, names in lower case
     * @param payload SHA-256 of the body in hexadecimal, or {@link SigV4#UNSIGNED}
     * @param length bytes of the body; -1: none
     * @param sendPatience longest silence while the body is sent and for the answer to begin
     * @param readPatience longest silence within the answer
     * @param whole longest time for all of it
     */
    record Outline(
            Operation operation,
            String method,
            String path,
            String key,
            SortedMap<String, String> query,
            Map<String, String> headers,
            String payload,
            long length,
            Duration sendPatience,
            Duration readPatience,
            Duration whole) {

        /** Of the bucket, without a body. */
        static Outline ofBucket(Operation operation, String method, String key, SortedMap<String, String> query) {
            var patience = S3Settings.CONTROL_TIMEOUT;
            return new Outline(
                    operation,
                    method,
                    "",
                    key,
                    query,
                    Map.of(),
                    SigV4.EMPTY,
                    -1,
                    patience,
                    patience,
                    S3Settings.PAGE_TIMEOUT);
        }

        /** Of an object, without a body. */
        static Outline ofObject(
                Operation operation,
                String method,
                String key,
                SortedMap<String, String> query,
                Map<String, String> headers,
                Duration patience) {
            var path = "/" + SigV4.encode(key, true);
            return new Outline(
                    operation,
                    method,
                    path,
                    key,
                    query,
                    headers,
                    SigV4.EMPTY,
                    -1,
                    patience,
                    patience,
                    HttpPool.UNBOUNDED);
        }

        /** With a body. */
        Outline sending(String sha256, long bytes, Duration patience, Duration answerPatience) {
            return new Outline(
                    operation, method, path, key, query, headers, sha256, bytes, patience, answerPatience, whole);
        }
    }

    /** @param reader gets the answer, of any status */
    <T> T exchange(Outline outline, @Nullable BodyWriter body, HttpPool.Reader<T, StoreException> reader)
            throws StoreException, InterruptedException {
        var request = request(outline);
        try {
            return pool.exchange(request, body, reader);
        } catch (SourceFailure e) {
            throw errors.local(outline.operation(), outline.key(), e.source());
        } catch (IOException e) {
            throw errors.of(outline.operation(), outline.key(), e);
        }
    }

    private Request request(Outline outline) throws StoreException, InterruptedException {
        var path = base + outline.path();
        if (path.isEmpty()) {
            path = "/";
        }
        var parameters = new StringBuilder();
        outline.query()
                .forEach((name, value) -> parameters
                        .append(parameters.isEmpty() ? "" : "&")
                        .append(SigV4.encode(name, false))
                        .append('=')
                        .append(SigV4.encode(value, false)));
        var query = parameters.toString();
        var headers = new HashMap<>(outline.headers());
        headers.put("user-agent", AGENT);
        if (!identity.anonymous()) {
            sign(outline, path, query, headers);
        }
        try {
            return new Request(
                    outline.method(),
                    query.isEmpty() ? path : path + "?" + query,
                    headers,
                    outline.length(),
                    outline.sendPatience(),
                    outline.readPatience(),
                    outline.whole());
        } catch (IllegalArgumentException e) {
            // An ETag of a strange server, or keys with a line break from a file.
            throw errors.found(
                    StoreException.Kind.PERMANENT,
                    outline.operation(),
                    outline.key(),
                    "the request cannot be sent: " + e.getMessage());
        }
    }

    private void sign(Outline outline, String path, String query, Map<String, String> headers)
            throws StoreException, InterruptedException {
        try {
            signer.sign(
                    outline.method(),
                    path,
                    query,
                    pool.origin().authority(),
                    headers,
                    outline.payload(),
                    identity.resolveCredentials(),
                    clock.instant());
        } catch (SdkException e) {
            throw errors.ofSdk(outline.operation(), outline.key(), e);
        }
    }

    /** What an answer means that is no success. */
    StoreException refused(Outline outline, int status, Headers headers, ResponseBody body) throws IOException {
        return errors.of(outline.operation(), outline.key(), Failure.parse(status, headers, text(body)));
    }

    /** A success whose body is an error document is a failure (CASES O3); for answers that have no body else. */
    void requireNoError(Outline outline, int status, Headers headers, ResponseBody body)
            throws IOException, StoreException {
        if (headers.number("content-length") == 0 || !headers.etag().isEmpty()) {
            return;
        }
        var text = text(body);
        if (Failure.isErrorDocument(text)) {
            throw errors.of(outline.operation(), outline.key(), Failure.parse(status, headers, text));
        }
    }

    private static String text(ResponseBody body) throws IOException {
        var bytes = ByteBuffer.allocate(Failure.MAX_BODY);
        while (bytes.hasRemaining() && body.read(bytes) >= 0) {}
        return new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        pool.close();
    }
}
