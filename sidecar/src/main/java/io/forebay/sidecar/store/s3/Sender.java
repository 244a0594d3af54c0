package io.forebay.sidecar.store.s3;

import io.forebay.sidecar.store.Store.PieceSource;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.StoreException.Kind;
import io.forebay.sidecar.store.s3.DataPath.Put;
import io.forebay.sidecar.store.s3.DataPath.UploadPart;
import io.forebay.sidecar.store.s3.ServerHabits.Proof;
import io.forebay.sidecar.store.s3.http.Headers;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Sends bytes and gets proof that the server received these. Thread-safe.
 *
 * <pre>
 * 1 sums of the source, where they must be in the header  2 PUT  3 the first proof that holds:
 *   x-amz-checksum-crc32c returned | ETag = MD5 | SHA-256 signed, by a server that was seen to refuse a wrong one | none: read back
 * </pre>
 *
 * Objects, which are visible at once, carry Content-MD5 besides, so that a server that knows it refuses wrong bytes.
 */
final class Sender {
    private static final long ANY = -1;
    private static final String CRC_HEADER = "x-amz-checksum-crc32c";

    private final DataPath data;
    private final ServerHabits habits;
    private final S3Errors errors;

    Sender(DataPath data, ServerHabits habits, S3Errors errors) {
        this.data = data;
        this.habits = habits;
        this.errors = errors;
    }

    /** @param proven false: the caller must read back what was written */
    record Sent(String etag, long crc32c, boolean proven) {}

    /**
     * Which bytes go where.
     *
     * @param checksummed whether x-amz-checksum-crc32c may be sent with it
     * @param expected CRC32C that the bytes must have; -1: any
     */
    private record Job(
            String key,
            @Nullable UploadPart upload,
            Map<String, String> headers,
            boolean checksummed,
            long offset,
            long length,
            long expected,
            PieceSource source,
            ByteBuffer scratch) {
        Operation operation() {
            return upload == null ? Operation.WRITE : Operation.WRITE_PART;
        }

        boolean visible() {
            return upload == null;
        }
    }

    /** Which sums a request carries or is compared with. */
    private record Means(boolean crc, boolean md5, boolean sha256) {}

    /**
     * A whole object from offset 0.
     *
     * @param crc32c that the source must have
     * @return null: the source has other bytes; nothing was sent
     * @throws StoreException CHANGED to If-None-Match
     */
    @Nullable
    Sent object(
            String key, Map<String, String> headers, long length, long crc32c, PieceSource source, ByteBuffer scratch)
            throws StoreException, InterruptedException {
        return send(new Job(key, null, headers, true, 0, length, crc32c, source, scratch));
    }

    /** @param checksummed the upload was created for CRC32C */
    Sent part(
            String key,
            UploadPart upload,
            boolean checksummed,
            long offset,
            long length,
            PieceSource source,
            ByteBuffer scratch)
            throws StoreException, InterruptedException {
        var job = new Job(key, upload, Map.of(), checksummed, offset, length, ANY, source, scratch);
        var sent = Objects.requireNonNull(send(job));
        if (!sent.proven && !habits.shaProbed() && refusesWrongSha(job, upload)) {
            return Objects.requireNonNull(send(job));
        }
        return sent;
    }

    private @Nullable Sent send(Job job) throws StoreException, InterruptedException {
        var means = means(job);
        while (true) {
            try {
                return sendBy(means, job);
            } catch (StoreException e) {
                if (!ServerHabits.mayBeHeader(e)) {
                    throw e;
                }
                var humbler = humbler(means);
                if (humbler == null) {
                    throw e;
                }
                means = humbler;
            }
        }
    }

    private Means means(Job job) {
        var proof = habits.proof();
        boolean crc =
                job.checksummed && !habits.refusesChecksums() && (proof == Proof.UNKNOWN || proof == Proof.CRC32C);
        boolean sha = habits.refusesUnsigned() || proof == Proof.SHA256 || proof == Proof.READ_BACK;
        return new Means(crc, !(crc && proof == Proof.CRC32C) && proof != Proof.SHA256, sha);
    }

    /** What to try after a refusal that may be due to a header; null: nothing is left to leave out. */
    private @Nullable Means humbler(Means refused) {
        if (refused.crc && habits.proof() == Proof.UNKNOWN) {
            return new Means(false, true, refused.sha256);
        }
        if (!refused.sha256 && habits.proof() == Proof.UNKNOWN) {
            return new Means(false, true, true);
        }
        return null;
    }

