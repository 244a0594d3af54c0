package io.forebay.testing;

import io.forebay.sidecar.store.Capabilities;
import io.forebay.sidecar.store.Entry;
import io.forebay.sidecar.store.FileMeta;
import io.forebay.sidecar.store.ListRequest;
import io.forebay.sidecar.store.ReadReceipt;
import io.forebay.sidecar.store.StageRequest;
import io.forebay.sidecar.store.StagedFile;
import io.forebay.sidecar.store.StagedWrite;
import io.forebay.sidecar.store.Store;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.StoreException.Kind;
import io.forebay.sidecar.store.Version;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * A bucket in memory, for tests of the records and of the coordinator: objects with versions, staged files by handle. Before
 * each operation {@link #before} is called, which may throw or block.
 */
public final class RecordsMemoryStore implements Store {
    /** An operation about to happen. */
    public interface Hook {
        void before(String operation, String key) throws StoreException, InterruptedException;
    }

    private record Stored(byte[] content, long number) {}

    private final TreeMap<String, Stored> objects = new TreeMap<>();
    private final TreeMap<String, byte[]> staged = new TreeMap<>();
    private long writes;
    private volatile Hook before = (operation, key) -> {};
    private volatile boolean exclusive = true;

    /** The same bucket with another hook: another process' way to it. */
    public Store seenThrough(Hook hook) {
        return new View(this, hook);
    }

    public void before(Hook hook) {
        before = hook;
    }

    /** As a server that ignores If-None-Match. */
    public void overwritesOnCreate() {
        exclusive = false;
    }

    // ---- what tests do and see without faults

    public synchronized void set(String key, String content) {
        objects.put(key, new Stored(content.getBytes(java.nio.charset.StandardCharsets.UTF_8), ++writes));
    }

    public synchronized void set(String key, byte[] content) {
        objects.put(key, new Stored(content.clone(), ++writes));
    }

    public synchronized List<String> keys() {
        return new ArrayList<>(objects.keySet());
    }

    public synchronized String text(String key) {
        var stored = objects.get(key);
        return stored == null ? null : new String(stored.content, java.nio.charset.StandardCharsets.UTF_8);
    }

    public synchronized void forEach(Consumer<String> keys) {
        objects.keySet().forEach(keys);
    }

    public synchronized void remove(String key) {
        objects.remove(key);
    }

    /** Leaves a file staged, as a worker would. */
    public synchronized void stage(String handle, String content) {
        staged.put(handle, content.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }

    /** Removes it again, as a worker does that may not publish it. */
    public synchronized void unstage(String handle) {
        staged.remove(handle);
    }

    public synchronized List<String> stagedHandles() {
        return new ArrayList<>(staged.keySet());
    }

    // ---- Store

    @Override
    public Capabilities capabilities() {
        return new Capabilities(0, exclusive, 1024, false, false);
    }

    @Override
    public void list(ListRequest request, EntrySink sink) throws StoreException, InterruptedException {
        before.before("list", request.key());
        List<Entry> entries;
        synchronized (this) {
            entries = new ArrayList<>();
            for (var e : objects.tailMap(request.key()).entrySet()) {
                if (!e.getKey().startsWith(request.key())) {
                    break;
                }
                if (e.getKey().startsWith(request.key() + request.fixedPrefix())) {
                    entries.add(new Entry(
                            e.getKey(), Entry.Kind.FILE, version(e.getKey(), e.getValue()), FileMeta.UNKNOWN));
                }
            }
        }
        for (var entry : entries) {
            sink.found(entry);
        }
    }

    private static Version version(String key, Stored stored) {
        return new Version.S3(key, stored.content.length, "etag" + stored.number, null, stored.number);
    }

    @Override
    public Entry stat(String key) throws StoreException, InterruptedException {
        before.before("stat", key);
        synchronized (this) {
            return new Entry(key, Entry.Kind.FILE, version(key, require(key)), FileMeta.UNKNOWN);
        }
    }

    private Stored require(String key) throws StoreException {
        var stored = objects.get(key);
        if (stored == null) {
            throw new StoreException(Kind.NOT_FOUND, key + ": no such key");
        }
        return stored;
    }

    @Override
    public ReadReceipt read(Version version, long offset, long length, ByteBuffer scratch, PieceSink sink)
            throws StoreException, InterruptedException {
        before.before("read", version.key());
        byte[] content;
        synchronized (this) {
            content = require(version.key()).content;
        }
        try {
            for (long at = offset; at < offset + length; ) {
                scratch.clear();
                int n = (int) Math.min(scratch.capacity(), offset + length - at);
                scratch.put(content, (int) at, n).flip();
                sink.accept(at, scratch);
                at += n;
            }
        } catch (java.io.IOException e) {
            throw new StoreException(Kind.TRANSIENT, "sink", e);
        }
        return ReadReceipt.NOTHING;
    }

    @Override
    public void checkUnchanged(Version version) throws StoreException, InterruptedException {
        before.before("checkUnchanged", version.key());
        synchronized (this) {
            if (!version(version.key(), require(version.key())).equals(version)) {
                throw new StoreException(Kind.CHANGED, version.key() + " changed");
            }
        }
    }

    @Override
    public StagedFile.Stub prepare(StageRequest request) {
        throw new AssertionError("tests stage with stage(handle, content)");
    }

    @Override
    public StagedWrite open(StagedFile.Stub stub) {
        throw new AssertionError("tests stage with stage(handle, content)");
    }

    @Override
    public PublishOutcome publish(StagedFile file, InlineSource inline) throws StoreException, InterruptedException {
        before.before("publish", file.stub().finalKey());
        synchronized (this) {
            var content = staged.remove(file.stub().handle());
            if (content != null) {
                objects.put(file.stub().finalKey(), new Stored(content, ++writes));
                return PublishOutcome.PUBLISHED;
            }
            var there = objects.get(file.stub().finalKey());
            var crc = new java.util.zip.CRC32C();
            if (there != null) {
                crc.update(there.content);
            }
            return there != null && there.content.length == file.size() && crc.getValue() == file.crc32c()
                    ? PublishOutcome.PUBLISHED
                    : PublishOutcome.LOST;
        }
    }

    @Override
    public void syncFolders(List<String> finalKeys) throws StoreException, InterruptedException {
        before.before("syncFolders", finalKeys.toString());
    }

    @Override
    public void discard(StagedFile.Stub stub) throws StoreException, InterruptedException {
        before.before("discard", stub.handle());
        synchronized (this) {
            staged.remove(stub.handle());
        }
    }

    @Override
    public boolean createExclusively(String key, byte[] content) throws StoreException, InterruptedException {
        before.before("create", key);
        synchronized (this) {
            if (exclusive && objects.containsKey(key)) {
                return false;
            }
            objects.put(key, new Stored(content.clone(), ++writes));
            return true;
        }
    }

    @Override
    public void put(String key, byte[] content) throws StoreException, InterruptedException {
        before.before("put", key);
        synchronized (this) {
            objects.put(key, new Stored(content.clone(), ++writes));
        }
    }

    @Override
    public byte[] get(String key, int limit) throws StoreException, InterruptedException {
        before.before("get", key);
        synchronized (this) {
            var stored = require(key);
            if (stored.content.length > limit) {
                throw new StoreException(Kind.TOO_LARGE, key);
            }
            return stored.content.clone();
        }
    }

    @Override
    public void delete(String key) throws StoreException, InterruptedException {
        before.before("delete", key);
        synchronized (this) {
            objects.remove(key);
        }
    }

    @Override
    public void close() {}

    private record View(RecordsMemoryStore of, Hook hook) implements Store {
        @Override
        public Capabilities capabilities() {
            return of.capabilities();
        }

        @Override
        public void list(ListRequest request, EntrySink sink) throws StoreException, InterruptedException {
            hook.before("list", request.key());
            of.list(request, sink);
        }

        @Override
        public Entry stat(String key) throws StoreException, InterruptedException {
            hook.before("stat", key);
            return of.stat(key);
        }

        @Override
        public ReadReceipt read(Version version, long offset, long length, ByteBuffer scratch, PieceSink sink)
                throws StoreException, InterruptedException {
            hook.before("read", version.key());
            return of.read(version, offset, length, scratch, sink);
        }

        @Override
        public void checkUnchanged(Version version) throws StoreException, InterruptedException {
            hook.before("checkUnchanged", version.key());
            of.checkUnchanged(version);
        }

        @Override
        public StagedFile.Stub prepare(StageRequest request) {
            return of.prepare(request);
        }

        @Override
        public StagedWrite open(StagedFile.Stub stub) {
            return of.open(stub);
        }

        @Override
        public PublishOutcome publish(StagedFile file, InlineSource inline)
                throws StoreException, InterruptedException {
            hook.before("publish", file.stub().finalKey());
            return of.publish(file, inline);
        }

        @Override
        public void syncFolders(List<String> finalKeys) throws StoreException, InterruptedException {
            hook.before("syncFolders", finalKeys.toString());
            of.syncFolders(finalKeys);
        }

        @Override
        public void discard(StagedFile.Stub stub) throws StoreException, InterruptedException {
            hook.before("discard", stub.handle());
            of.discard(stub);
        }

        @Override
        public boolean createExclusively(String key, byte[] content) throws StoreException, InterruptedException {
            hook.before("create", key);
            return of.createExclusively(key, content);
        }

        @Override
        public void put(String key, byte[] content) throws StoreException, InterruptedException {
            hook.before("put", key);
            of.put(key, content);
        }

        @Override
        public byte[] get(String key, int limit) throws StoreException, InterruptedException {
            hook.before("get", key);
            return of.get(key, limit);
        }

        @Override
        public void delete(String key) throws StoreException, InterruptedException {
            hook.before("delete", key);
            of.delete(key);
        }

        @Override
        public void close() {}
    }
}
