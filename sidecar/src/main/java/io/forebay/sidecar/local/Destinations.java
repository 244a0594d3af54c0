package io.forebay.sidecar.local;

import io.forebay.api.job.Job;
import io.forebay.api.job.Job.Output;
import io.forebay.api.value.StoreUri;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.Stores;
import java.util.List;

/** Where the outputs of a job go, looked at as it begins: hours may pass before the first one. Stateless. */
final class Destinations {
    private Destinations() {}

    /** At leisure: one that hangs holds up nothing. What cannot be looked at is told when something is written there. */
    static void remember(Job job, Stores stores) {
        var roots = job.outputs().stream()
                .map(Output::fixedDestination)
                .filter(uri -> uri.scheme().isPosix())
                .distinct()
                .toList();
        if (!roots.isEmpty()) {
            Thread.ofVirtual().name("destinations").start(() -> remember(roots, stores));
        }
    }

    private static void remember(List<StoreUri> roots, Stores stores) {
        try {
            for (var root : roots) {
                stores.at(root).remember(root.path());
            }
        } catch (StoreException e) {
            return; // see above
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
