package io.forebay.sidecar.plan;

import io.forebay.api.name.NameBytes;
import io.forebay.api.name.Printable;
import io.forebay.sidecar.spool.SpoolSort;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.StoreException.Kind;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Passes on each file of a sorted listing once: some servers list a key twice. Where they tell different things of it there is no version
 * to pin. One listing each; one thread.
 */
final class OncePerKey implements SpoolSort.Sink {
    private final InputLister.Sink sink;
    private byte @Nullable [] lastKey;
    private @Nullable PlannedFile last;
    private long repeated;
    private long repeatedBytes;
    /** The first key with two versions; kept until the listing is over, since it cannot be thrown through it. */
    private @Nullable String twoVersions;

    OncePerKey(InputLister.Sink sink) {
        this.sink = sink;
    }

    @Override
    public void accept(byte[] key, byte[] value) throws IOException {
        var file = PlannedFile.fromBytes(value);
        var before = last;
        if (before != null && Arrays.equals(key, lastKey)) {
            repeated++;
            repeatedBytes += file.size();
            if (twoVersions == null && !before.sameContent(file)) {
                twoVersions = NameBytes.decode(key);
            }
            return;
        }
        lastKey = key;
        last = file;
        sink.file(NameBytes.decode(key), file);
    }

    /** Files that were not passed on. */
    long repeated() {
        return repeated;
    }

    long repeatedBytes() {
        return repeatedBytes;
    }

    /** @throws StoreException PERMANENT: a key was listed with two versions */
    void requireOneVersionEach(String listing) throws StoreException {
        if (twoVersions != null) {
            throw new StoreException(
                    Kind.PERMANENT,
                    listing + " names the key " + Printable.name(twoVersions)
                            + " twice, with different sizes or ETags. If it was written meanwhile run again, else the server lists wrongly");
        }
    }
}
