package io.forebay.sidecar.store.posix;

import io.forebay.api.value.StoreUri.Scheme;
import io.forebay.sidecar.os.Errno;
import io.forebay.sidecar.os.Open;
import io.forebay.sidecar.os.Posix;
import io.forebay.sidecar.os.PosixException;
import io.forebay.sidecar.os.Stat;
import io.forebay.sidecar.store.Capabilities;
import io.forebay.sidecar.store.Crc32c;
import io.forebay.sidecar.store.Entry;
import io.forebay.sidecar.store.ListRequest;
import io.forebay.sidecar.store.ReadReceipt;
import io.forebay.sidecar.store.SpecialFileException;
import io.forebay.sidecar.store.StageRequest;
import io.forebay.sidecar.store.StagedFile;
import io.forebay.sidecar.store.StagedWrite;
import io.forebay.sidecar.store.Store;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.Version;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * All file systems that this user sees. The calls of each mounted file system run on threads of its own ({@link IoPool}): one that hangs
 * holds up only what lies on it, and any caller can be interrupted. Thread-safe.
 */
public final class PosixStore implements Store {
    /** Enough to hide the latency of a network file system, and for fsyncs to share their commits (docs/decisions/0005-posix-io.md). */
    private static final int THREADS = 32;

    /** Distributed file systems may show a new folder late, but not later than this (hpc/mpifileutils#574). */
    private static final Duration VISIBLE_WITHIN = Duration.ofSeconds(10);

    /** Smaller files are one part: written in one stream, by one thread. */
    private static final long PART_BYTES = 64L << 20;

    private static final long FIRST_PAUSE_MILLIS = 10;
    private static final long LONGEST_PAUSE_MILLIS = 500;

    private final LustreTool lustre;
    private final Duration visibleWithin;
    private final long partBytes;
    private final MountPoints mounts = new MountPoints();
    private final Roots roots = new Roots();
    private final ConcurrentHashMap<String, IoPool> pools = new ConcurrentHashMap<>();

    PosixStore(LustreTool lustre, Duration visibleWithin, long partBytes) {
        this.lustre = lustre;
        this.partBytes = partBytes;
        this.visibleWithin = visibleWithin;
    }

    /** @param scheme FILE, or LUSTRE: then with what {@code lfs} adds, where PATH has it */
    public static PosixStore open(Scheme scheme) {
        return switch (scheme) {
            case FILE -> new PosixStore(LustreTool.none(), VISIBLE_WITHIN, PART_BYTES);
            case LUSTRE ->
                new PosixStore(LustreTool.find(System.getenv().getOrDefault("PATH", "")), VISIBLE_WITHIN, PART_BYTES);
            case S3 -> throw new IllegalArgumentException("s3 is no file system");
        };
    }

    private IoPool pool(String path) {
        return pools.computeIfAbsent(mounts.of(path), point -> new IoPool(point, THREADS));
    }

    @Override
    public Capabilities capabilities() {
        return new Capabilities(0, true, Destination.MAX_NAME_BYTES, true, true);
    }

    // ---- reading

    @Override
    public void list(ListRequest request, EntrySink sink) throws StoreException, InterruptedException {
        new TreeLister(pool(request.key()), request, lustre, sink).list();
    }

    @Override
    public Entry stat(String key) throws StoreException, InterruptedException {
        return run(key, "reading " + key, () -> {
            var look = Look.at(null, key, Posix.stat(key), lustre);
            var stat = look.stat();
            if (!stat.isFile() && !stat.isFolder()) {
                var what = special(stat.type());
                throw new SpecialFileException(
                        "reading " + key + " failed: it is " + what + ", neither file nor folder", what);
            }
            return Pins.entry(key, stat.isFile() ? Entry.Kind.FILE : Entry.Kind.FOLDER, stat, null, look.dataVersion());
        });
    }

    private static String special(Stat.Type type) {
        return switch (type) {
            case FIFO -> "a FIFO";
            case SOCKET -> "a socket";
            case DEVICE -> "a device";
            case FILE, FOLDER, SYMLINK, OTHER -> "something else";
        };
    }

    @Override
    public Entry lstat(String key) throws StoreException, InterruptedException {
        var link = run(key, "reading " + key, () -> {
            var stat = Posix.lstat(key);
            return stat.type() == Stat.Type.SYMLINK
                    ? Optional.of(Pins.entry(
                            key, Entry.Kind.SYMLINK, stat, Posix.readlinkat(null, key), Pins.NO_DATA_VERSION))
                    : Optional.<Entry>empty();
        });
        return link.isPresent() ? link.get() : stat(key);
    }

    @Override
    public ReadReceipt read(Version version, long offset, long length, ByteBuffer scratch, PieceSink sink)
            throws StoreException, InterruptedException {
        var pinned = posix(version);
        new RangeReader(pool(pinned.key()), pinned, offset, length, scratch.capacity()).readTo(sink);
        return ReadReceipt.NOTHING;
    }

