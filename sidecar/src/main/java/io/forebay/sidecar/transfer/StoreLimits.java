package io.forebay.sidecar.transfer;

import io.forebay.api.job.Job.StoreAccess;
import io.forebay.api.value.Bytes;
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
        return new StoreLimits(
                access.readBandwidth(),
                access.writeBandwidth(),
                MOST_REQUESTS,
                Math.min(access.writers().orElse(MOST_REQUESTS), MOST_REQUESTS),
                true);
    }

    private static void require(long value, String name) {
        if (value < 1) {
            throw new IllegalArgumentException(name + " must be at least 1, not " + value);
        }
    }
}
