package io.forebay.testing;

import io.forebay.sidecar.store.Capabilities;
import io.forebay.sidecar.store.Entry;
import io.forebay.sidecar.store.ListRequest;
import io.forebay.sidecar.store.ReadReceipt;
import io.forebay.sidecar.store.StageRequest;
import io.forebay.sidecar.store.StagedFile;
import io.forebay.sidecar.store.StagedWrite;
import io.forebay.sidecar.store.Store;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.Version;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** A store behind a network: each read has a latency, each connection a bandwidth, and all together share a link. Thread-safe. */
public final class PacedStore implements Store {
    private final Store store;
    private final long latencyNanos;
    private final double connectionBytesPerNano;
    private final double linkBytesPerNano;
    /** When the link is free again. Guarded by this. */
    private long linkFreeAt = System.nanoTime();

    /** @param latencyMillis of each read @param connection bytes per second @param link bytes per second of all connections */
    public PacedStore(Store store, long latencyMillis, double connection, double link) {
        this.store = store;
        this.latencyNanos = latencyMillis * 1_000_000;
        this.connectionBytesPerNano = connection / 1e9;
        this.linkBytesPerNano = link / 1e9;
    }

    @Override
    public ReadReceipt read(Version version, long offset, long length, ByteBuffer scratch, PieceSink sink)
            throws StoreException, InterruptedException {
        long[] free = {System.nanoTime() + latencyNanos};
        waitUntil(free[0]);
        return store.read(version, offset, length, scratch, (at, piece) -> {
            free[0] += (long) (piece.remaining() / connectionBytesPerNano);
            waitUntil(Math.max(free[0], link(piece.remaining())));
            sink.accept(at, piece);
        });
    }

    private synchronized long link(int bytes) {
        linkFreeAt = Math.max(linkFreeAt, System.nanoTime()) + (long) (bytes / linkBytesPerNano);
        return linkFreeAt;
    }

    private static void waitUntil(long nanos) {
        for (long left = nanos - System.nanoTime(); left > 0; left = nanos - System.nanoTime()) {
            LockSupport.parkNanos(left);
            if (Thread.currentThread().isInterrupted()) {
                return; // the store looks at it
            }
        }
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
    public boolean createExclusively(String key, byte[] content) throws StoreException, InterruptedException {
        return store.createExclusively(key, content);
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
