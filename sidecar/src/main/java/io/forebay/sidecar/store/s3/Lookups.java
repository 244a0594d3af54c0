package io.forebay.sidecar.store.s3;

import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.s3.http.Headers;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The requests that ask what is there. Each is sent once; answers other than success are thrown, classified. Thread-safe. */
interface Lookups {

    /**
     * One page of a listing (ListObjectsV2).
     *
     * @param token from the page before; absent: the first page
     * @param most entries; 0: as many as the server likes
     */
    record PageRequest(String prefix, @Nullable String token, int most) {}

    /**
     * @param truncated there is another page
     * @param nextToken for {@link PageRequest}; empty if the server told none
     */
    record Page(List<Listed> objects, boolean truncated, String nextToken) {
        public Page {
            objects = List.copyOf(objects);
        }
    }

    /**
     * One object of a listing.
     *
     * @param key bytes of it that are not UTF-8 as {@link io.forebay.api.name.NameBytes} writes them
     * @param size bytes
     * @param etag without quotes; empty if the server tells none
     * @param lastModifiedMillis in whole seconds; -1: not told
     */
    record Listed(String key, long size, String etag, long lastModifiedMillis) {}

    /** @throws StoreException also TRANSIENT where a success is no listing of S3's: a login page would be an empty one (CASES I3) */
    Page page(PageRequest request) throws StoreException, InterruptedException;

    /**
     * Header fields of an object (HeadObject).
     *
     * @param ifMatch ETag without quotes; absent: any
     * @param askChecksum whether to send x-amz-checksum-mode
     * @throws StoreException NOT_FOUND, CHANGED
     */
    Headers head(String key, @Nullable String ifMatch, @Nullable String versionId, boolean askChecksum)
            throws StoreException, InterruptedException;
}
