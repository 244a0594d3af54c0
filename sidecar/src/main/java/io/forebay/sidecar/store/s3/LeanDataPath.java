package io.forebay.sidecar.store.s3;

import io.forebay.sidecar.store.Store.PieceSource;
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
import java.util.TreeMap;
import software.amazon.awssdk.core.exception.SdkException;

/**
 * Bytes through our own HTTP: for small objects the SDK takes twice the time (docs/decisions/0003-lean-s3-path.md). Thread-safe.
 */
final class LeanDataPath implements DataPath {
    private static final String AGENT = "forebay";

    private final HttpPool pool;
    /** What stands before the key in the path: empty, or the bucket. */
    private final String base;

    private final SigV4 signer;
    private final Identity identity;
    private final S3Errors errors;
    private final S3Settings.Timeouts timeouts;
    private final InstantSource clock;

    /** @param bucketUrl from {@link SdkClients#bucketUrl} */
    LeanDataPath(
            HttpPool pool,
            URI bucketUrl,
            S3Settings settings,
            Identity identity,
            S3Errors errors,
            InstantSource clock) {
        this.pool = pool;
        var path = bucketUrl.getRawPath();
        this.base = path == null || path.equals("/") ? "" : path;
        this.signer = new SigV4(settings.region());
        this.identity = identity;
        this.errors = errors;
        this.timeouts = settings.timeouts();
        this.clock = clock;
    }

    /** Opens nothing yet. @throws StoreException the bucket's name or the trusted certificates cannot be used */
    static LeanDataPath connect(
            S3Settings settings, Identity identity, Trust trust, Optional<Proxy> proxy, S3Errors errors)
            throws StoreException {
        var url = SdkClients.bucketUrl(settings);
        try {
            var pool = new HttpPool(
                    Origin.of(url),
                    proxy,
                    trust.context(),
                    settings.maxConnections(),
                    settings.timeouts().connect());
            return new LeanDataPath(pool, url, settings, identity, errors, InstantSource.system());
        } catch (GeneralSecurityException e) {
            throw new StoreException(StoreException.Kind.PERMANENT, "TLS cannot be set up: " + e.getMessage(), e, true);
        }
    }

    @Override
    public <T> T get(Get get, Reader<T> reader) throws StoreException, InterruptedException {
        var headers = new HashMap<String, String>();
        if (get.length() >= 0) {
            headers.put("range", "bytes=" + get.offset() + "-" + (get.offset() + get.length() - 1));
        }
        if (get.ifMatch() != null) {
            headers.put("if-match", "\"" + get.ifMatch() + "\"");
        }
        if (get.askChecksum()) {
            headers.put("x-amz-checksum-mode", "ENABLED");
        }
        var query = new TreeMap<String, String>();
        if (get.versionId() != null) {
            query.put("versionId", get.versionId());
        }
        var request = request(Operation.READ, "GET", get.key(), query, headers, SigV4.EMPTY, -1, timeouts.read());
        return exchange(Operation.READ, get.key(), request, null, (status, answer, body) -> {
            if (status != 200 && status != 206) {
                throw refused(Operation.READ, get.key(), status, answer, body);
            }
            return reader.read(status, answer, body::read);
        });
    }

    @Override
    public Headers put(Put put, PieceSource source, ByteBuffer scratch) throws StoreException, InterruptedException {
        var operation = put.upload() == null ? Operation.WRITE : Operation.WRITE_PART;
        var headers = new HashMap<>(put.headers());
        var query = new TreeMap<String, String>();
        if (put.upload() != null) {
            query.put("partNumber", Integer.toString(put.upload().number()));
            query.put("uploadId", put.upload().uploadId());
        } else {
            headers.putIfAbsent("content-type", "application/octet-stream");
        }
        var payload = put.sha256() != null ? put.sha256() : put.length() == 0 ? SigV4.EMPTY : SigV4.UNSIGNED;
        var request = request(operation, "PUT", put.key(), query, headers, payload, put.length(), timeouts.write());
        return exchange(operation, put.key(), request, body(put, source, scratch), (status, answer, body) -> {
            if (status != 200 && status != 201 && status != 204) {
                throw refused(operation, put.key(), status, answer, body);
            }
            requireNoError(operation, put.key(), status, answer, body);
            return answer;
        });
    }

    private static BodyWriter body(Put put, PieceSource source, ByteBuffer scratch) {
        return sink -> {
            for (long done = 0; done < put.length(); ) {
                scratch.clear().limit((int) Math.min(scratch.capacity(), put.length() - done));
                try {
                    source.fill(put.offset() + done, scratch);
                } catch (IOException e) {
                    throw new SourceFailure(e);
                }
                done += scratch.position();
                sink.write(scratch.flip());
            }
        };
    }

    private Request request(
            Operation operation,
            String method,
            String key,
            TreeMap<String, String> query,
            Map<String, String> headers,
            String payload,
            long length,
            Duration patience)
            throws StoreException, InterruptedException {
        var path = base + "/" + SigV4.encode(key, true);
        var parameters = new StringBuilder();
        query.forEach((name, value) -> parameters
                .append(parameters.isEmpty() ? "" : "&")
                .append(SigV4.encode(name, false))
                .append('=')
                .append(SigV4.encode(value, false)));
        headers.put("user-agent", AGENT);
        if (!identity.anonymous()) {
            try {
                signer.sign(
                        method,
                        path,
                        parameters.toString(),
                        pool.origin().authority(),
                        headers,
                        payload,
                        identity.resolveCredentials(),
                        clock.instant());
            } catch (SdkException e) {
                throw errors.ofSdk(operation, key, e);
            }
        }
        try {
            return new Request(
                    method,
                    parameters.isEmpty() ? path : path + "?" + parameters,
                    headers,
                    length,
                    patience,
                    timeouts.read());
        } catch (IllegalArgumentException e) {
            // An ETag of a strange server, or keys with a line break from a file.
            throw errors.found(
                    StoreException.Kind.PERMANENT, operation, key, "the request cannot be sent: " + e.getMessage());
        }
    }

    private <T> T exchange(
            Operation operation,
            String key,
            Request request,
            @org.jspecify.annotations.Nullable BodyWriter body,
            HttpPool.Reader<T, StoreException> reader)
            throws StoreException, InterruptedException {
        try {
            return pool.exchange(request, body, reader);
        } catch (SourceFailure e) {
            throw errors.local(operation, key, e.source());
        } catch (IOException e) {
            throw errors.of(operation, key, e);
        }
    }

    private StoreException refused(Operation operation, String key, int status, Headers headers, ResponseBody body)
            throws IOException {
        return errors.of(operation, key, Failure.parse(status, headers, text(body)));
    }

    /** A success whose body is an error document is a failure (CASES O3); the answer to a PUT has no body else. */
    private void requireNoError(Operation operation, String key, int status, Headers headers, ResponseBody body)
            throws IOException, StoreException {
        if (headers.number("content-length") == 0 || !headers.etag().isEmpty()) {
            return;
        }
        var text = text(body);
        if (Failure.isErrorDocument(text)) {
            throw errors.of(operation, key, Failure.parse(status, headers, text));
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
