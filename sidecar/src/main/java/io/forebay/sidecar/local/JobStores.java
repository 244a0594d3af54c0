package io.forebay.sidecar.local;

import io.forebay.api.job.Job.StoreAccess;
import io.forebay.sidecar.store.Stores;
import io.forebay.sidecar.transfer.ChunkPool;
import io.forebay.sidecar.transfer.TransferConfig;
import io.forebay.sidecar.transfer.TransferCounters;
import io.forebay.sidecar.transfer.TransferEngine;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Consumer;

/** Stores and transfer engine of one command, opened and closed together. */
public final class JobStores implements AutoCloseable {
    /** All transfers together (DESIGN 1.5: a bounded guest). */
    private static final long CHUNKS = 64L << 20;

    private final TransferCounters counters = new TransferCounters(InstantSource.system());
    private final ChunkPool pool = new ChunkPool(CHUNKS);
    private final TransferEngine engine = new TransferEngine(pool, TransferConfig.DEFAULT, counters);
    private final Stores stores;

    /** @param accesses {@code spec.stores}; empty: defaults */
    public JobStores(List<StoreAccess> accesses) {
        stores = new Stores(accesses, new StoreOpener(engine));
    }

    public Stores stores() {
        return stores;
    }

    public TransferEngine engine() {
        return engine;
    }

    public TransferCounters counters() {
        return counters;
    }

    /** @param lines hears when a store begins to fail and when it goes on */
    public void telling(Consumer<String> lines) {
        counters.telling(lines);
    }

    @Override
    public void close() {
        stores.close();
        engine.close();
        pool.close();
    }
}
