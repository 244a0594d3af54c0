package io.forebay.sidecar.store.s3;

import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.StoreException.Kind;
import io.forebay.sidecar.store.s3.http.Headers;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Takes a small object whole into memory, whatever its version. One thread. */
final class SmallReader implements DataPath.Reader<byte[]> {
    private final String key;
    private final int limit;
    private final ServerHabits habits;
    private final S3Errors errors;

    /** @param limit bytes above which it is refused */
    SmallReader(String key, int limit, ServerHabits habits, S3Errors errors) {
        this.key = key;
        this.limit = limit;
        this.habits = habits;
        this.errors = errors;
    }

    @Override
    public byte[] read(int status, Headers headers, DataPath.Body body) throws IOException, StoreException {
        long announced = headers.number("content-length");
        if (announced > limit) {
            throw tooLarge();
        }
        var content = ByteBuffer.allocate((int) (announced >= 0 ? announced : limit) + 1);
        while (content.hasRemaining() && body.read(content) >= 0) {}
        if (content.position() > limit) {
            throw tooLarge();
        }
        if (announced != -1 && content.position() != announced) {
            throw failed(Kind.TRANSIENT, "the body ended after " + content.position() + " of " + announced + " bytes");
        }
        var bytes = new byte[content.flip().remaining()];
        content.get(bytes);
        requireNoError(status, headers, bytes);
        requireChecksum(headers, bytes);
        return bytes;
    }

    /** An error in the clothes of a success has no ETag (CASES O3). */
    private void requireNoError(int status, Headers headers, byte[] bytes) throws StoreException {
        if (!headers.etag().isEmpty()) {
            return;
        }
        var text = new String(bytes, 0, Math.min(bytes.length, Failure.MAX_BODY), StandardCharsets.UTF_8);
        if (Failure.isErrorDocument(text)) {
            throw failed(
                    Kind.TRANSIENT,
                    "an error came as " + status + ": "
                            + Failure.parse(status, headers, text).code());
        }
    }

    private void requireChecksum(Headers headers, byte[] bytes) throws StoreException {
        var check = BodyCheck.of(headers);
        if (check == null) {
            return;
        }
        check.update(ByteBuffer.wrap(bytes));
        var mismatch = check.mismatch();
        if (mismatch != null && !(check.byEtag() && habits.onlyLooksLikeMd5(mismatch.expected(), mismatch.found()))) {
            throw failed(Kind.CORRUPT, "other bytes came than the server has: " + mismatch);
        }
    }

    private StoreException tooLarge() {
        return failed(Kind.TOO_LARGE, "the object has more than " + limit + " bytes");
    }

    private StoreException failed(Kind kind, String what) {
        return errors.found(kind, Operation.READ, key, what);
    }
}
