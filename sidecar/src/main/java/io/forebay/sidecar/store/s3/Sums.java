package io.forebay.sidecar.store.s3;

import io.forebay.sidecar.store.Store.PieceSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** CRC32C, and where asked MD5 and SHA-256, of bytes that pass in order. One thread. */
final class Sums implements PieceSource {
    /** Never used but to be cloned. */
    private static final ConcurrentHashMap<String, MessageDigest> PROTOTYPES = new ConcurrentHashMap<>();

    private final PieceSource source;
    private final long start;
    private final CRC32C crc32c = new CRC32C();
    private final @Nullable MessageDigest md5;
    private final @Nullable MessageDigest sha256;

    /** Sums what the source gives from {@code start} on; begins anew when it is asked for {@code start} again. */
    Sums(PieceSource source, long start, boolean md5, boolean sha256) {
        this.source = source;
        this.start = start;
        this.md5 = md5 ? digest("MD5") : null;
        this.sha256 = sha256 ? digest("SHA-256") : null;
    }

    /** A new one. Looking for who provides it takes longer than summing a small object. */
    static MessageDigest digest(String algorithm) {
        var prototype = PROTOTYPES.computeIfAbsent(algorithm, Sums::provided);
        try {
            return (MessageDigest) prototype.clone();
        } catch (CloneNotSupportedException e) {
            return provided(algorithm);
        }
    }

    private static MessageDigest provided(String algorithm) {
        try {
            return MessageDigest.getInstance(algorithm);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this Java has no " + algorithm, e);
        }
    }

    @Override
    public void fill(long offset, ByteBuffer dst) throws IOException {
        take(offset, dst, false);
    }

    private void take(long offset, ByteBuffer dst, boolean peek) throws IOException {
        if (offset == start) {
            crc32c.reset();
            if (md5 != null) {
                md5.reset();
            }
            if (sha256 != null) {
                sha256.reset();
            }
        }
        int from = dst.position();
        if (peek) {
            source.peek(offset, dst);
        } else {
            source.fill(offset, dst);
        }
        var piece = dst.duplicate().position(from).limit(dst.position());
        crc32c.update(piece.duplicate());
        if (md5 != null) {
            md5.update(piece.duplicate());
        }
        if (sha256 != null) {
            sha256.update(piece);
        }
    }

    /** Reads bytes [start, start + length) once, for the sums alone. */
    Result over(long length, ByteBuffer scratch) throws IOException {
        for (long done = 0; done < length; done += scratch.position()) {
            scratch.clear().limit((int) Math.min(scratch.capacity(), length - done));
            take(start + done, scratch, true);
        }
        return result();
    }

    /** Of what has passed; the sums begin anew after it. */
    Result result() {
        long crc = crc32c.getValue();
        crc32c.reset();
        return new Result(
                crc,
                md5 == null ? null : md5.digest(),
                sha256 == null ? null : HexFormat.of().formatHex(sha256.digest()));
    }

    /** @param sha256 in hexadecimal */
    record Result(
            long crc32c, byte @Nullable [] md5, @Nullable String sha256) {
        @Nullable
        String md5Hex() {
            return md5 == null ? null : HexFormat.of().formatHex(md5);
        }

        @Nullable
        String md5Base64() {
            return md5 == null ? null : Base64.getEncoder().encodeToString(md5);
        }
    }

    /** As x-amz-checksum-crc32c has it: big-endian, base64. */
    static String crcBase64(long crc32c) {
        return Base64.getEncoder()
                .encodeToString(ByteBuffer.allocate(4).putInt((int) crc32c).array());
    }

    /** @return -1 if the text is no CRC32C of a whole object (a composite one ends in -N) */
    static long crcOf(@Nullable String base64) {
        if (base64 == null || base64.length() != 8) {
            return -1;
        }
        try {
            var bytes = Base64.getDecoder().decode(base64.getBytes(StandardCharsets.ISO_8859_1));
            return bytes.length == 4 ? ByteBuffer.wrap(bytes).getInt() & 0xFFFF_FFFFL : -1;
        } catch (IllegalArgumentException e) {
            return -1;
        }
    }
}