    private @Nullable Sent sendBy(Means means, Job job) throws StoreException, InterruptedException {
        var headers = new HashMap<>(job.headers);
        var sums = new Sums(job.source, job.offset, means.md5, means.sha256);
        Sums.Result before = null;
        if (means.crc || means.sha256 || job.visible()) {
            try {
                before = sums.over(job.length, job.scratch);
            } catch (IOException e) {
                throw errors.local(job.operation(), job.key, e);
            }
            if (job.expected != ANY && before.crc32c() != job.expected) {
                return null;
            }
            if (means.crc) {
                headers.put(CRC_HEADER, Sums.crcBase64(before.crc32c()));
            }
            var md5 = before.md5Base64();
            if (job.visible() && md5 != null) {
                headers.put("content-md5", md5);
            }
        }
        var sending = before == null ? sums : new Sums(job.source, job.offset, false, false);
        var put =
                new Put(job.key, job.upload, headers, job.offset, job.length, before == null ? null : before.sha256());
        var answer = data.put(put, sending, job.scratch);
        var sent = sending.result();
        if (before != null && before.crc32c() != sent.crc32c()) {
            throw errors.found(Kind.TRANSIENT, job.operation(), job.key, "the source changed while it was sent");
        }
        learnFromSuccess(means, job);
        return new Sent(answer.etag(), sent.crc32c(), proven(means, job, before == null ? sent : before, answer));
    }

    /** What was left out although nothing was known against it had been refused. */
    private void learnFromSuccess(Means means, Job job) {
        if (!means.crc && job.checksummed && habits.proof() == Proof.UNKNOWN) {
            habits.learnRefusesChecksums();
        }
        if (means.sha256 && habits.proof() == Proof.UNKNOWN) {
            habits.learnRefusesUnsigned();
        }
    }

    private boolean proven(Means means, Job job, Sums.Result sums, Headers answer) throws StoreException {
        long told = Sums.crcOf(answer.get(CRC_HEADER));
        if (told != -1 && told != sums.crc32c()) {
            throw errors.found(
                    Kind.CORRUPT,
                    job.operation(),
                    job.key,
                    "the server received other bytes: CRC32C %08x, sent %08x".formatted(told, sums.crc32c()));
        }
        if (told != -1) {
            learn(means.crc ? Proof.CRC32C : Proof.UNKNOWN);
            return true;
        }
        if (provenByMd5(job, sums, answer)) {
            learn(Proof.MD5_ETAG);
            return true;
        }
        if (means.sha256 && habits.proof() == Proof.SHA256) {
            return true;
        }
        if (job.visible()) {
            learn(Proof.READ_BACK);
        }
        return false;
    }

    private void learn(Proof found) {
        if (habits.proof() == Proof.UNKNOWN) {
            habits.learn(found);
        }
    }

    private boolean provenByMd5(Job job, Sums.Result sums, Headers answer) throws StoreException {
        var md5 = sums.md5Hex();
        if (md5 == null || !Etags.mayBeMd5(answer)) {
            return false;
        }
        if (answer.etag().equalsIgnoreCase(md5)) {
            return true;
        }
        if (habits.proof() == Proof.READ_BACK || habits.proof() == Proof.SHA256 || habits.doubtMd5()) {
            return false;
        }
        throw errors.found(
                Kind.CORRUPT,
                job.operation(),
                job.key,
                "the server received other bytes: its ETag is " + answer.etag() + ", the MD5 of what was sent " + md5);
    }

    /**
     * Whether the server compares signed sums: sends one byte with the sum of another under a part number that the upload does
     * not use, so that nothing of it can ever be seen.
     */
    private boolean refusesWrongSha(Job job, UploadPart upload) throws InterruptedException {
        if (upload.number() == PartPlan.MAX_PARTS) {
            return false;
        }
        habits.learnShaProbed();
        var wrong = "0".repeat(64);
        var put = new Put(job.key, new UploadPart(upload.uploadId(), PartPlan.MAX_PARTS), Map.of(), 0, 1, wrong);
        try {
            data.put(put, (offset, dst) -> dst.put((byte) 0), job.scratch);
            habits.learn(Proof.READ_BACK);
            return false;
        } catch (StoreException e) {
            int status = RefusedException.status(e);
            boolean compared = e.kind() == Kind.CORRUPT
                    || status == 400
                    || (status == 403 && !RefusedException.code(e).isEmpty());
            habits.learn(compared ? Proof.SHA256 : Proof.READ_BACK);
            return compared;
        }
    }
}
