package io.forebay.sidecar.transfer;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Arithmetic on CRC32C values (polynomial 0x1EDC6F41, reflected; RFC 3720 appendix B.4). Values are 0 to 2^32-1. Stateless.
 *
 * <p>A CRC is the remainder of the message as a polynomial over GF(2). To put B behind A is to multiply A's remainder by
 * x^(8 * length of B) and to add B's; the powers x^(2^k) are computed once.
 */
public final class Crc32c {
    /** The CRC of no bytes. */
    public static final long EMPTY = 0;

    private static final long MASK = 0xFFFF_FFFFL;
    private static final int POLYNOMIAL = 0x82F6_3B78;
    /** The polynomial 1; bit 31 is x^0, as everything is reflected. */
    private static final int ONE = 0x8000_0000;
    /** x^(2^k) mod the polynomial; 63 + 3 are enough for 2^63 bytes of 2^3 bits. */
    private static final int[] POWERS = powers(66);

    private Crc32c() {}

    /** Of the remaining bytes; the buffer's position does not move. */
    public static long of(ByteBuffer bytes) {
        var crc = new CRC32C();
        crc.update(bytes.duplicate());
        return crc.getValue();
    }

    /**
     * Of A followed by B.
     *
     * @param lengthB bytes of B, 0 or more
     */
    public static long combine(long crcA, long crcB, long lengthB) {
        requireValue(crcA);
        requireValue(crcB);
        if (lengthB == 0) {
            return crcA;
        }
        return (multiply(shift(lengthB), (int) crcA) & MASK) ^ crcB;
    }

    /** Of that many zero bytes, without touching any. */
    public static long zeros(long length) {
        return length == 0 ? EMPTY : (~multiply(shift(length), -1)) & MASK;
    }

    /** x^(8 * bytes) mod the polynomial. */
    private static int shift(long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("negative length: " + bytes);
        }
        int product = ONE;
        int k = 3;
        for (long rest = bytes; rest != 0; rest >>>= 1, k++) {
            if ((rest & 1) != 0) {
                product = multiply(POWERS[k], product);
            }
        }
        return product;
    }

    private static int multiply(int a, int b) {
        int product = 0;
        int shifted = b;
        for (int bit = ONE; bit != 0; bit >>>= 1) {
            if ((a & bit) != 0) {
                product ^= shifted;
            }
            shifted = (shifted & 1) != 0 ? (shifted >>> 1) ^ POLYNOMIAL : shifted >>> 1;
        }
        return product;
    }

    private static int[] powers(int count) {
        var powers = new int[count];
        powers[0] = ONE >>> 1;
        for (int k = 1; k < count; k++) {
            powers[k] = multiply(powers[k - 1], powers[k - 1]);
        }
        return powers;
    }

    private static void requireValue(long crc) {
        if ((crc & ~MASK) != 0) {
            throw new IllegalArgumentException("not a CRC32C: " + crc);
        }
    }
}
