package io.forebay.sidecar.store.s3;

import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.s3.http.Headers;
import java.util.ArrayList;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.s3.model.ChecksumMode;
import software.amazon.awssdk.services.s3.model.HeadObjectRequest;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Request;
import software.amazon.awssdk.services.s3.model.S3Object;

/** Listings and heads through the AWS SDK: the plain way, against which the leaner one is tested. Thread-safe. */
final class SdkLookups implements Lookups {
    private final SdkCalls calls;
    private final String bucket;
    private final S3Errors errors;

    /** @param calls stay the caller's */
    SdkLookups(SdkCalls calls, String bucket, S3Errors errors) {
        this.calls = calls;
        this.bucket = bucket;
        this.errors = errors;
    }

    @Override
    public Page page(PageRequest request) throws StoreException, InterruptedException {
        var question = ListObjectsV2Request.builder()
                .bucket(bucket)
                .prefix(request.prefix())
                .continuationToken(request.token());
        if (request.most() > 0) {
            question.maxKeys(request.most());
        }
        var answer = calls.call(Operation.LIST, request.prefix(), s3 -> s3.listObjectsV2(question.build()));
        // To the SDK any document is a listing.
        if (answer.isTruncated() == null) {
            throw errors.found(
                    StoreException.Kind.TRANSIENT,
                    Operation.LIST,
                    request.prefix(),
                    "the answer is a success, but no document of S3's: it has no IsTruncated");
        }
        var objects = new ArrayList<Listed>(answer.contents().size());
        answer.contents().forEach(o -> objects.add(listed(o)));
        var token = answer.nextContinuationToken();
        return new Page(objects, answer.isTruncated(), token == null ? "" : token);
    }

    private static Listed listed(S3Object object) {
        long modified =
                object.lastModified() == null ? -1 : object.lastModified().getEpochSecond() * 1000;
        var etag = object.eTag() == null ? "" : Headers.unquoted(object.eTag());
        return new Listed(object.key(), object.size(), etag, modified);
    }

    @Override
    public Headers head(String key, @Nullable String ifMatch, @Nullable String versionId, boolean askChecksum)
            throws StoreException, InterruptedException {
        var request = HeadObjectRequest.builder().bucket(bucket).key(key).versionId(versionId);
        if (ifMatch != null) {
            request.ifMatch("\"" + ifMatch + "\"");
        }
        if (askChecksum) {
            request.checksumMode(ChecksumMode.ENABLED);
        }
        return calls.call(
                Operation.STAT,
                key,
                s3 -> Headers.of(
                        s3.headObject(request.build()).sdkHttpResponse().headers()));
    }
}
