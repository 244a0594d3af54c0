package io.forebay.sidecar.store.s3;

import io.forebay.message.Messages.Part;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.s3.http.Headers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.s3.model.AbortMultipartUploadRequest;
import software.amazon.awssdk.services.s3.model.ChecksumAlgorithm;
import software.amazon.awssdk.services.s3.model.ChecksumType;
import software.amazon.awssdk.services.s3.model.CompleteMultipartUploadRequest;
import software.amazon.awssdk.services.s3.model.CompletedMultipartUpload;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.CreateMultipartUploadRequest;
import software.amazon.awssdk.services.s3.model.DeleteObjectRequest;
import software.amazon.awssdk.services.s3.model.ListMultipartUploadsRequest;
import software.amazon.awssdk.services.s3.model.ListPartsRequest;

/** The operations that change what is there, but for bytes, through the AWS SDK, each sent once, faults classified. Thread-safe. */
final class Control {
    private final SdkCalls calls;
    /** Wait longer for their answers. */
    private final SdkCalls patient;

    private final String bucket;
    private final S3Errors errors;

    /** @param calls and {@code patient}: stay the caller's */
    Control(SdkCalls calls, SdkCalls patient, String bucket, S3Errors errors) {
        this.calls = calls;
        this.patient = patient;
        this.bucket = bucket;
        this.errors = errors;
    }

    /** Every such answer has this element; one without it is no answer of S3's. */
    private void require(boolean there, Operation operation, String key, String element) throws StoreException {
        if (!there) {
            throw errors.found(
                    StoreException.Kind.TRANSIENT,
                    operation,
                    key,
                    "the answer is a success, but no document of S3's: it has no " + element);
        }
    }

    /** @param checksummed the server will keep the CRC32C of each part */
    record Upload(String id, boolean checksummed) {}

    /** @param headers user metadata, names with their prefix */
    Upload createUpload(String key, Map<String, String> headers, boolean askChecksum)
            throws StoreException, InterruptedException {
        var metadata = new HashMap<String, String>();
        headers.forEach((name, value) -> metadata.put(name.substring(ObjectMeta.PREFIX.length()), value));
        var request =
                CreateMultipartUploadRequest.builder().bucket(bucket).key(key).metadata(metadata);
        if (askChecksum) {
            request.checksumAlgorithm(ChecksumAlgorithm.CRC32_C).checksumType(ChecksumType.FULL_OBJECT);
        }
        var answer = calls.call(Operation.CREATE_UPLOAD, key, s3 -> s3.createMultipartUpload(request.build()));
        require(answer.uploadId() != null && !answer.uploadId().isEmpty(), Operation.CREATE_UPLOAD, key, "UploadId");
        return new Upload(answer.uploadId(), askChecksum && answer.checksumAlgorithm() == ChecksumAlgorithm.CRC32_C);
    }

    /** @return ids of the open uploads of exactly this key */
    List<String> uploadsOf(String key) throws StoreException, InterruptedException {
        var ids = new ArrayList<String>();
        String keyMarker = null;
        String idMarker = null;
        while (true) {
            var request = ListMultipartUploadsRequest.builder()
                    .bucket(bucket)
                    .prefix(key)
                    .keyMarker(keyMarker)
                    .uploadIdMarker(idMarker)
                    .build();
            var page = calls.call(Operation.LIST_UPLOADS, key, s3 -> s3.listMultipartUploads(request));
            require(page.isTruncated() != null, Operation.LIST_UPLOADS, key, "IsTruncated");
            boolean beyond = false;
            for (var upload : page.uploads()) {
                if (key.equals(upload.key())) {
                    ids.add(upload.uploadId());
                } else {
                    beyond = true; // in the order of keys, and this one is the first of its prefix
                }
            }
            boolean same = Objects.equals(keyMarker, page.nextKeyMarker())
                    && Objects.equals(idMarker, page.nextUploadIdMarker());
            if (beyond || same || !Boolean.TRUE.equals(page.isTruncated())) {
                return ids;
            }
            keyMarker = page.nextKeyMarker();
            idMarker = page.nextUploadIdMarker();
        }
    }

