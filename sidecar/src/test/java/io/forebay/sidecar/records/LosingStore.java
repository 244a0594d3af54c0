package io.forebay.sidecar.records;

import io.forebay.sidecar.store.Capabilities;
import io.forebay.sidecar.store.Entry;
import io.forebay.sidecar.store.ListRequest;
import io.forebay.sidecar.store.ReadReceipt;
import io.forebay.sidecar.store.StageRequest;
import io.forebay.sidecar.store.StagedFile;
import io.forebay.sidecar.store.StagedWrite;
import io.forebay.sidecar.store.Store;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.StoreException.Kind;
import io.forebay.sidecar.store.Version;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Creates claims, and loses the answer the first time. */
final class LosingStore implements Store {
    private final Store store;
    private final AtomicInteger lost;

    LosingStore(Store store, AtomicInteger lost) {
        this.store = store;
        this.lost = lost;
    }

    @Override
    public boolean createExclusively(String key, byte[] content) throws StoreException, InterruptedException {
        boolean created = store.createExclusively(key, content);
        if (key.contains("generation") && lost.getAndIncrement() == 0) {
            throw new StoreException(Kind.TRANSIENT, "connection reset");
        }
        return created;
    }

    @Override
    public Capabilities capabilities() {
        return store.capabilities();
    }

    @Override
    public void list(ListRequest request, EntrySink sink) throws StoreException, InterruptedException {
        store.list(request, sink);
    }

    @Override
    public Entry stat(String key) throws StoreException, InterruptedException {
        return store.stat(key);
    }

    @Override
    public ReadReceipt read(Version version, long offset, long length, ByteBuffer scratch, PieceSink sink)
            throws StoreException, InterruptedException {
        return store.read(version, offset, length, scratch, sink);
    }

    @Override
    public void checkUnchanged(Version version) throws StoreException, InterruptedException {
        store.checkUnchanged(version);
    }

    @Override
    public StagedFile.Stub prepare(StageRequest request) throws StoreException, InterruptedException {
        return store.prepare(request);
    }

    @Override
    public StagedWrite open(StagedFile.Stub stub) throws StoreException, InterruptedException {
        return store.open(stub);
    }

    @Override
    public PublishOutcome publish(StagedFile file, InlineSource inline) throws StoreException, InterruptedException {
        return store.publish(file, inline);
    }

    @Override
    public void syncFolders(List<String> finalKeys) throws StoreException, InterruptedException {
        store.syncFolders(finalKeys);
    }

    @Override
    public void discard(StagedFile.Stub stub) throws StoreException, InterruptedException {
        store.discard(stub);
    }

    @Override
    public void put(String key, byte[] content) throws StoreException, InterruptedException {
        store.put(key, content);
    }

    @Override
    public byte[] get(String key, int limit) throws StoreException, InterruptedException {
        return store.get(key, limit);
    }

    @Override
    public void delete(String key) throws StoreException, InterruptedException {
        store.delete(key);
    }

    @Override
    public void close() {
        store.close();
    }
}
