package io.forebay.sidecar.store.s3;

import io.forebay.api.name.NameBytes;
import io.forebay.sidecar.store.FileMeta;
import io.forebay.sidecar.store.s3.http.Headers;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A file's metadata as the user metadata of an object. Pure.
 *
 * <pre>
 * mtime            seconds since 1970 UTC, up to 9 decimals (as rclone and s3fs write it; RFC 3339 is read too)
 * forebay-mode     permission bits, octal, as 0644 (absent: s3fs' decimal or rclone's octal st_mode in "mode" is read)
 * forebay-link     target of a symbolic link, its bytes percent-encoded; the object is empty
 * forebay-crc32c   CRC32C of the content, 8 hexadecimal digits; on objects that were written by one PUT
 * </pre>
 */
final class ObjectMeta {
    static final String PREFIX = "x-amz-meta-";
    static final String CRC32C = PREFIX + "forebay-crc32c";
    private static final String MTIME = PREFIX + "mtime";
    private static final String MODE = PREFIX + "forebay-mode";
    private static final String LINK = PREFIX + "forebay-link";
    private static final String FOREIGN_MODE = PREFIX + "mode";

    /** Amazon's limit for all user metadata is 2 KiB; the rest of ours takes less than 150 bytes. */
    static final int MAX_LINK = 1800;

    private static final Pattern DECIMAL = Pattern.compile("-?\\d{1,12}(\\.\\d{1,12})?");
    private static final int CRC_DIGITS = 8;
    private static final Pattern CRC_TEXT = Pattern.compile("[0-9a-f]{8}");
    private static final Pattern MODE_TEXT = Pattern.compile("[0-7]{1,5}");
    /** S_IFREG without its lower 12 bits. */
    private static final int REGULAR_FILE = 010;

    private ObjectMeta() {}

    /** Header fields for a new object. @param crc32c of the content, if it is known */
    static Map<String, String> headers(FileMeta meta, OptionalLong crc32c) {
        var headers = new LinkedHashMap<String, String>();
        if (meta.mtimeNanos() != -1) {
            headers.put(
                    MTIME,
                    BigDecimal.valueOf(meta.mtimeNanos(), 9)
                            .stripTrailingZeros()
                            .toPlainString());
        }
        if (meta.mode() != -1) {
            headers.put(MODE, "%04o".formatted(meta.mode()));
        }
        if (meta.linkTarget() != null) {
            headers.put(LINK, encoded(meta.linkTarget()));
        }
        crc32c.ifPresent(crc -> headers.put(CRC32C, HexFormat.of().toHexDigits(crc, CRC_DIGITS)));
        return headers;
    }

    /** From an answer; what nobody wrote down is unknown, but for the time, which is then the object's own. */
    static FileMeta of(Headers headers) {
        return new FileMeta(mode(headers), mtime(headers), link(headers));
    }

    /** @return CRC32C of the content as its writer noted it; -1: absent */
    static long crc32c(Headers headers) {
        var text = headers.get(CRC32C);
        return text != null && CRC_TEXT.matcher(text).matches() ? Long.parseLong(text, 16) : -1;
    }

    private static long mtime(Headers headers) {
        var text = headers.get(MTIME);
        if (text != null && DECIMAL.matcher(text).matches()) {
            var nanos = new BigDecimal(text).movePointRight(9).toBigInteger();
            if (nanos.bitLength() < Long.SIZE) {
                return nanos.longValue();
            }
        }
        if (text != null) {
            try {
                var instant = Instant.parse(text);
                return Math.addExact(Math.multiplyExact(instant.getEpochSecond(), 1_000_000_000L), instant.getNano());
            } catch (DateTimeParseException | ArithmeticException e) {
                // Another tool's own format: the object's time is the better guess.
            }
        }
        long modified = lastModifiedMillis(headers);
        return modified == -1 ? -1 : modified * 1_000_000;
    }

    /** Whole seconds, as HTTP tells them. @return -1: absent or unreadable */
    static long lastModifiedMillis(Headers headers) {
        var text = headers.get("last-modified");
        if (text == null) {
            return -1;
        }
        long seconds = HttpDate.epochSecond(text);
        return seconds == -1 ? -1 : seconds * 1000;
    }

    private static int mode(Headers headers) {
        var own = headers.get(MODE);
        if (own != null && MODE_TEXT.matcher(own).matches()) {
            return Integer.parseInt(own, 8) & 07777;
        }
        var foreign = headers.get(FOREIGN_MODE);
        if (foreign != null && foreign.matches("\\d{1,9}")) {
            int decimal = Integer.parseInt(foreign);
            int octal = foreign.matches("[0-7]+") ? Integer.parseInt(foreign, 8) : 0;
            // The mode of a regular file has 5 digits in decimal, 6 in octal: no text is both.
            for (int stMode : new int[] {decimal, octal}) {
                if (stMode >> 12 == REGULAR_FILE) {
                    return stMode & 07777;
                }
            }
        }
        return -1;
    }

    private static @Nullable String link(Headers headers) {
        var text = headers.get(LINK);
        return text == null ? null : decoded(text);
    }

    /** Length of a link target as it will be written. */
    static int linkLength(String target) {
        return encoded(target).length();
    }

    private static String encoded(String target) {
        var out = new StringBuilder();
        for (byte b : NameBytes.encode(target)) {
            char c = (char) (b & 0xFF);
            if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || "-_.~/".indexOf(c) >= 0) {
                out.append(c);
            } else {
                out.append("%%%02X".formatted((int) c));
            }
        }
        return out.toString();
    }

    /** @return null if the text was not written by {@link #encoded} */
    private static @Nullable String decoded(String text) {
        var in = text.getBytes(StandardCharsets.ISO_8859_1);
        var out = new byte[in.length];
        int n = 0;
        for (int i = 0; i < in.length; i++) {
            if (in[i] != '%') {
                out[n++] = in[i];
                continue;
            }
            if (i + 2 >= in.length) {
                return null;
            }
            int high = Character.digit(in[i + 1], 16);
            int low = Character.digit(in[i + 2], 16);
            if (high < 0 || low < 0) {
                return null;
            }
            out[n++] = (byte) (high << 4 | low);
            i += 2;
        }
        return NameBytes.decode(java.util.Arrays.copyOf(out, n));
    }
}