    @Override
    public void checkUnchanged(Version version) throws StoreException, InterruptedException {
        var pinned = posix(version);
        run(pinned.key(), "reading " + pinned.key(), () -> {
            try {
                Pins.requireSame(pinned, Posix.stat(pinned.key()));
                requireSameData(pinned);
            } catch (PosixException e) {
                if (e.is(Errno.ENOENT) || e.is(Errno.ENOTDIR)) {
                    throw Pins.changed(pinned, "it does not exist any more");
                }
                throw e;
            }
            return true;
        });
    }

    private void requireSameData(Version.Posix pinned) throws PosixException, StoreException {
        if (pinned.lustreDataVersion() == Pins.NO_DATA_VERSION || !lustre.asksFor(pinned.size())) {
            return;
        }
        try (var file = Posix.open(pinned.key(), Open.RDONLY | Open.NONBLOCK)) {
            long now = lustre.dataVersion(file, pinned.size());
            if (now != Pins.NO_DATA_VERSION && now != pinned.lustreDataVersion()) {
                throw Pins.changed(pinned, "data version " + pinned.lustreDataVersion() + " then, " + now + " now");
            }
        }
    }

    private static Version.Posix posix(Version version) {
        return switch (version) {
            case Version.Posix p -> p;
            case Version.S3 s -> throw new IllegalArgumentException("not a file's version: " + s.pin());
        };
    }

    // ---- staging and publishing

    @Override
    public StagedFile.Stub prepare(StageRequest request) throws StoreException {
        var at = Destination.of(request.root(), request.finalKey());
        var kind = request.finalKey().endsWith("/")
                ? StagedFile.Kind.FOLDER
                : request.meta().linkTarget() != null ? StagedFile.Kind.LINK : StagedFile.Kind.TEMP;
        var handle = kind == StagedFile.Kind.FOLDER ? "" : Names.temporary(request.token());
        return new StagedFile.Stub(
                kind,
                request.finalKey(),
                at.root(),
                handle,
                request.size(),
                request.meta(),
                request.readBack() && kind == StagedFile.Kind.TEMP);
    }

    @Override
    public boolean prepareAsks(StageRequest request) {
        return false;
    }

    @Override
    public Optional<StagedFile> stageWhole(
            StagedFile.Stub stub, PieceSource source, ByteBuffer scratch, Runnable sealing)
            throws StoreException, InterruptedException {
        if (stub.kind() != StagedFile.Kind.TEMP || stub.size() > Math.min(partBytes, scratch.capacity())) {
            return Optional.empty();
        }
        var at = Destination.of(stub.root(), stub.finalKey());
        var pool = pool(stub.finalKey());
        scratch.clear().limit((int) stub.size());
        if (scratch.hasRemaining()) {
            StagedPosixFile.fill(stub, source, 0, scratch);
        }
        var bytes = MemorySegment.ofBuffer(scratch);
        var left = new AtomicBoolean();
        try {
            onceVisible(
                    "creating " + stub.finalKey(),
                    () -> pool.run(() -> {
                        StagedPosixFile.whole(pool, stub, at, roots, lustre, bytes, left::get, sealing);
                        return true;
                    }));
        } catch (InterruptedException e) {
            left.set(true);
            throw e;
        }
        return Optional.of(new StagedFile(stub, List.of(), stub.size(), Crc32c.of(scratch)));
    }

    @Override
    public void remember(String root) throws StoreException, InterruptedException {
        run(root, "looking at " + root, () -> {
            roots.expect(root.endsWith("/") ? root : root + "/");
            return true;
        });
    }

    @Override
    public StagedWrite open(StagedFile.Stub stub) throws StoreException, InterruptedException {
        var at = Destination.of(stub.root(), stub.finalKey());
        var pool = pool(stub.finalKey());
        var doing = "creating " + stub.finalKey();
        return switch (stub.kind()) {
            case TEMP ->
                onceVisible(
                        doing,
                        () -> pool.run(
                                () -> StagedPosixFile.create(pool, stub, partBytes, at, roots, lustre),
                                StagedWrite::close));
            case LINK ->
                onceVisible(
                        doing,
                        () -> pool.run(() -> {
                            Publisher.link(at, roots, stub);
                            return new StagedName(stub);
                        }));
            case FOLDER -> new StagedName(stub);
            case UPLOAD, INLINE -> throw new IllegalArgumentException(stub.kind() + " is not staged in a file system");
        };
    }

    @Override
    public PublishOutcome publish(StagedFile file, InlineSource inline) throws StoreException, InterruptedException {
        var key = file.stub().finalKey();
        return onceVisible("publishing " + key, () -> pool(key).run(() -> Publisher.publish(file, roots)));
    }

