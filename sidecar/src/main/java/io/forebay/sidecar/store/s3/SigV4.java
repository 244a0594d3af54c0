package io.forebay.sidecar.store.s3;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;

/**
 * AWS Signature Version 4 in the Authorization header, as S3 wants it: the path is encoded once and not normalised. Signed are
 * Host, Content-MD5 and all x-amz- fields; others may be changed by proxies. Thread-safe.
 */
final class SigV4 {
    static final String UNSIGNED = "UNSIGNED-PAYLOAD";
    /** SHA-256 of nothing. */
    static final String EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);
    private static final HexFormat HEX = HexFormat.of();

    private final String region;
    private volatile @Nullable DayKey last;

    /** A derived key serves one day, one region, one secret. */
    private record DayKey(String day, String secret, Mac prototype) {
        /** With a copy: making one from the key takes longer than using it. */
        byte[] hmac(String text) {
            try {
                return ((Mac) prototype.clone()).doFinal(utf8(text));
            } catch (CloneNotSupportedException e) {
                throw new IllegalStateException("this Java's HmacSHA256 cannot be copied", e);
            }
        }
    }

    private volatile @Nullable Second lastSecond;

    private record Second(long second, String text) {}

    SigV4(String region) {
        this.region = region;
    }

    /**
     * Adds x-amz-date, x-amz-content-sha256, x-amz-security-token and Authorization.
     *
     * @param path encoded
     * @param query names and values, encoded, sorted by name
     * @param headers to be sent, names in lower case; is added to
     * @param payload SHA-256 in hexadecimal, or {@link #UNSIGNED}
     */
    void sign(
            String method,
            String path,
            String query,
            String authority,
            Map<String, String> headers,
            String payload,
            AwsCredentials credentials,
            Instant now) {
        var time = time(now.getEpochSecond());
        headers.put("x-amz-date", time);
        headers.put("x-amz-content-sha256", payload);
        if (credentials instanceof AwsSessionCredentials session) {
            headers.put("x-amz-security-token", session.sessionToken());
        }
        SortedMap<String, String> signed = new TreeMap<>();
        signed.put("host", authority);
        headers.forEach((name, value) -> {
            if (name.startsWith("x-amz-") || name.equals("content-md5")) {
                signed.put(name, trimmed(value));
            }
        });
        var canonical = new StringBuilder(512)
                .append(method)
                .append('\n')
                .append(path)
                .append('\n')
                .append(query)
                .append('\n');
        signed.forEach((name, value) ->
                canonical.append(name).append(':').append(value).append('\n'));
        var names = String.join(";", signed.keySet());
        canonical.append('\n').append(names).append('\n').append(payload);

        var day = time.substring(0, 8);
        var scope = day + "/" + region + "/s3/aws4_request";
        var hash = Sums.digest("SHA-256").digest(utf8(canonical.toString()));
        var text = "AWS4-HMAC-SHA256\n" + time + "\n" + scope + "\n" + HEX.formatHex(hash);
        var signature = HEX.formatHex(dayKey(day, credentials.secretAccessKey()).hmac(text));
        headers.put(
                "authorization",
                "AWS4-HMAC-SHA256 Credential=" + credentials.accessKeyId() + "/" + scope + ", SignedHeaders=" + names
                        + ", Signature=" + signature);
    }

    private DayKey dayKey(String day, String secret) {
        var known = last;
        if (known != null && known.day.equals(day) && known.secret.equals(secret)) {
            return known;
        }
        var key = hmac(hmac(hmac(hmac(utf8("AWS4" + secret), day), region), "s3"), "aws4_request");
        var derived = new DayKey(day, secret, mac(key));
        last = derived;
        return derived;
    }

    private static byte[] hmac(byte[] key, String text) {
        return mac(key).doFinal(utf8(text));
    }

    private static Mac mac(byte[] key) {
        try {
            var mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java has no HmacSHA256", e);
        }
    }

    /** Many requests are signed in one second. */
    private String time(long second) {
        var known = lastSecond;
        if (known != null && known.second == second) {
            return known.text;
        }
        var text = TIME.format(Instant.ofEpochSecond(second));
        lastSecond = new Second(second, text);
        return text;
    }

    private static String trimmed(String value) {
        var stripped = value.strip();
        return stripped.contains("  ") ? stripped.replaceAll(" +", " ") : stripped;
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** All but unreserved characters (RFC 3986) as %XX of their UTF-8 bytes. @param keepSlash for paths */
    static String encode(String text, boolean keepSlash) {
        var out = new StringBuilder(text.length() + 16);
        for (byte b : utf8(text)) {
            char c = (char) (b & 0xFF);
            if ((c >= 'a' && c <= 'z')
                    || (c >= 'A' && c <= 'Z')
                    || (c >= '0' && c <= '9')
                    || "-_.~".indexOf(c) >= 0
                    || (c == '/' && keepSlash)) {
                out.append(c);
            } else {
                out.append('%').append(HexFormat.of().withUpperCase().toHexDigits(b));
            }
        }
        return out.toString();
    }
}
