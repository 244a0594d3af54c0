package io.forebay.sidecar.store.s3;

import io.forebay.api.name.NameBytes;
import io.forebay.api.value.Bytes;
import io.forebay.sidecar.store.StageRequest;
import io.forebay.sidecar.store.StagedFile.Kind;
import io.forebay.sidecar.store.StagedFile.Stub;
import io.forebay.sidecar.store.StagedWrite;
import io.forebay.sidecar.store.StoreException;
import java.util.Map;
import java.util.OptionalLong;

/** Prepares and opens staged writes. Thread-safe. */
final class Stager {
    /** Amazon S3's limit for a key, in bytes of UTF-8. */
    static final int MAX_KEY_BYTES = 1024;

    private final Control control;
    private final Sender sender;
    private final ServerHabits habits;
    private final KnownUploads uploads;
    private final PartPlan.Sizes sizes;
    private final S3Errors errors;

    Stager(
            Control control,
            Sender sender,
            ServerHabits habits,
            KnownUploads uploads,
            PartPlan.Sizes sizes,
            S3Errors errors) {
        this.control = control;
        this.sender = sender;
        this.habits = habits;
        this.uploads = uploads;
        this.sizes = sizes;
        this.errors = errors;
    }

    /** Only uploads are made at the server. */
    boolean prepareAsks(StageRequest request) {
        return request.size() >= sizes.inlineBelow();
    }

    Stub prepare(StageRequest request) throws StoreException, InterruptedException {
        var key = request.finalKey();
        requireKey(key);
        requireLink(request);
        if (request.meta().linkTarget() != null) {
            return stub(Kind.LINK, "", request);
        }
        if (key.endsWith("/")) {
            if (request.size() > 0) {
                throw bad(key, "a key that ends in '/' names a folder, and cannot have " + request.size() + " bytes");
            }
            return stub(Kind.FOLDER, "", request);
        }
        if (request.size() < sizes.inlineBelow()) {
            return stub(Kind.INLINE, "", request);
        }
        if (request.size() > PartPlan.MAX_OBJECT) {
            throw errors.found(
                    StoreException.Kind.TOO_LARGE,
                    Operation.CREATE_UPLOAD,
                    key,
                    "it has " + Bytes.of(request.size()).human() + ", an object at most "
                            + Bytes.of(PartPlan.MAX_OBJECT).human() + "; write it in pieces, or to a file system");
        }
        if (request.again()) {
            sweep(key);
        }
        var upload = create(request);
        uploads.created(upload);
        return stub(Kind.UPLOAD, upload.id(), request);
    }

    private static Stub stub(Kind kind, String handle, StageRequest request) {
        boolean bytes = kind == Kind.INLINE || kind == Kind.UPLOAD;
        return new Stub(
                kind,
                request.finalKey(),
                request.root(),
                handle,
                request.size(),
                request.meta(),
                request.readBack() && bytes);
    }

    /**
     * S3 chooses the id of an upload, so it is open before a record can name it: a process that is killed in between leaves it. The next
     * attempt at the same key finds it there, without parts: one that has parts is on record, or another's, and stays. One that cannot be
     * removed is untidy, never wrong.
     */
    private void sweep(String key) throws InterruptedException {
        try {
            for (var id : control.uploadsOf(key)) {
                if (!uploads.has(id)
                        && control.listParts(key, id, false).parts().isEmpty()) {
                    control.abort(key, id);
                }
            }
        } catch (StoreException e) {
            // Not allowed, or not to be had now: the upload that follows matters more.
            return;
        }
    }

    /** An upload whose creation is answered by nobody stays there without a name: S3 tells an id in the answer only. */
    private Control.Upload create(StageRequest request) throws StoreException, InterruptedException {
        var headers = ObjectMeta.headers(request.meta(), OptionalLong.empty());
        var proof = habits.proof();
        boolean ask = !habits.refusesChecksums()
                && (proof == ServerHabits.Proof.UNKNOWN || proof == ServerHabits.Proof.CRC32C);
        try {
            return control.createUpload(request.finalKey(), headers, ask);
        } catch (StoreException e) {
            if (!ask || !ServerHabits.mayBeHeader(e)) {
                throw e;
            }
            var upload = control.createUpload(request.finalKey(), headers, false);
            habits.learnRefusesChecksums();
            return upload;
        }
    }

    private void requireKey(String key) throws StoreException {
        if (!NameBytes.isUtf8(key)) {
            throw bad(key, "the name is not UTF-8, which S3 keys must be; rename the file");
        }
        int bytes = NameBytes.encode(key).length;
        if (bytes == 0 || bytes > MAX_KEY_BYTES) {
            throw bad(key, "the key has " + bytes + " bytes; S3 takes 1 to " + MAX_KEY_BYTES);
        }
        for (var component : key.split("/", -1)) {
            if (component.equals(".") || component.equals("..")) {
                throw bad(
                        key,
                        "the key has the component '" + component + "', which servers and clients resolve differently");
            }
        }
    }

    private void requireLink(StageRequest request) throws StoreException {
        var target = request.meta().linkTarget();
        if (target != null && ObjectMeta.linkLength(target) > ObjectMeta.MAX_LINK) {
            throw bad(
                    request.finalKey(),
                    "the target of the symbolic link takes " + ObjectMeta.linkLength(target)
                            + " bytes of metadata; S3 takes " + ObjectMeta.MAX_LINK);
        }
    }

    private StoreException bad(String key, String why) {
        return errors.found(StoreException.Kind.BAD_NAME, Operation.WRITE, key, why);
    }

    /** @throws StoreException NOT_FOUND the upload is gone */
    StagedWrite open(Stub stub) throws StoreException, InterruptedException {
        return switch (stub.kind()) {
            case INLINE, LINK, FOLDER -> new SummedWrite(stub, errors);
            case UPLOAD -> openUpload(stub);
            case TEMP -> throw new IllegalArgumentException("a temporary file is no way into S3: " + stub);
        };
    }

    private StagedWrite openUpload(Stub stub) throws StoreException, InterruptedException {
        var plan = PartPlan.of(stub.size(), sizes);
        if (uploads.takeFresh(stub.handle())) {
            return new MultipartWrite(
                    stub, plan, uploads.checksummed(stub.handle()).orElse(false), Map.of(), sender, errors);
        }
        var listed = control.listParts(stub.finalKey(), stub.handle(), true);
        uploads.seen(stub.handle(), listed.checksummed());
        return new MultipartWrite(stub, plan, listed.checksummed(), listed.parts(), sender, errors);
    }

    void discard(Stub stub) throws StoreException, InterruptedException {
        if (stub.kind() == Kind.UPLOAD) {
            control.abort(stub.finalKey(), stub.handle());
            uploads.forget(stub.handle());
        }
    }
}
