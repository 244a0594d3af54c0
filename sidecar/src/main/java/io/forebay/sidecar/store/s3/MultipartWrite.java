package io.forebay.sidecar.store.s3;

import io.forebay.message.Messages.Part;
import io.forebay.sidecar.store.Crc32c;
import io.forebay.sidecar.store.StagedFile;
import io.forebay.sidecar.store.StagedWrite;
import io.forebay.sidecar.store.Store.PieceSource;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.s3.Control.ListedPart;
import io.forebay.sidecar.store.s3.DataPath.UploadPart;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The parts of one upload. A part that the server already has, from before a crash, is compared with the source and not sent
 * again. Thread-safe.
 */
final class MultipartWrite implements StagedWrite {
    private final StagedFile.Stub stub;
    private final PartPlan plan;
    private final boolean checksummed;
    private final Map<Integer, ListedPart> known;
    private final Sender sender;
    private final S3Errors errors;
    /** Written by whoever sent the part, read by seal. */
    private final AtomicReferenceArray<Done> done;

    /** @param part its crc32c is empty if the server gave no proof: the completed object will be read back */
    private record Done(Part part, long crc32c) {}

    /** @param known parts that the server has, by number from 1 */
    MultipartWrite(
            StagedFile.Stub stub,
            PartPlan plan,
            boolean checksummed,
            Map<Integer, ListedPart> known,
            Sender sender,
            S3Errors errors) {
        this.stub = stub;
        this.plan = plan;
        this.checksummed = checksummed;
        this.known = known;
        this.sender = sender;
        this.errors = errors;
        this.done = new AtomicReferenceArray<>(plan.parts());
    }

    @Override
    public int parts() {
        return plan.parts();
    }

    @Override
    public long offset(int part) {
        return plan.offset(part);
    }

    @Override
    public long length(int part) {
        return plan.length(part);
    }

    @Override
    public long write(int part, PieceSource source, ByteBuffer scratch) throws StoreException, InterruptedException {
        long offset = plan.offset(part);
        long length = plan.length(part);
        int number = part + 1;
        var there = known.get(number);
        if (there != null && there.size() == length) {
            var sums = sums(part, source, scratch, Etags.isMd5(there.etag()));
            if (there.crc32c() == sums.crc32c() || there.etag().equalsIgnoreCase(sums.md5Hex())) {
                return keep(part, there.etag(), length, sums.crc32c(), true);
            }
        }
        var sent = sender.part(
                stub.finalKey(), new UploadPart(stub.handle(), number), checksummed, offset, length, source, scratch);
        return keep(part, sent.etag(), length, sent.crc32c(), sent.proven());
    }

    private Sums.Result sums(int part, PieceSource source, ByteBuffer scratch, boolean md5) throws StoreException {
        try {
            return new Sums(source, plan.offset(part), md5, false).over(plan.length(part), scratch);
        } catch (IOException e) {
            throw errors.local(Operation.WRITE_PART, stub.finalKey(), e);
        }
    }

    private long keep(int part, String etag, long length, long crc, boolean proven) {
        done.set(part, new Done(new Part(part + 1, etag, length, proven ? "%08x".formatted(crc) : ""), crc));
        return crc;
    }

    /** The server made each part durable before it answered; nothing is left to do but to name them. */
    @Override
    public StagedFile seal() {
        var parts = new Part[plan.parts()];
        long crc = Crc32c.EMPTY;
        for (int i = 0; i < parts.length; i++) {
            var d = done.get(i);
            if (d == null) {
                throw new IllegalStateException("part " + i + " of " + stub.finalKey() + " was not written");
            }
            parts[i] = d.part;
            crc = Crc32c.combine(crc, d.crc32c, d.part.size());
        }
        return new StagedFile(stub, List.of(parts), plan.size(), crc);
    }

    @Override
    public void close() {}
}
