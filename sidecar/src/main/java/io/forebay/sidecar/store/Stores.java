package io.forebay.sidecar.store;

import io.forebay.api.job.Job.StoreAccess;
import io.forebay.api.value.StoreUri;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The stores of one job: opened when first asked for, one per {@code spec.stores} entry (the longest prefix wins), else one per bucket,
 * and one for all file systems that no entry names. Thread-safe.
 */
public final class Stores implements AutoCloseable {
    /** Opens a store. @throws StoreException it can never work (no credentials, unknown bucket...) */
    @FunctionalInterface
    public interface Factory {
        Store open(StoreUri root, Optional<StoreAccess> access) throws StoreException;
    }

    private record Key(StoreUri root, Optional<StoreAccess> access) {}

    private final List<StoreAccess> longestFirst;
    private final Factory factory;
    private final Map<Key, Store> open = new LinkedHashMap<>();

    public Stores(List<StoreAccess> accesses, Factory factory) {
        this.longestFirst = accesses.stream()
                .sorted(Comparator.comparingInt(
                                (StoreAccess a) -> a.uri().path().length())
                        .reversed())
                .toList();
        this.factory = factory;
    }

    /** The entry that says how to reach this URI. */
    public Optional<StoreAccess> access(StoreUri uri) {
        return longestFirst.stream().filter(a -> a.uri().contains(uri)).findFirst();
    }

    public Store at(StoreUri uri) throws StoreException {
        var root = new StoreUri(uri.scheme(), uri.authority(), uri.scheme().isPosix() ? "/" : "");
        var key = new Key(root, access(uri));
        synchronized (open) {
            var store = open.get(key);
            if (store == null) {
                store = factory.open(root, key.access());
                open.put(key, store);
            }
            return store;
        }
    }

    @Override
    public void close() {
        synchronized (open) {
            new ArrayList<>(open.values()).reversed().forEach(Store::close);
            open.clear();
        }
    }
}
