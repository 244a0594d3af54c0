package io.forebay.sidecar.store.s3;

import io.forebay.sidecar.store.StoreException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What this server was found to honour, learned from its answers and remembered as long as the store is open. Thread-safe:
 * each field is written by whoever learns it, read by all; the worst of a race is that the same is learned twice.
 */
final class ServerHabits {
    /** How the server proves that it received our bytes; the first that it was found to honour. */
    enum Proof {
        UNKNOWN,
        /** It returns x-amz-checksum-crc32c. */
        CRC32C,
        /** The ETag of an object or part is the MD5 of its bytes. */
        MD5_ETAG,
        /** It refuses bytes that are not those of the signed x-amz-content-sha256. */
        SHA256,
        /** Nothing of the kind: what was written is read back. */
        READ_BACK
    }

    /** An ETag of MD5's form that differs may be a flipped bit, or no MD5; after so many it is taken for the latter. */
    private static final int DOUBTS = 3;

    /** More objects than are read at once. */
    private static final int REMEMBERED_ETAGS = 256;

    private volatile Proof proof = Proof.UNKNOWN;
    private volatile boolean refusesChecksums;
    private volatile boolean refusesUnsigned;
    private volatile boolean shaProbed;
    private volatile boolean exclusiveCreate;
    private volatile boolean md5Seen;
    /** Guarded by this. */
    private int doubts;
    /** ETags of MD5's form to the MD5 that was found instead, the last few. Guarded by this. */
    private final Map<String, String> strangeEtags = new LinkedHashMap<>();

    Proof proof() {
        return proof;
    }

    void learn(Proof found) {
        proof = found;
        if (found == Proof.MD5_ETAG) {
            learnMd5Etag();
        }
    }

    /** Whether x-amz-checksum-* in a request makes it fail (CASES O1). */
    boolean refusesChecksums() {
        return refusesChecksums;
    }

    void learnRefusesChecksums() {
        refusesChecksums = true;
    }

    /** Whether uploads must have their SHA-256 signed. */
    boolean refusesUnsigned() {
        return refusesUnsigned;
    }

    void learnRefusesUnsigned() {
        refusesUnsigned = true;
    }

    boolean shaProbed() {
        return shaProbed;
    }

    void learnShaProbed() {
        shaProbed = true;
    }

    boolean exclusiveCreate() {
        return exclusiveCreate;
    }

    void learnExclusiveCreate(boolean honoured) {
        exclusiveCreate = honoured;
    }

    /** An ETag was the MD5 of what was read or written. */
    void learnMd5Etag() {
        md5Seen = true;
    }

    /**
     * What was read has another MD5 than the ETag. That is wrong bytes, unless this server was never seen to give MD5s and
     * the same bytes come twice: then its ETags only look like them.
     */
    synchronized boolean onlyLooksLikeMd5(String etag, String found) {
        if (md5Seen) {
            return false;
        }
        if (found.equals(strangeEtags.get(etag))) {
            return true;
        }
        if (strangeEtags.size() >= REMEMBERED_ETAGS) {
            strangeEtags.remove(strangeEtags.keySet().iterator().next());
        }
        strangeEtags.put(etag, found);
        return false;
    }

    /** @return whether so many ETags have differed that they are no MD5s */
    synchronized boolean doubtMd5() {
        return ++doubts >= DOUBTS;
    }

    /** Whether a refusal may be due to a header that the server does not know, rather than to the request itself. */
    static boolean mayBeHeader(StoreException e) {
        return switch (RefusedException.status(e)) {
            case 400, 501 -> e.kind() == StoreException.Kind.PERMANENT;
            case 403 -> RefusedException.code(e).equals("SignatureDoesNotMatch");
            default -> false;
        };
    }
}
