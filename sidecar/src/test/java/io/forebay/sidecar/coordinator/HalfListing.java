package io.forebay.sidecar.coordinator;

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
import org.jspecify.annotations.Nullable;

/** Its first listings break off after one entry; it may leave out a key. */
final class HalfListing implements Store {
    private final Store store;
    private final int failures;
    private final AtomicInteger calls;
    private @Nullable String leftOut;
    private String why = "";

    HalfListing(Store store, int failures, AtomicInteger calls) {
        this.store = store;
        this.failures = failures;
        this.calls = calls;
    }

    HalfListing leavingOut(String key, String because) {
        leftOut = key;
        why = because;
        return this;
    }

    @Override
    public void list(ListRequest request, EntrySink sink) throws StoreException, InterruptedException {
        boolean fails = calls.incrementAndGet() <= failures;
        if (leftOut != null) {
            sink.leftOut(leftOut, why);
        }
        store.list(request, new EntrySink() {
            @Override
            public void found(Entry entry) throws StoreException, InterruptedException {
                sink.found(entry);
                if (fails) {
                    throw new StoreException(Kind.TRANSIENT, "500 Internal Error");
                }
            }

            @Override
            public void leftOut(String key, String because) {
                sink.leftOut(key, because);
            }
        });
    }

    private static AssertionError unexpected() {
        return new AssertionError("planning only lists");
    }

    @Override
    public Capabilities capabilities() {
        return store.capabilities();
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