    @Override
    public List<PublishOutcome> publishAll(List<StagedFile> files) throws StoreException, InterruptedException {
        var outcomes = new PublishOutcome[files.size()];
        var byPool = new LinkedHashMap<IoPool, List<Integer>>();
        for (int i = 0; i < files.size(); i++) {
            byPool.computeIfAbsent(pool(files.get(i).stub().finalKey()), p -> new ArrayList<>())
                    .add(i);
        }
        var left = new AtomicBoolean();
        try {
            for (var some : byPool.entrySet()) {
                onceVisible(
                        "publishing " + some.getValue().size() + " files",
                        () -> some.getKey().run(() -> {
                            Publisher.publish(files, some.getValue(), roots, outcomes, left::get);
                            return true;
                        }));
            }
        } catch (InterruptedException e) {
            left.set(true);
            throw e;
        }
        return List.of(outcomes);
    }

    @Override
    public void syncFolders(List<String> finalKeys) throws StoreException, InterruptedException {
        var folders = new LinkedHashSet<String>();
        finalKeys.forEach(key -> folders.add(Names.parent(key)));
        var syncs = new ArrayList<IoPool.Task<Boolean>>();
        for (var folder : folders) {
            syncs.add(pool(folder).start(Shared.nothing(), () -> sync(folder), late -> {}));
        }
        for (var sync : syncs) {
            try {
                sync.await();
            } catch (PosixException e) {
                throw PosixErrors.of("making new names durable", e);
            }
        }
    }

    private Boolean sync(String folder) throws PosixException, StoreException {
        roots.requireAbove(folder);
        try (var fd = Posix.open(folder, Open.PATH | Open.DIRECTORY)) {
            Destination.sync(fd);
            return true;
        }
    }

    @Override
    public void discard(StagedFile.Stub stub) throws StoreException, InterruptedException {
        if (stub.kind() == StagedFile.Kind.FOLDER) {
            return; // made only when it is published
        }
        var at = Destination.of(stub.root(), stub.finalKey());
        run(stub.finalKey(), "removing what was staged for " + stub.finalKey(), () -> {
            try (var parent = at.open(roots)) {
                Posix.unlinkatIfThere(parent, stub.handle());
            } catch (PosixException e) {
                if (!e.is(Errno.ENOENT)) {
                    throw e;
                }
            }
            return true;
        });
    }

    // ---- small files

    @Override
    public boolean createExclusively(String key, byte[] content) throws StoreException, InterruptedException {
        var at = Destination.of(Names.parent(key), key);
        return onceVisible(
                "creating " + key,
                () -> pool(key).run(() -> {
                    try {
                        return SmallFiles.createExclusively(at, content);
                    } catch (PosixException e) {
                        throw unlessLate("creating " + key, e, at, content.length);
                    }
                }));
    }

    @Override
    public void put(String key, byte[] content) throws StoreException, InterruptedException {
        var at = Destination.of(Names.parent(key), key);
        onceVisible(
                "writing " + key,
                () -> pool(key).run(() -> {
                    try {
                        SmallFiles.put(at, content);
                        return true;
                    } catch (PosixException e) {
                        throw unlessLate("writing " + key, e, at, content.length);
                    }
                }));
    }

    @Override
    public byte[] get(String key, int limit) throws StoreException, InterruptedException {
        return run(key, "reading " + key, () -> SmallFiles.get(key, limit));
    }

    @Override
    public void delete(String key) throws StoreException, InterruptedException {
        run(key, "deleting " + key, () -> {
            SmallFiles.delete(key);
            return true;
        });
    }

    // ---- shared

    private <T> T run(String key, String doing, IoPool.Calls<T> calls) throws StoreException, InterruptedException {
        try {
            return pool(key).run(calls);
        } catch (PosixException e) {
            throw PosixErrors.of(doing, e);
        }
    }

    @FunctionalInterface
    private interface Creation<T> {
        T make() throws PosixException, StoreException, InterruptedException;
    }

    /** A new folder that cannot be seen yet, or one that somebody removes between two steps. */
    private static boolean late(PosixException e) {
        return e.is(Errno.ENOENT);
    }

    private static PosixException unlessLate(String doing, PosixException e, Destination at, long size)
            throws StoreException {
        if (late(e)) {
            return e;
        }
        throw PosixErrors.ofWrite(doing, e, at.root(), size);
    }

    private <T> T onceVisible(String doing, Creation<T> creation) throws StoreException, InterruptedException {
        long since = System.nanoTime();
        long pause = FIRST_PAUSE_MILLIS;
        while (true) {
            try {
                return creation.make();
            } catch (PosixException e) {
                if (!late(e) || System.nanoTime() - since > visibleWithin.toNanos()) {
                    throw PosixErrors.of(doing, e);
                }
            }
            Thread.sleep(pause);
            pause = Math.min(LONGEST_PAUSE_MILLIS, 2 * pause);
        }
    }

    /** Does not wait for calls that hang. */
    @Override
    public void close() {
        roots.close();
        pools.values().forEach(IoPool::close);
    }
}
