package io.forebay.sidecar.store;

import org.jspecify.annotations.Nullable;

/**
 * What a store told beside the bytes.
 *
 * @param crc32c of the whole object, as the store keeps it (x-amz-checksum-crc32c of type FULL_OBJECT); -1: not told
 * @param verified the bytes read were already compared with a checksum of the store's
 * @param meta of the object, where the answer carries it (S3 user metadata)
 */
public record ReadReceipt(
        long crc32c, boolean verified, @Nullable FileMeta meta) {
    public static final ReadReceipt NOTHING = new ReadReceipt(-1, false, null);
}
