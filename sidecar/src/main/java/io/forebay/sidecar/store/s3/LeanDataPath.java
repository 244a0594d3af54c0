package io.forebay.sidecar.store.s3;

import io.forebay.sidecar.store.Store.PieceSource;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.s3.LeanRequests.Outline;
import io.forebay.sidecar.store.s3.http.Headers;
import io.forebay.sidecar.store.s3.http.HttpPool.BodyWriter;
import io.forebay.sidecar.store.s3.http.HttpPool.SourceFailure;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.TreeMap;

/**
 * Bytes through our own HTTP: for small objects the SDK takes twice the time (docs/decisions/0003-lean-s3-path.md). Thread-safe.
 */
final class LeanDataPath implements DataPath {
    private final LeanRequests requests;
    private final S3Settings.Timeouts timeouts;

    /** @param requests stay the caller's */
    LeanDataPath(LeanRequests requests, S3Settings.Timeouts timeouts) {
        this.requests = requests;
        this.timeouts = timeouts;
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
        var outline = Outline.ofObject(Operation.READ, "GET", get.key(), query, headers, timeouts.read());
        return requests.exchange(outline, null, (status, answer, body) -> {
            if (status != 200 && status != 206) {
                throw requests.refused(outline, status, answer, body);
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
        var outline = Outline.ofObject(operation, "PUT", put.key(), query, headers, timeouts.write())
                .sending(payload, put.length(), timeouts.write(), timeouts.read());
        return requests.exchange(outline, body(put, source, scratch), (status, answer, body) -> {
            if (status != 200 && status != 201 && status != 204) {
                throw requests.refused(outline, status, answer, body);
            }
            requests.requireNoError(outline, status, answer, body);
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

    @Override
    public void close() {
        requests.close();
    }
}
