package io.forebay.sidecar.store.s3;

import io.forebay.sidecar.store.ReadReceipt;
import io.forebay.sidecar.store.Store.PieceSink;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.StoreException.Kind;
import io.forebay.sidecar.store.Version;
import io.forebay.sidecar.store.s3.http.Headers;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Takes one answer to a ranged read and believes nothing: not that If-Match was honoured, not the length, not that a 200 is no
 * error, not the bytes where there is a checksum. One thread.
 */
final class PinnedReader implements DataPath.Reader<ReadReceipt> {
    private final Version.S3 version;
    private final long offset;
    private final long length;
    private final ByteBuffer scratch;
    private final PieceSink sink;
    private final ServerHabits habits;
    private final S3Errors errors;

    PinnedReader(
            Version.S3 version,
            long offset,
            long length,
            ByteBuffer scratch,
            PieceSink sink,
            ServerHabits habits,
            S3Errors errors) {
        this.version = version;
        this.offset = offset;
        this.length = length;
        this.scratch = scratch;
        this.sink = sink;
        this.habits = habits;
        this.errors = errors;
    }

    static boolean whole(Version.S3 version, long offset, long length) {
        return offset == 0 && length == version.size();
    }

    @Override
    public ReadReceipt read(int status, Headers headers, DataPath.Body body)
            throws IOException, StoreException, InterruptedException {
        var problem = head(status, headers);
        if (problem != null) {
            throw errorDocument(status, headers, body, problem);
        }
        var check = whole(version, offset, length) ? BodyCheck.of(headers) : null;
        long done = 0;
        while (done < length) {
            scratch.clear().limit((int) Math.min(scratch.capacity(), length - done));
            fill(headers, body, done);
            scratch.flip();
            if (check != null) {
                check.update(scratch);
            }
            int n = scratch.remaining();
            try {
                sink.accept(offset + done, scratch);
            } catch (IOException e) {
                throw errors.local(Operation.READ, version.key(), e);
            }
            done += n;
        }
        requireEnd(body);
        return receipt(headers, check);
    }

    /** Fills scratch to its limit. */
    private void fill(Headers headers, DataPath.Body body, long done) throws IOException, StoreException {
        while (scratch.hasRemaining()) {
            if (body.read(scratch) < 0) {
                throw errors.found(
                        Kind.TRANSIENT,
                        Operation.READ,
                        version.key(),
                        "the body ended after " + (done + scratch.position()) + " of " + length + " bytes"
                                + (done == 0
                                        ? asError(headers, scratch.duplicate().flip())
                                        : ""));
            }
        }
    }

    private static String asError(Headers headers, ByteBuffer start) {
        var bytes = new byte[Math.min(start.remaining(), Failure.MAX_BODY)];
        start.get(bytes);
        var text = new String(bytes, StandardCharsets.UTF_8);
        if (!Failure.isErrorDocument(text)) {
            return "";
        }
        var f = Failure.parse(200, headers, text);
        return ", an error document: " + f.code() + ": " + f.message();
    }

    private void requireEnd(DataPath.Body body) throws IOException, StoreException {
        if (body.read(ByteBuffer.allocate(1)) >= 0) {
            throw changed("the body is longer than " + length + " bytes");
        }
    }

    /** @return why this answer is not the pinned version's; null if it may be */
    private @Nullable StoreException head(int status, Headers headers) {
        boolean whole = whole(version, offset, length);
        long contentLength = headers.number("content-length");
        if (status == 206) {
            var expected = "bytes " + offset + "-" + (offset + length - 1) + "/" + version.size();
            var range = headers.get("content-range");
            if (!expected.equals(range)) {
                return changed("the range that came is '" + range + "', not '" + expected + "'");
            }
        } else if (!whole) {
            return contentLength == version.size()
                    ? errors.found(
                            Kind.PERMANENT,
                            Operation.READ,
                            version.key(),
                            "the server does not honour Range; it answers " + status)
                    : changed("the whole object came instead of a range, with " + contentLength + " bytes instead of "
                            + version.size());
        }
        if (contentLength != -1 && contentLength != length) {
            return changed(contentLength + " bytes are announced instead of " + length);
        }
        return pin(headers);
    }

    private @Nullable StoreException pin(Headers headers) {
        var etag = headers.etag();
        if (!version.etag().isEmpty() && !etag.isEmpty()) {
            return etag.equals(version.etag())
                    ? null
                    : changed("its ETag is " + etag + ", planned was " + version.etag());
        }
        long modified = ObjectMeta.lastModifiedMillis(headers);
        if (modified == -1) {
            return errors.found(
                    Kind.TRANSIENT,
                    Operation.READ,
                    version.key(),
                    "the answer names neither ETag nor Last-Modified; it proves no version");
        }
        return modified / 1000 == version.lastModifiedMillis() / 1000
                ? null
                : changed("it was modified at " + java.time.Instant.ofEpochMilli(modified));
    }

    private StoreException changed(String how) {
        return errors.found(Kind.CHANGED, Operation.READ, version.key(), "the object has changed: " + how);
    }

    /** An answer that does not fit may be an error in the clothes of a success (CASES O3), which is a passing fault. */
    private StoreException errorDocument(int status, Headers headers, DataPath.Body body, StoreException otherwise)
            throws IOException {
        var start = ByteBuffer.allocate(4096);
        while (start.hasRemaining() && body.read(start) >= 0) {}
        var text = new String(start.array(), 0, start.position(), StandardCharsets.UTF_8);
        if (!Failure.isErrorDocument(text)) {
            return otherwise;
        }
        var failure = Failure.parse(status, headers, text);
        var classified = errors.of(Operation.READ, version.key(), failure);
        return classified.kind() == Kind.PERMANENT
                ? errors.found(
                        Kind.TRANSIENT,
                        Operation.READ,
                        version.key(),
                        "an error came as " + status + ": " + failure.code())
                : classified;
    }

    private ReadReceipt receipt(Headers headers, @Nullable BodyCheck check) throws StoreException {
        long crc = "COMPOSITE".equals(headers.get("x-amz-checksum-type")) || !whole(version, offset, length)
                ? -1
                : Sums.crcOf(headers.get("x-amz-checksum-crc32c"));
        boolean verified = check != null && matches(check);
        return new ReadReceipt(crc, verified, ObjectMeta.of(headers));
    }

    /** @return false: what was compared turned out to be no checksum @throws StoreException CORRUPT */
    private boolean matches(BodyCheck check) throws StoreException {
        var mismatch = check.mismatch();
        if (mismatch == null) {
            if (check.byEtag()) {
                habits.learnMd5Etag();
            }
            return true;
        }
        if (check.byEtag() && habits.onlyLooksLikeMd5(mismatch.expected(), mismatch.found())) {
            return false;
        }
        throw errors.found(
                Kind.CORRUPT, Operation.READ, version.key(), "other bytes came than the server has: " + mismatch);
    }
}
