package io.forebay.sidecar.store.posix;

import io.forebay.sidecar.os.Stat;
import io.forebay.sidecar.store.Entry;
import io.forebay.sidecar.store.FileMeta;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.StoreException.Kind;
import io.forebay.sidecar.store.Version;
import java.util.ArrayList;
import org.jspecify.annotations.Nullable;

/** Versions of files, from what the kernel tells of them. Stateless. */
final class Pins {
    private Pins() {}

    /** The file system keeps no data version, or it was not asked for. */
    static final long NO_DATA_VERSION = -1;

    static Version.Posix version(String key, Stat s, long dataVersion) {
        return new Version.Posix(key, s.size(), s.device(), s.inode(), s.mtimeNanos(), s.ctimeNanos(), dataVersion);
    }

    static Entry entry(String key, Entry.Kind kind, Stat s, @Nullable String target, long dataVersion) {
        return new Entry(
                key, kind, version(key, s, dataVersion), new FileMeta(s.permissions(), s.mtimeNanos(), target));
    }

    /**
     * The device is not compared: its number changes when a file system is mounted again.
     *
     * @throws StoreException CHANGED, naming what differs
     */
    static void requireSame(Version.Posix pinned, Stat now) throws StoreException {
        var differs = new ArrayList<String>();
        if (!now.isFile()) {
            differs.add("it is a " + now.type() + " now");
        }
        if (now.size() != pinned.size()) {
            differs.add("size " + pinned.size() + " then, " + now.size() + " now");
        }
        if (now.mtimeNanos() != pinned.mtimeNanos()) {
            differs.add("modified meanwhile");
        }
        if (now.inode() != pinned.inode()) {
            differs.add("another file has that name now");
        }
        if (differs.isEmpty() && now.ctimeNanos() != pinned.ctimeNanos()) {
            differs.add("its inode was changed meanwhile");
        }
        if (!differs.isEmpty()) {
            throw changed(pinned, String.join(", ", differs));
        }
    }

    static StoreException changed(Version.Posix pinned, String how) {
        return new StoreException(Kind.CHANGED, pinned.key() + " is not the file that was planned: " + how);
    }
}
