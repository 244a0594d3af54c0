package io.forebay.sidecar.transfer;

import io.forebay.api.job.Job.StoreAccess;
import io.forebay.api.value.Bytes;
import io.forebay.api.value.StoreUri.Scheme;
import java.util.Optional;

/**
 * What the transfers of this process may ask of one store.
 *
 * @param readBandwidth bytes per second; absent: no limit
 * @param writeBandwidth bytes per second; absent: no limit
 * @param readers most read requests at once
 * @param writers most write requests at once
 * @param adaptive start with few requests and find how many serve best; else use all at once
 */
public record StoreLimits(
        Optional<Bytes> readBandwidth, Optional<Bytes> writeBandwidth, int readers, int writers, boolean adaptive) {

    /** More requests than this bring one machine nothing, and each costs a thread and a descriptor. */
    public static final int MOST_REQUESTS = 64;

    /** A local file system has no latency to hide; so many flush fast (16 threads made 2,000 files durable twice as fast as one, more brought nothing). */
    private static final int MOST_LOCAL = 16;

    public static final StoreLimits DEFAULT =
            new StoreLimits(Optional.empty(), Optional.empty(), MOST_REQUESTS, MOST_REQUESTS, true);

    public StoreLimits {
        require(readers, "readers");
        require(writers, "writers");
        readBandwidth.ifPresent(b -> require(b.value(), "readBandwidth"));
        writeBandwidth.ifPresent(b -> require(b.value(), "writeBandwidth"));
    }

    /** What the manifest says of a store; DEFAULT where it is silent. */
    public static StoreLimits of(StoreAccess access) {
        int most = most(access.uri().scheme());
        return new StoreLimits(
                access.readBandwidth(),
                access.writeBandwidth(),
                most,
                Math.min(access.writers().orElse(most), MOST_REQUESTS),
                true);
    }

    /** For a store of which the manifest says nothing. */
    public static StoreLimits of(Scheme scheme) {
        return new StoreLimits(Optional.empty(), Optional.empty(), most(scheme), most(scheme), true);
    }

    private static int most(Scheme scheme) {
        return switch (scheme) {
            case S3, LUSTRE -> MOST_REQUESTS;
            case FILE -> MOST_LOCAL;
        };
    }

    private static void require(long value, String name) {
        if (value < 1) {
            throw new IllegalArgumentException(name + " must be at least 1, not " + value);
        }
    }
}
