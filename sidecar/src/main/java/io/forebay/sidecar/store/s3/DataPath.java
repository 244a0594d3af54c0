package io.forebay.sidecar.store.s3;

import io.forebay.sidecar.store.Store.PieceSource;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.s3.http.Headers;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The requests that move bytes. Each is sent once; answers other than success are thrown, classified. Thread-safe. */
interface DataPath extends AutoCloseable {

    /** Which one. */
    enum Kind {
        LEAN,
        SDK;

        /** The way out, should a proxy or server not get on with ours: {@code FOREBAY_S3_DATA_PATH=sdk}. */
        static Kind of(Environment env) {
            var name = env.variable("FOREBAY_S3_DATA_PATH");
            if (name == null || name.equals("lean")) {
                return LEAN;
            }
            if (name.equals("sdk")) {
                return SDK;
            }
            throw new IllegalArgumentException("FOREBAY_S3_DATA_PATH is '" + name + "'; write lean or sdk");
        }
    }

    /**
     * One object, or a range of it.
     *
     * @param offset 0 or more
     * @param length bytes of the range; -1: the whole object, without a Range header
     * @param ifMatch ETag without quotes; absent: any
     * @param askChecksum whether to send x-amz-checksum-mode
     */
    record Get(
            String key,
            @Nullable String versionId,
            @Nullable String ifMatch,
            long offset,
            long length,
            boolean askChecksum) {}

    /**
     * One object, or a part of an upload.
     *
     * @param upload absent: an object
     * @param headers beside those that every request has, names in lower case
     * @param length bytes
     * @param sha256 of the bytes in hexadecimal, to be signed; absent: the signature leaves the bytes out
     */
    record Put(
            String key,
            @Nullable UploadPart upload,
            Map<String, String> headers,
            long offset,
            long length,
            @Nullable String sha256) {
        public Put {
            headers = Map.copyOf(headers);
        }
    }

    /** @param number from 1 */
    record UploadPart(String uploadId, int number) {}

    /** The bytes of an answer. */
    interface Body {
        /** @return bytes read into dst, at least 1, or -1 at the end. @throws IOException the connection broke before the end */
        int read(ByteBuffer dst) throws IOException;
    }

    /** Takes head and body of a success; what it leaves of the body is dropped. */
    interface Reader<T> {
        T read(int status, Headers headers, Body body) throws IOException, StoreException, InterruptedException;
    }

    <T> T get(Get get, Reader<T> reader) throws StoreException, InterruptedException;

    /**
     * @param source of the bytes [offset, offset + length); asked again from the start if the request had to be sent anew on
     *     another connection
     * @return header fields of the success
     */
    Headers put(Put put, PieceSource source, ByteBuffer scratch) throws StoreException, InterruptedException;

    @Override
    void close();
}
