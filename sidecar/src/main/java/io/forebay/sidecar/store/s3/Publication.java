package io.forebay.sidecar.store.s3;

import io.forebay.sidecar.store.StagedFile;
import io.forebay.sidecar.store.Store.InlineSource;
import io.forebay.sidecar.store.Store.PieceSource;
import io.forebay.sidecar.store.Store.PublishOutcome;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.StoreException.Kind;
import io.forebay.sidecar.store.s3.http.Headers;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Makes staged files visible; may be repeated by anyone. Thread-safe.
 *
 * <pre>
 * UPLOAD   complete; upload gone: the final object decides    INLINE  PUT; bytes gone: the final object decides
 * The final object is the staged one if its size is equal and, the first that can be compared: CRC32C that the server keeps,
 * CRC32C in our metadata, ETag by S3's rule from the parts' ETags; else it is read and its CRC32C computed. A file that is to be read
 * back is always read.
 * </pre>
 */
final class Publication {
    /** For what is not the caller's buffer: INLINE bytes and reading back. */
    static final int PIECE = 64 * 1024;

    private final Control control;
    private final Sender sender;
    private final ReadBack readBack;
    private final ServerHabits habits;
    private final KnownUploads uploads;
    private final S3Errors errors;

    Publication(
            Control control,
            Sender sender,
            ReadBack readBack,
            ServerHabits habits,
            KnownUploads uploads,
            S3Errors errors) {
        this.control = control;
        this.sender = sender;
        this.readBack = readBack;
        this.habits = habits;
        this.uploads = uploads;
        this.errors = errors;
    }

    PublishOutcome publish(StagedFile file, InlineSource inline) throws StoreException, InterruptedException {
        return switch (file.stub().kind()) {
            case UPLOAD -> completed(file);
            case INLINE ->
                switch (inline) {
                    case InlineSource.Present present -> put(file, present.source());
                    case InlineSource.Absent absent -> settled(file);
                };
            // All there is of them is in the stub.
            case LINK, FOLDER -> put(file, (offset, dst) -> {});
            case TEMP -> throw new IllegalArgumentException("a temporary file is not published in S3: " + file.stub());
        };
    }

    private PublishOutcome put(StagedFile file, PieceSource source) throws StoreException, InterruptedException {
        var key = file.stub().finalKey();
        var scratch = ByteBuffer.allocate((int) Math.clamp(file.size(), 1, PIECE));
        var headers = ObjectMeta.headers(file.stub().meta(), OptionalLong.of(file.crc32c()));
        // The buffer's bytes may have rotted, or been written to, since their checksum went into the intent.
        return write(key, headers, file.size(), file.crc32c(), file.stub().readBack(), source, scratch)
                ? PublishOutcome.PUBLISHED
                : PublishOutcome.LOST;
    }

    /**
     * Writes one object and makes sure that it is there as it was sent.
     *
     * @param mustReadBack even if the server proved what it received
     * @return false: the source has not that CRC32C; nothing was sent
     */
    boolean write(
            String key,
            Map<String, String> headers,
            long size,
            long crc32c,
            boolean mustReadBack,
            PieceSource source,
            ByteBuffer scratch)
            throws StoreException, InterruptedException {
        var sent = sender.object(key, headers, size, crc32c, source, scratch);
        if (sent == null) {
            return false;
        }
        if ((mustReadBack || !sent.proven()) && readBack.crc32c(key, sent.etag(), size) != crc32c) {
            throw errors.found(
                    Kind.CORRUPT, Operation.WRITE, key, "read back, the object has other bytes than were sent");
        }
        return true;
    }

    private PublishOutcome completed(StagedFile file) throws StoreException, InterruptedException {
        var key = file.stub().finalKey();
        var id = file.stub().handle();
        try {
            var known = uploads.checksummed(id);
            boolean checksummed = known.isPresent()
                    ? known.get()
                    : control.listParts(key, id, false).checksummed();
            long told = control.complete(key, id, file.parts(), checksummed);
            uploads.forget(id);
            if (told != -1 && told != file.crc32c()) {
                return withdrawn(file, "the completed object has CRC32C %08x".formatted(told));
            }
        } catch (StoreException e) {
            if (RefusedException.code(e).equals("InvalidPart")) {
                return PublishOutcome.LOST;
            }
            if (e.kind() != Kind.NOT_FOUND || e.wholeStore()) {
                throw e;
            }
            return settled(file);
        }
        boolean proven = file.parts().stream().noneMatch(p -> p.crc32c().isEmpty());
        if ((file.stub().readBack() || !proven) && readBack.crc32c(key, "", file.size()) != file.crc32c()) {
            return withdrawn(file, "it has other bytes");
        }
        return PublishOutcome.PUBLISHED;
    }

    /** What was completed is not what was staged: takes it away again, as long as it is that object. */
    private PublishOutcome withdrawn(StagedFile file, String why) throws StoreException, InterruptedException {
        var key = file.stub().finalKey();
        var now = readBack.head(key, null, null);
        if (now.etag().isEmpty()) {
            throw errors.found(Kind.CORRUPT, Operation.COMPLETE, key, why + ", and it names no ETag to delete it by");
        }
        control.delete(key, now.etag());
        return PublishOutcome.LOST;
    }

    /** There is nothing left to publish: either it was published, or it is lost. */
    private PublishOutcome settled(StagedFile file) throws StoreException, InterruptedException {
        Headers now;
        try {
            now = readBack.headWithChecksum(file.stub().finalKey(), null);
        } catch (StoreException e) {
            if (e.kind() == Kind.NOT_FOUND && !e.wholeStore()) {
                return PublishOutcome.LOST;
            }
            throw e;
        }
        return now.number("content-length") == file.size() && sameBytes(file, now)
                ? PublishOutcome.PUBLISHED
                : PublishOutcome.LOST;
    }

    private boolean sameBytes(StagedFile file, Headers now) throws StoreException, InterruptedException {
        if (file.stub().readBack()) {
            return readBack.crc32c(file.stub().finalKey(), now.etag(), file.size()) == file.crc32c();
        }
        long kept = ReadBack.wholeCrc32c(now);
        long noted = ObjectMeta.crc32c(now);
        if (kept != -1 || noted != -1) {
            return (kept != -1 ? kept : noted) == file.crc32c();
        }
        var etag = Etags.ofUpload(file.parts());
        if (etag != null && !file.parts().isEmpty() && etag.equalsIgnoreCase(now.etag())) {
            return true;
        }
        return readBack.crc32c(file.stub().finalKey(), now.etag(), file.size()) == file.crc32c();
    }
}
