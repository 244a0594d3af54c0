package io.forebay.sidecar.store.s3;

import io.forebay.sidecar.store.StagedFile;
import io.forebay.sidecar.store.StagedWrite;
import io.forebay.sidecar.store.Store.PieceSource;
import io.forebay.sidecar.store.StoreException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/** What is sent only at its commit (small files, links, folders): staging it is to know its checksum. Thread-safe. */
final class SummedWrite implements StagedWrite {
    private final StagedFile.Stub stub;
    private final S3Errors errors;
    private volatile long crc32c = -1;

    SummedWrite(StagedFile.Stub stub, S3Errors errors) {
        this.stub = stub;
        this.errors = errors;
    }

    @Override
    public int parts() {
        return 1;
    }

    @Override
    public long offset(int part) {
        return 0;
    }

    @Override
    public long length(int part) {
        return stub.size();
    }

    @Override
    public long write(int part, PieceSource source, ByteBuffer scratch) throws StoreException {
        try {
            crc32c =
                    new Sums(source, 0, false, false).over(stub.size(), scratch).crc32c();
            return crc32c;
        } catch (IOException e) {
            throw errors.local(Operation.WRITE, stub.finalKey(), e);
        }
    }

    @Override
    public StagedFile seal() {
        if (crc32c == -1 && stub.size() > 0) {
            throw new IllegalStateException(stub.finalKey() + " was not written");
        }
        return new StagedFile(stub, List.of(), stub.size(), Math.max(0, crc32c));
    }

    @Override
    public void close() {}
}