    /** What the server has of an upload. @param parts by number from 1 */
    record Listed(boolean checksummed, Map<Integer, ListedPart> parts) {}

    /** @param crc32c -1: not told */
    record ListedPart(String etag, long size, long crc32c) {}

    /** @param all false: only whether it exists and how it was created @throws StoreException NOT_FOUND */
    Listed listParts(String key, String uploadId, boolean all) throws StoreException, InterruptedException {
        var parts = new HashMap<Integer, ListedPart>();
        boolean checksummed = false;
        Integer marker = null;
        while (true) {
            var request = ListPartsRequest.builder()
                    .bucket(bucket)
                    .key(key)
                    .uploadId(uploadId)
                    .maxParts(all ? 1000 : 1)
                    .partNumberMarker(marker)
                    .build();
            var page = calls.call(Operation.LIST_PARTS, key, s3 -> s3.listParts(request));
            require(page.isTruncated() != null, Operation.LIST_PARTS, key, "IsTruncated");
            checksummed |= page.checksumAlgorithm() == ChecksumAlgorithm.CRC32_C;
            for (var part : page.parts()) {
                parts.put(
                        part.partNumber(),
                        new ListedPart(Headers.unquoted(part.eTag()), part.size(), Sums.crcOf(part.checksumCRC32C())));
            }
            var next = page.nextPartNumberMarker();
            if (!all
                    || !Boolean.TRUE.equals(page.isTruncated())
                    || next == null
                    || (marker != null && next <= marker)) {
                return new Listed(checksummed, Map.copyOf(parts));
            }
            marker = next;
        }
    }

    /** @return CRC32C of the whole object as the server has it now; -1: not told */
    long complete(String key, String uploadId, List<Part> parts, boolean checksummed)
            throws StoreException, InterruptedException {
        var completed = new ArrayList<CompletedPart>(parts.size());
        for (var part : parts) {
            var p = CompletedPart.builder().partNumber(part.number()).eTag("\"" + part.etag() + "\"");
            if (checksummed && !part.crc32c().isEmpty()) {
                p.checksumCRC32C(Sums.crcBase64(Long.parseLong(part.crc32c(), 16)));
            }
            completed.add(p.build());
        }
        var request = CompleteMultipartUploadRequest.builder()
                .bucket(bucket)
                .key(key)
                .uploadId(uploadId)
                .multipartUpload(
                        CompletedMultipartUpload.builder().parts(completed).build())
                .build();
        var answer = patient.call(Operation.COMPLETE, key, s3 -> s3.completeMultipartUpload(request));
        require(answer.eTag() != null, Operation.COMPLETE, key, "ETag");
        return answer.checksumType() == ChecksumType.FULL_OBJECT ? Sums.crcOf(answer.checksumCRC32C()) : -1;
    }

    /** An upload that is gone is no error. */
    void abort(String key, String uploadId) throws StoreException, InterruptedException {
        var request = AbortMultipartUploadRequest.builder()
                .bucket(bucket)
                .key(key)
                .uploadId(uploadId)
                .build();
        try {
            calls.call(Operation.ABORT, key, s3 -> s3.abortMultipartUpload(request));
        } catch (StoreException e) {
            if (e.kind() != StoreException.Kind.NOT_FOUND || e.wholeStore()) {
                throw e;
            }
        }
    }

    /** An object that is gone is no error. @param ifMatch ETag without quotes; absent: any */
    void delete(String key, @Nullable String ifMatch) throws StoreException, InterruptedException {
        var request = DeleteObjectRequest.builder().bucket(bucket).key(key);
        if (ifMatch != null) {
            request.ifMatch("\"" + ifMatch + "\"");
        }
        try {
            calls.call(Operation.DELETE, key, s3 -> s3.deleteObject(request.build()));
        } catch (StoreException e) {
            if (e.kind() != StoreException.Kind.NOT_FOUND || e.wholeStore()) {
                throw e;
            }
        }
    }
}
