package io.forebay.sidecar.plan;

import io.forebay.sidecar.store.Entry;
import io.forebay.sidecar.store.ListRequest;
import io.forebay.sidecar.store.Store;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.StoreException.Kind;
import io.forebay.testing.ListingOnly;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Its first listings break off after one entry; it may leave out a key. */
final class HalfListing extends ListingOnly {
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
}
