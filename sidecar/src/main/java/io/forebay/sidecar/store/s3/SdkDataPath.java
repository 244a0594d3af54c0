package io.forebay.sidecar.store.s3;

import io.forebay.sidecar.store.Store.PieceSource;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.s3.http.Headers;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.HashMap;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.model.ChecksumMode;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.UploadPartRequest;

/** Bytes through the AWS SDK: the plain way, against which the leaner one is measured and tested. */
final class SdkDataPath implements DataPath {
    private final SdkCalls calls;
    private final String bucket;
    private final S3Errors errors;

    /** @param calls stay the caller's */
    SdkDataPath(SdkCalls calls, String bucket, S3Errors errors) {
        this.calls = calls;
        this.bucket = bucket;
        this.errors = errors;
    }

    @Override
    public <T> T get(Get get, Reader<T> reader) throws StoreException, InterruptedException {
        var request = GetObjectRequest.builder().bucket(bucket).key(get.key()).versionId(get.versionId());
        if (get.ifMatch() != null) {
            request.ifMatch("\"" + get.ifMatch() + "\"");
        }
        if (get.length() >= 0) {
            request.range("bytes=" + get.offset() + "-" + (get.offset() + get.length() - 1));
        }
        if (get.askChecksum()) {
            request.checksumMode(ChecksumMode.ENABLED);
        }
        try (var in = calls.client().getObject(request.build())) {
            var answer = in.response().sdkHttpResponse();
            var bytes = new byte[64 * 1024];
            return reader.read(answer.statusCode(), Headers.of(answer.headers()), dst -> {
                int n = in.read(bytes, 0, Math.min(bytes.length, dst.remaining()));
                if (n > 0) {
                    dst.put(bytes, 0, n);
                }
                return n;
            });
        } catch (SdkException e) {
            throw errors.ofSdk(Operation.READ, get.key(), e);
        } catch (IOException e) {
            throw errors.of(Operation.READ, get.key(), e);
        }
    }

    @Override
    public Headers put(Put put, PieceSource source, ByteBuffer scratch) throws StoreException, InterruptedException {
        var operation = put.upload() == null ? Operation.WRITE : Operation.WRITE_PART;
        var body = new SourceStream[1];
        var content = RequestBody.fromContentProvider(
                () -> body[0] = new SourceStream(source, put.offset(), put.length(), scratch),
                put.length(),
                "application/octet-stream");
        try {
            var answer = put.upload() == null ? object(put, content) : part(put, put.upload(), content);
            return Headers.of(answer.headers());
        } catch (SdkException e) {
            if (body[0] != null && body[0].failure != null) {
                throw errors.local(operation, put.key(), body[0].failure);
            }
            throw errors.ofSdk(operation, put.key(), e);
        }
    }

    private software.amazon.awssdk.http.SdkHttpResponse object(Put put, RequestBody content) {
        var headers = new HashMap<String, java.util.List<String>>();
        put.headers().forEach((name, value) -> headers.put(name, java.util.List.of(value)));
        return calls.client()
                .putObject(
                        PutObjectRequest.builder()
                                .bucket(bucket)
                                .key(put.key())
                                .overrideConfiguration(o -> o.headers(headers))
                                .build(),
                        content)
                .sdkHttpResponse();
    }

    private software.amazon.awssdk.http.SdkHttpResponse part(Put put, UploadPart upload, RequestBody content) {
        var headers = new HashMap<String, java.util.List<String>>();
        put.headers().forEach((name, value) -> headers.put(name, java.util.List.of(value)));
        return calls.client()
                .uploadPart(
                        UploadPartRequest.builder()
                                .bucket(bucket)
                                .key(put.key())
                                .uploadId(upload.uploadId())
                                .partNumber(upload.number())
                                .overrideConfiguration(o -> o.headers(headers))
                                .build(),
                        content)
                .sdkHttpResponse();
    }

    @Override
    public void close() {}

    /** Reads a source through the caller's buffer. */
    private static final class SourceStream extends InputStream {
        private final PieceSource source;
        private final ByteBuffer scratch;
        private final long end;
        private long filled;
        private @Nullable IOException failure;

        SourceStream(PieceSource source, long offset, long length, ByteBuffer scratch) {
            this.source = source;
            this.scratch = scratch;
            this.filled = offset;
            this.end = offset + length;
            scratch.clear().limit(0);
        }

        @Override
        public int read() throws IOException {
            return refill() ? scratch.get() & 0xFF : -1;
        }

        @Override
        public int read(byte[] dst, int offset, int length) throws IOException {
            if (length == 0) {
                return 0;
            }
            if (!refill()) {
                return -1;
            }
            int n = Math.min(length, scratch.remaining());
            scratch.get(dst, offset, n);
            return n;
        }

        private boolean refill() throws IOException {
            if (!scratch.hasRemaining() && filled < end) {
                scratch.clear().limit((int) Math.min(scratch.capacity(), end - filled));
                try {
                    source.fill(filled, scratch);
                } catch (IOException e) {
                    failure = e;
                    throw e;
                }
                filled += scratch.position();
                scratch.flip();
            }
            return scratch.hasRemaining();
        }
    }
}
