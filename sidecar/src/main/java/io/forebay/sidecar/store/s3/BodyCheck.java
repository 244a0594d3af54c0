package io.forebay.sidecar.store.s3;

import io.forebay.sidecar.store.s3.http.Headers;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.HexFormat;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;
import org.jspecify.annotations.Nullable;

/** Compares the bytes of a whole object, as they pass, with the cheapest checksum that the server told. One thread. */
final class BodyCheck {
    private final String name;
    private final String expected;
    private final @Nullable Checksum checksum;
    private final @Nullable MessageDigest digest;

    private BodyCheck(String name, String expected, @Nullable Checksum checksum, @Nullable MessageDigest digest) {
        this.name = name;
        this.expected = expected;
        this.checksum = checksum;
        this.digest = digest;
    }

    /** @return null if the server told nothing that can be compared with the object's bytes as a whole */
    static @Nullable BodyCheck of(Headers answer) {
        var crc32c = whole(answer, "x-amz-checksum-crc32c", 8);
        if (crc32c != null) {
            return new BodyCheck("CRC32C", crc32c, new CRC32C(), null);
        }
        var crc64 = whole(answer, "x-amz-checksum-crc64nvme", 12);
        if (crc64 != null) {
            return new BodyCheck("CRC64NVME", crc64, new Crc64Nvme(), null);
        }
        var crc32 = whole(answer, "x-amz-checksum-crc32", 8);
        if (crc32 != null) {
            return new BodyCheck("CRC32", crc32, new CRC32(), null);
        }
        if (Etags.mayBeMd5(answer)) {
            return new BodyCheck("MD5", answer.etag().toLowerCase(java.util.Locale.ROOT), null, Sums.digest("MD5"));
        }
        return null;
    }

    /** A composite checksum, of the parts' checksums, has another length ("-N") and says so in its type. */
    private static @Nullable String whole(Headers answer, String header, int length) {
        var value = answer.get(header);
        return value != null && value.length() == length && !"COMPOSITE".equals(answer.get("x-amz-checksum-type"))
                ? value
                : null;
    }

    /** The buffer's position does not move. */
    void update(ByteBuffer piece) {
        if (checksum != null) {
            checksum.update(piece.duplicate());
        }
        if (digest != null) {
            digest.update(piece.duplicate());
        }
    }

    /** @return what differs; null: the bytes are right */
    @Nullable
    Mismatch mismatch() {
        var found = found();
        return found.equals(expected) ? null : new Mismatch(name, expected, found);
    }

    /** Whether an ETag was compared, which is an MD5 by S3's rules, but on some servers only looks like one. */
    boolean byEtag() {
        return digest != null;
    }

    /** @param name of the checksum */
    record Mismatch(String name, String expected, String found) {
        @Override
        public String toString() {
            return name + " is " + found + ", the server's " + expected;
        }
    }

    private String found() {
        if (digest != null) {
            return HexFormat.of().formatHex(digest.digest());
        }
        var sum = java.util.Objects.requireNonNull(checksum);
        var bytes = sum instanceof Crc64Nvme
                ? ByteBuffer.allocate(8).putLong(sum.getValue())
                : ByteBuffer.allocate(4).putInt((int) sum.getValue());
        return Base64.getEncoder().encodeToString(bytes.array());
    }
}
