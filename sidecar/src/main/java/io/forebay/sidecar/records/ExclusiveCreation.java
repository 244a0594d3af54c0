package io.forebay.sidecar.records;

import io.forebay.sidecar.store.StoreException;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/** Tests whether a store creates exclusively, by creating one key twice: some servers answer yes twice and overwrite. */
final class ExclusiveCreation {
    private ExclusiveCreation() {}

    static boolean works(RecordsFolder folder) throws StoreException, InterruptedException {
        var key = folder.key("probe-" + UUID.randomUUID());
        var first = "first".getBytes(StandardCharsets.US_ASCII);
        try {
            folder.retry().run(() -> folder.store().createExclusively(key, first));
            boolean again = folder.retry()
                    .call(() -> folder.store().createExclusively(key, "second".getBytes(StandardCharsets.US_ASCII)));
            return !again;
        } finally {
            folder.retry().run(() -> folder.store().delete(key));
        }
    }
}
