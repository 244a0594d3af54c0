package io.forebay.operator.children;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The tokens of jobs: HMAC-SHA-256 (RFC 2104) of the operator's key over a job's uid. So the operator knows them without reading Secrets, and a
 * job's token says nothing of another's. Thread-safe.
 */
public final class JobTokens {
    private static final String ALGORITHM = "HmacSHA256";
    private final SecretKeySpec key;

    /** @param key at least 16 bytes */
    public JobTokens(byte[] key) {
        if (key.length < 16) {
            throw new IllegalArgumentException("a token key needs at least 16 bytes, this one has " + key.length);
        }
        this.key = new SecretKeySpec(key, ALGORITHM);
    }

    /** Of coordinator and workers. */
    public String job(String uid) {
        return hmac(uid);
    }

    /** Of step runners: they need not know the job's. */
    public String steps(String uid) {
        return hmac(uid + "/steps");
    }

    private String hmac(String text) {
        try {
            var mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            return HexFormat.of().formatHex(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has " + ALGORITHM, e);
        }
    }
}
