package io.forebay.sidecar.local;

import io.forebay.api.job.Job.StoreAccess;
import io.forebay.api.value.StoreUri;
import io.forebay.sidecar.store.Store;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.Stores;
import io.forebay.sidecar.store.posix.PosixStore;
import io.forebay.sidecar.store.s3.Environment;
import io.forebay.sidecar.store.s3.S3Store;
import io.forebay.sidecar.transfer.StoreLimits;
import io.forebay.sidecar.transfer.TransferEngine;
import java.util.Optional;

/** Opens the stores that a job names, and tells the transfer engine what it may ask of each. */
final class StoreOpener implements Stores.Factory {
    private final TransferEngine engine;

    StoreOpener(TransferEngine engine) {
        this.engine = engine;
    }

    @Override
    public Store open(StoreUri root, Optional<StoreAccess> access) throws StoreException {
        var store = switch (root.scheme()) {
            case S3 -> S3Store.open(root, access.orElse(null), Environment.ofProcess());
            case FILE, LUSTRE -> PosixStore.open(root.scheme());
        };
        engine.limit(store, access.map(StoreLimits::of).orElseGet(() -> StoreLimits.of(root.scheme())));
        return store;
    }
}
