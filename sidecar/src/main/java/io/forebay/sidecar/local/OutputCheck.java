package io.forebay.sidecar.local;

import io.forebay.api.value.StoreUri;
import io.forebay.message.Messages.StagedOutput;
import io.forebay.sidecar.store.Entry;
import io.forebay.sidecar.store.SpecialFileException;
import io.forebay.sidecar.store.StagedFile.Kind;
import io.forebay.sidecar.store.Store;
import io.forebay.sidecar.store.StoreException;
import java.nio.ByteBuffer;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** Reads a published output again and compares it with what its record says. Thread-safe. */
public final class OutputCheck {
    private static final int PIECE = 1 << 20;
    private static final String FOLDER = "a folder";

    private final JobStores stores;
    private final ConcurrentLinkedQueue<ByteBuffer> scratches = new ConcurrentLinkedQueue<>();

    public OutputCheck(JobStores stores) {
        this.stores = stores;
    }

    /** What came of it. */
    public sealed interface Finding {}

    public record Same() implements Finding {}

    /** It is gone, or something else. @param why in words */
    public record Differs(String why) implements Finding {}

    /** The store did not let it be read: nothing is known of it. @param why in words */
    public record Unknown(String why) implements Finding {}

    public Finding check(StagedOutput output) throws InterruptedException {
        var uri = StoreUri.parse(output.finalUri());
        try {
            var store = stores.stores().at(uri);
            var recorded = recorded(output);
            var found = stores.engine().retrying("verify " + uri, () -> foundOrSpecial(store, uri, output));
            return found.equals(recorded)
                    ? new Same()
                    : new Differs("it is " + found + ", its record says " + recorded);
        } catch (StoreException e) {
            var why = String.valueOf(e.getMessage());
            if (e.kind() == StoreException.Kind.CORRUPT) {
                // Each time it was read: not something on the way.
                return new Differs("its bytes are not those that the store itself took down: " + why);
            }
            // Where the whole store is missing, its name may be wrong, or it is not mounted.
            return e.kind() == StoreException.Kind.NOT_FOUND && !e.wholeStore()
                    ? new Differs("it is gone: " + why)
                    : new Unknown(why);
        }
    }

    /** Whether something has that final name. */
    public boolean exists(StagedOutput output) throws InterruptedException {
        var uri = StoreUri.parse(output.finalUri());
        try {
            var store = stores.stores().at(uri);
            stores.engine().retrying("verify " + uri, () -> store.lstat(uri.path()));
            return true;
        } catch (StoreException e) {
            return false;
        }
    }

    private static String recorded(StagedOutput output) {
        return switch (Kind.valueOf(output.kind())) {
            case LINK -> link(output.link());
            case FOLDER -> FOLDER;
            case TEMP, UPLOAD, INLINE -> file(output.size(), output.crc32c());
        };
    }

    private static String link(@Nullable String target) {
        return "a symbolic link to " + target;
    }

    private static String file(long size, String crc32c) {
        return "a file of " + size + " bytes, CRC32C " + crc32c;
    }

    private String foundOrSpecial(Store store, StoreUri uri, StagedOutput output)
            throws StoreException, InterruptedException {
        try {
            return found(store, uri, output);
        } catch (SpecialFileException e) {
            return e.what();
        }
    }

    /** What is there, in the words of {@link #recorded}. */
    private String found(Store store, StoreUri uri, StagedOutput output) throws StoreException, InterruptedException {
        return switch (Kind.valueOf(output.kind())) {
            case LINK -> {
                var entry = store.lstat(uri.path());
                yield entry.kind() == Entry.Kind.SYMLINK
                        ? link(entry.meta().linkTarget())
                        : entry.kind() == Entry.Kind.FOLDER ? FOLDER : "a file";
            }
            case FOLDER -> {
                // Of a bucket it is an object whose key ends so.
                var key = uri.path().endsWith("/") || uri.scheme().isPosix() ? uri.path() : uri.path() + "/";
                yield store.stat(key).kind() == Entry.Kind.FOLDER ? FOLDER : "a file";
            }
            case TEMP, UPLOAD, INLINE -> content(store, uri, output.size());
        };
    }

    private String content(Store store, StoreUri uri, long expected) throws StoreException, InterruptedException {
        // Not what a link stands for: a file was published, so somebody has put the link in its place.
        var entry = store.lstat(uri.path());
        if (entry.kind() == Entry.Kind.FOLDER) {
            return FOLDER;
        }
        if (entry.kind() == Entry.Kind.SYMLINK) {
            return link(entry.meta().linkTarget());
        }
        var version = entry.version();
        if (version.size() != expected) {
            return "a file of " + version.size() + " bytes"; // which is enough to know
        }
        var crc = new CRC32C();
        var scratch = scratch();
        try {
            store.read(version, 0, version.size(), scratch, (offset, piece) -> crc.update(piece));
        } finally {
            scratches.add(scratch.clear());
        }
        return file(version.size(), "%08x".formatted(crc.getValue()));
    }

    private ByteBuffer scratch() {
        var free = scratches.poll();
        return free == null ? ByteBuffer.allocateDirect(PIECE) : free;
    }
}
