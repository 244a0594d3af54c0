package io.forebay.sidecar.store.s3;

import io.forebay.message.Messages.Part;
import io.forebay.sidecar.store.s3.http.Headers;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What ETags may mean. Pure. */
final class Etags {
    private Etags() {}

    /** Whether the ETag of this answer can be the MD5 of the whole object: no multipart, no encryption that changes it. */
    static boolean mayBeMd5(Headers answer) {
        var sse = answer.get("x-amz-server-side-encryption");
        return isMd5(answer.etag())
                && (sse == null || sse.equals("AES256"))
                && answer.get("x-amz-server-side-encryption-customer-algorithm") == null;
    }

    static boolean isMd5(String etag) {
        if (etag.length() != 32) {
            return false;
        }
        for (int i = 0; i < 32; i++) {
            if (Character.digit(etag.charAt(i), 16) < 0) {
                return false;
            }
        }
        return true;
    }

    /** The ETag that a completed upload of these parts has by S3's rule, MD5 of the MD5s; null if it cannot be known. */
    static @Nullable String ofUpload(List<Part> parts) {
        var md5 = Sums.digest("MD5");
        for (var part : parts) {
            if (!isMd5(part.etag())) {
                return null;
            }
            md5.update(HexFormat.of().parseHex(part.etag()));
        }
        return HexFormat.of().formatHex(md5.digest()) + "-" + parts.size();
    }
}
