package io.forebay.testing;

import io.forebay.sidecar.store.Capabilities;
import io.forebay.sidecar.store.Entry;
import io.forebay.sidecar.store.ReadReceipt;
import io.forebay.sidecar.store.StageRequest;
import io.forebay.sidecar.store.StagedFile;
import io.forebay.sidecar.store.StagedWrite;
import io.forebay.sidecar.store.Store;
import io.forebay.sidecar.store.Version;
import java.nio.ByteBuffer;
import java.util.List;

/** A store that can only be listed: that is all that planning does. */
public abstract class ListingOnly implements Store {
    private static AssertionError unexpected() {
        return new AssertionError("planning only lists");
    }

    @Override
    public Capabilities capabilities() {
        return new Capabilities(0, false, 1024, false, false);
    }

    @Override
    public Entry stat(String key) {
        throw unexpected();
    }

    @Override
    public ReadReceipt read(Version version, long offset, long length, ByteBuffer scratch, PieceSink sink) {
        throw unexpected();
    }

    @Override
    public void checkUnchanged(Version version) {
        throw unexpected();
    }

    @Override
    public StagedFile.Stub prepare(StageRequest request) {
        throw unexpected();
    }

    @Override
    public StagedWrite open(StagedFile.Stub stub) {
        throw unexpected();
    }

    @Override
    public PublishOutcome publish(StagedFile file, InlineSource inline) {
        throw unexpected();
    }

    @Override
    public void syncFolders(List<String> finalKeys) {
        throw unexpected();
    }

    @Override
    public void discard(StagedFile.Stub stub) {
        throw unexpected();
    }

    @Override
    public boolean createExclusively(String key, byte[] content) {
        throw unexpected();
    }

    @Override
    public void put(String key, byte[] content) {
        throw unexpected();
    }

    @Override
    public byte[] get(String key, int limit) {
        throw unexpected();
    }

    @Override
    public void delete(String key) {
        throw unexpected();
    }

    @Override
    public void close() {}
}
