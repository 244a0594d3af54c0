package io.forebay.sidecar.store.posix;

import io.forebay.sidecar.store.Crc32c;
import io.forebay.sidecar.store.StagedFile;
import io.forebay.sidecar.store.StagedWrite;
import io.forebay.sidecar.store.Store.PieceSource;
import io.forebay.sidecar.store.StoreException;
import java.nio.ByteBuffer;
import java.util.List;

/** A symbolic link or folder on its way: it has no bytes, so it is one empty part, and what there is to make was made when it was opened. */
record StagedName(StagedFile.Stub stub) implements StagedWrite {
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
        return 0;
    }

    @Override
    public long write(int part, PieceSource source, ByteBuffer scratch) {
        return Crc32c.EMPTY;
    }

    @Override
    public StagedFile seal() throws StoreException, InterruptedException {
        return new StagedFile(stub, List.of(), stub.size(), Crc32c.EMPTY);
    }

    @Override
    public void close() {
        // Holds nothing.
    }
}
