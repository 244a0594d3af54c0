package io.forebay.sidecar.store.s3;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * How uploads were created, as far as this process knows; it is asked of the server where it is not known. Bounded.
 * Thread-safe.
 */
final class KnownUploads {
    /** More than are under way at once; about 1 MiB. */
    private static final int MOST = 4096;

    /** @param fresh nothing was sent yet */
    private record Known(boolean checksummed, boolean fresh) {}

    /** Oldest first. Guarded by this. */
    private final Map<String, Known> byId = new LinkedHashMap<>();

    synchronized void created(Control.Upload upload) {
        put(upload.id(), new Known(upload.checksummed(), true));
    }

    synchronized void seen(String id, boolean checksummed) {
        put(id, new Known(checksummed, false));
    }

    private void put(String id, Known known) {
        if (byId.size() >= MOST) {
            byId.remove(byId.keySet().iterator().next());
        }
        byId.put(id, known);
    }

    /** Whether nothing can have been sent yet; true once. */
    synchronized boolean takeFresh(String id) {
        var known = byId.get(id);
        if (known == null || !known.fresh) {
            return false;
        }
        byId.put(id, new Known(known.checksummed, false));
        return true;
    }

    synchronized Optional<Boolean> checksummed(String id) {
        return Optional.ofNullable(byId.get(id)).map(Known::checksummed);
    }

    /** Whether this process created it, or has looked at it. */
    synchronized boolean has(String id) {
        return byId.containsKey(id);
    }

    synchronized void forget(String id) {
        byId.remove(id);
    }
}
