package io.forebay.sidecar.store.s3;

import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.StoreException.Kind;
import io.forebay.sidecar.store.s3.LeanRequests.Outline;
import io.forebay.sidecar.store.s3.http.Headers;
import io.forebay.sidecar.store.s3.http.ResponseBody;
import java.io.IOException;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Listings and heads through our own HTTP: the SDK's first request costs a start more than all of its other work, and a page of a listing three
 * times what parsing it takes. Thread-safe.
 */
final class LeanLookups implements Lookups {
    /** 1000 keys of 1024 bytes, each byte encoded in three, and what stands around them, take half of it. */
    private static final int MAX_PAGE = 8 << 20;

    private static final int FIRST_BYTES = 64 * 1024;

    private final LeanRequests requests;
    private final S3Errors errors;

    LeanLookups(LeanRequests requests, S3Errors errors) {
        this.requests = requests;
        this.errors = errors;
    }

    @Override
    public Page page(PageRequest request) throws StoreException, InterruptedException {
        var query = new TreeMap<String, String>();
        query.put("list-type", "2");
        query.put("prefix", request.prefix());
        // Keys may hold characters that XML 1.0 cannot.
        query.put("encoding-type", "url");
        if (request.token() != null) {
            query.put("continuation-token", request.token());
        }
        if (request.most() > 0) {
            query.put("max-keys", Integer.toString(request.most()));
        }
        var outline = Outline.ofBucket(Operation.LIST, "GET", request.prefix(), query);
        return requests.exchange(outline, null, (status, headers, body) -> {
            if (status != 200) {
                throw requests.refused(outline, status, headers, body);
            }
            return page(request.prefix(), status, headers, bytes(headers, body));
        });
    }

    private Page page(String prefix, int status, Headers headers, byte[] document) throws StoreException {
        try {
            return ListDocument.parse(document);
        } catch (ProtocolException e) {
            var start = new String(document, 0, Math.min(document.length, Failure.MAX_BODY), StandardCharsets.UTF_8);
            var told = Failure.isErrorDocument(start) ? Failure.parse(status, headers, start) : null;
            throw errors.found(
                    Kind.TRANSIENT,
                    Operation.LIST,
                    prefix,
                    told == null
                            ? "the answer is a success, but no document of S3's: " + e.getMessage()
                            : "an error came as " + status + ": " + told.code() + ": " + told.message());
        }
    }

    private static byte[] bytes(Headers headers, ResponseBody body) throws IOException {
        long announced = headers.number("content-length");
        // One byte more: the end is then seen without growing.
        var buffer = ByteBuffer.allocate(announced < 0 ? FIRST_BYTES : (int) Math.min(announced + 1, MAX_PAGE));
        while (body.read(buffer) >= 0) {
            if (!buffer.hasRemaining()) {
                if (buffer.capacity() >= MAX_PAGE) {
                    throw new ProtocolException("a page of a listing has more than " + MAX_PAGE + " bytes");
                }
                buffer = ByteBuffer.allocate(Math.min(MAX_PAGE, 2 * buffer.capacity()))
                        .put(buffer.flip());
            }
        }
        return Arrays.copyOf(buffer.array(), buffer.position());
    }

    @Override
    public Headers head(String key, @Nullable String ifMatch, @Nullable String versionId, boolean askChecksum)
            throws StoreException, InterruptedException {
        var headers = new HashMap<String, String>();
        if (ifMatch != null) {
            headers.put("if-match", "\"" + ifMatch + "\"");
        }
        if (askChecksum) {
            headers.put("x-amz-checksum-mode", "ENABLED");
        }
        var query = new TreeMap<String, String>();
        if (versionId != null) {
            query.put("versionId", versionId);
        }
        var outline = Outline.ofObject(Operation.STAT, "HEAD", key, query, headers, S3Settings.CONTROL_TIMEOUT);
        return requests.exchange(outline, null, (status, answer, body) -> {
            if (status != 200) {
                throw requests.refused(outline, status, answer, body);
            }
            return answer;
        });
    }
}
