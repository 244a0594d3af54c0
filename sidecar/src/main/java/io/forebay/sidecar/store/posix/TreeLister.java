package io.forebay.sidecar.store.posix;

import io.forebay.api.job.Job.SymlinkPolicy;
import io.forebay.sidecar.os.Errno;
import io.forebay.sidecar.os.Open;
import io.forebay.sidecar.os.Posix;
import io.forebay.sidecar.os.PosixException;
import io.forebay.sidecar.os.Stat;
import io.forebay.sidecar.store.Entry;
import io.forebay.sidecar.store.ListRequest;
import io.forebay.sidecar.store.OwnNames;
import io.forebay.sidecar.store.Store.EntrySink;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.StoreException.Kind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * What lies below a folder, depth first. Holds, per level, one descriptor and the folders among the last {@value #BATCH} names: neither
 * a folder of a million files nor one of a million folders is ever held. The names of a batch are looked at by several threads at once,
 * since on network file systems each look costs a round trip. The sink is called by the caller's thread. Used by one caller.
 */
final class TreeLister {
    private static final int BATCH = 256;
    /** How many of a batch's names one call on the pool looks at. */
    private static final int LOOKS_PER_CALL = 16;
    /** Deeper trees are taken for a mistake; each level costs a descriptor. */
    private static final int MAX_DEPTH = 256;

    private final IoPool pool;
    private final ListRequest request;
    private final LustreTool lustre;
    private final EntrySink sink;
    private final String base;
    private final ArrayDeque<ListedFolder> levels = new ArrayDeque<>();

    /** What {@link #base} really is, all links resolved. */
    private String realBase = "";

    TreeLister(IoPool pool, ListRequest request, LustreTool lustre, EntrySink sink) {
        this.pool = pool;
        this.request = request;
        this.lustre = lustre;
        this.sink = sink;
        this.base = request.key().endsWith("/") ? request.key() : request.key() + "/";
    }

    void list() throws StoreException, InterruptedException {
        var listing = "listing " + request.key();
        try {
            if (!enterBase()) {
                oneFile();
                return;
            }
            while (!levels.isEmpty()) {
                var folder = levels.getLast();
                var below = folder.nextBelow();
                if (below != null) {
                    descend(folder, below);
                    continue;
                }
                var names = pool.run(folder.uses(), () -> folder.names(BATCH, n -> isWanted(folder, n)));
                if (names.isEmpty()) {
                    leave(folder);
                } else {
                    look(folder, names);
                }
            }
        } catch (PosixException e) {
            throw PosixErrors.of(listing, e);
        } finally {
            levels.forEach(ListedFolder::close);
        }
    }

    /** @return false: it is no folder */
    private boolean enterBase() throws StoreException, PosixException, InterruptedException {
        ListedFolder top;
        try {
            top = pool.run(
                    () -> ListedFolder.of(base, Posix.open(request.key(), Open.RDONLY | Open.DIRECTORY)),
                    ListedFolder::close);
        } catch (PosixException e) {
            if (e.is(Errno.ENOTDIR) && !request.key().endsWith("/")) {
                return false;
            }
            throw e;
        }
        levels.addLast(top);
        realBase = pool.run(top.uses(), top::realPath);
        return true;
    }

    private void oneFile() throws StoreException, PosixException, InterruptedException {
        var look = pool.run(() -> Look.at(null, request.key(), Posix.stat(request.key()), lustre));
        tell(request.key(), look.stat(), look.dataVersion());
    }

    /** Whether the name, or something below it, can be wanted; decided before anything is asked about it. */
    private boolean isWanted(ListedFolder folder, String name) {
        var relative = folder.path().substring(base.length()) + name;
        var prefix = request.fixedPrefix();
        return !OwnNames.isRecords(name) && (relative.startsWith(prefix) || prefix.startsWith(relative + "/"));
    }

    private boolean isWantedItself(String key) {
        return key.startsWith(request.fixedPrefix(), base.length());
    }

    private void look(ListedFolder folder, List<ListedFolder.Name> names)
            throws StoreException, PosixException, InterruptedException {
        var calls = new ArrayList<IoPool.Task<List<Look>>>();
        for (int i = 0; i < names.size(); i += LOOKS_PER_CALL) {
            var some = names.subList(i, Math.min(names.size(), i + LOOKS_PER_CALL));
            calls.add(pool.start(folder.uses(), () -> Look.at(folder, some, lustre), late -> {}));
        }
        for (var call : calls) {
            for (var look : call.await()) {
                take(folder, look);
            }
        }
    }

    private void take(ListedFolder folder, Look look) throws StoreException, PosixException, InterruptedException {
        var key = folder.path() + look.name();
        if (look.isFolder()) {
            folder.addBelow(look.name());
        } else if (OwnNames.isTemporary(look.name())) {
            if (isWantedItself(key)) {
                sink.noFile(key, OwnNames.TEMPORARY_FILE);
            }
            return; // a folder with nothing else is an empty one
        } else if (look.target() != null) {
            link(folder, key, look, look.target());
        } else {
            tell(key, look.stat(), look.dataVersion());
        }
        folder.hasSomething();
    }

    private void tell(String key, Stat stat, long dataVersion) throws StoreException, InterruptedException {
        if (!isWantedItself(key) && !key.equals(request.key())) {
            return;
        }
        switch (stat.type()) {
            case FILE -> found(Pins.entry(key, Entry.Kind.FILE, stat, null, dataVersion));
            case FIFO -> sink.noFile(key, "a FIFO");
            case SOCKET -> sink.noFile(key, "a socket");
            case DEVICE -> sink.noFile(key, "a device");
            case OTHER, SYMLINK, FOLDER -> sink.leftOut(key, "it is no regular file");
        }
    }

    private void found(Entry entry) throws StoreException, InterruptedException {
        if (Names.canBeOpened(entry.key())) {
            sink.found(entry);
        } else {
            sink.leftOut(entry.key(), "its path is longer than 4095 bytes");
        }
    }

    // ---- symbolic links

    private void link(ListedFolder folder, String key, Look look, String target)
            throws StoreException, PosixException, InterruptedException {
        switch (request.symlinks()) {
            case PRESERVE -> {
                if (isWantedItself(key)) {
                    found(Pins.entry(key, Entry.Kind.SYMLINK, look.stat(), target, Pins.NO_DATA_VERSION));
                }
            }
            case ERROR ->
                throw new StoreException(
                        Kind.PERMANENT,
                        "listing " + request.key() + " failed: " + key + " is a symbolic link (to " + target
                                + "), and 'symlinks: Error' is asked for. Remove it, or choose Preserve or Follow.");
            case FOLLOW -> follow(folder, key, look.name(), target);
        }
    }

    private void follow(ListedFolder folder, String key, String name, String target)
            throws StoreException, PosixException, InterruptedException {
        var end = pool.run(folder.uses(), () -> LinkEnd.of(folder, name, lustre));
        switch (end) {
            case LinkEnd.Nowhere n -> sink.leftOut(key, "it is a symbolic link to " + target + ", which " + n.why());
            case LinkEnd.There t
            when !isInside(t.realPath()) ->
                sink.leftOut(key, "it is a symbolic link to " + t.realPath() + ", which lies outside " + request.key());
            case LinkEnd.There t when !t.stat().isFolder() -> tell(key, t.stat(), t.dataVersion());
            case LinkEnd.There t
            when levels.stream().anyMatch(l -> l.stat().sameFile(t.stat())) ->
                sink.leftOut(key, "it is a symbolic link to " + t.realPath() + ", a folder that it lies in: a loop");
            case LinkEnd.There t -> folder.addBelow(name);
        }
    }

    private boolean isInside(String realPath) {
        return realPath.equals(realBase) || realPath.startsWith(realBase.endsWith("/") ? realBase : realBase + "/");
    }

    // ---- folders

    private void descend(ListedFolder above, String name) throws StoreException, PosixException, InterruptedException {
        var path = above.path() + name + "/";
        if (levels.size() >= MAX_DEPTH) {
            sink.leftOut(path, "it lies deeper than " + MAX_DEPTH + " folders");
            return;
        }
        boolean follow = request.symlinks() == SymlinkPolicy.FOLLOW;
        var below = pool.start(
                        above.uses(), () -> ListedFolder.below(above, name, path, follow), ListedFolder::closeIfAny)
                .await();
        if (below == null) {
            return; // removed, or replaced by a file, since it was seen
        }
        if (follow && leadsAstray(below)) {
            below.close();
            sink.leftOut(
                    path,
                    "it was replaced by a symbolic link that leads outside, or round in a circle, while it was listed");
            return;
        }
        levels.addLast(below);
    }

    /** What was looked at before it was opened may have been exchanged between the two. */
    private boolean leadsAstray(ListedFolder below) throws StoreException, PosixException, InterruptedException {
        return !isInside(pool.run(below.uses(), below::realPath))
                || levels.stream().anyMatch(l -> l.stat().sameFile(below.stat()));
    }

    private void leave(ListedFolder folder) throws StoreException, InterruptedException {
        levels.removeLast();
        folder.close();
        if (request.folders() && folder.isEmpty() && !levels.isEmpty() && isWantedItself(folder.path())) {
            found(Pins.entry(folder.path(), Entry.Kind.FOLDER, folder.stat(), null, Pins.NO_DATA_VERSION));
        }
    }
}
