package io.forebay.testing;

import io.forebay.message.Messages.Part;
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
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * An object store in memory: the reference that says what a {@link Store} does when nothing goes wrong. Objects can also be
 * generated ({@link #generated}), so that large ones need no memory. Thread-safe.
 */
public final class MemoryStore implements Store {
    /** Bytes of an object, made when they are read. */
    @FunctionalInterface
    public interface Content {
        /** Fills {@code to} with the bytes from {@code offset} on. */
        void fill(long offset, ByteBuffer to);
    }

    private record Stored(
            Version.S3 version, Content content, @Nullable FileMeta meta, long crc32c) {}

    /** A staged file under way. */
    private static final class Staging {
        final Map<Integer, byte[]> parts = new HashMap<>();
    }

    private final ConcurrentSkipListMap<String, Stored> objects = new ConcurrentSkipListMap<>();
    private final ConcurrentHashMap<String, Staging> stagings = new ConcurrentHashMap<>();
    private final AtomicLong serial = new AtomicLong();
    private final long partSize;
    private final long inlineBelow;
    private volatile boolean tellsChecksums = true;

    /** Bytes given out by {@link #read}, and requests for them. */
    public final AtomicLong bytesRead = new AtomicLong();

    public final AtomicLong reads = new AtomicLong();

    public MemoryStore() {
        this(8 << 20, 0);
    }

    /** @param partSize of staged files @param inlineBelow as in {@link Capabilities} */
    public MemoryStore(long partSize, long inlineBelow) {
        this.partSize = partSize;
        this.inlineBelow = inlineBelow;
    }

    /** Reads tell no checksum of the object from now on; else those from the first byte on do. */
    public MemoryStore withoutChecksums() {
        tellsChecksums = false;
        return this;
    }

    /** Puts an object and returns its version. */
    public Version.S3 with(String key, byte[] content) {
        return with(key, content, null);
    }

    public Version.S3 with(String key, byte[] content, @Nullable FileMeta meta) {
        var crc = new CRC32C();
        crc.update(content);
        var copy = content.clone();
        return store(
                key, copy.length, (offset, to) -> to.put(copy, (int) offset, to.remaining()), meta, crc.getValue());
    }

    /** Puts an object whose bytes are made when they are read; the store knows no checksum of it. */
    public Version.S3 generated(String key, long size, Content content) {
        return store(key, size, content, null, -1);
    }

    private Version.S3 store(String key, long size, Content content, @Nullable FileMeta meta, long crc) {
        long n = serial.incrementAndGet();
        var version = new Version.S3(key, size, "etag-" + n, null, n);
        objects.put(key, new Stored(version, content, meta, crc));
        return version;
    }

    /** The object's bytes; null: there is none. */
    public byte @Nullable [] content(String key) {
        var stored = objects.get(key);
        if (stored == null) {
            return null;
        }
        var bytes = ByteBuffer.allocate((int) stored.version().size());
        stored.content().fill(0, bytes);
        return bytes.array();
    }

    public List<String> keys() {
        return List.copyOf(objects.keySet());
    }

    /** Handles of what is staged and not yet published or discarded. */
    public List<String> staged() {
        return List.copyOf(new TreeSet<>(stagings.keySet()));
    }

    @Override
    public Capabilities capabilities() {
        return new Capabilities(inlineBelow, true, 1024, false, false);
    }

    @Override
    public void list(ListRequest request, EntrySink sink) throws StoreException, InterruptedException {
        for (var stored : objects.tailMap(request.key() + request.fixedPrefix()).values()) {
            if (!stored.version().key().startsWith(request.key() + request.fixedPrefix())) {
                return;
            }
            sink.found(entry(stored));
        }
    }

    @Override
    public Entry stat(String key) throws StoreException {
        return entry(find(key));
    }

    private static Entry entry(Stored stored) {
        var meta = new FileMeta(-1, stored.version().lastModifiedMillis() * 1_000_000, null);
        return new Entry(stored.version().key(), Entry.Kind.FILE, stored.version(), meta);
    }

    private Stored find(String key) throws StoreException {
        var stored = objects.get(key);
        if (stored == null) {
            throw new StoreException(Kind.NOT_FOUND, "no object " + key);
        }
        return stored;
    }

    private Stored find(Version version) throws StoreException {
        var stored = objects.get(version.key());
        if (stored == null || !stored.version().equals(version)) {
            throw new StoreException(Kind.CHANGED, version.key() + " is no longer " + version.pin());
        }
        return stored;
    }

    @Override
    public ReadReceipt read(Version version, long offset, long length, ByteBuffer scratch, PieceSink sink)
            throws StoreException, InterruptedException {
        reads.incrementAndGet();
        var stored = find(version);
        long at = offset;
        while (at < offset + length) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            scratch.clear().limit((int) Math.min(scratch.capacity(), offset + length - at));
            stored.content().fill(at, scratch);
            scratch.flip();
            int n = scratch.remaining();
            bytesRead.addAndGet(n);
            try {
                sink.accept(at, scratch);
            } catch (IOException e) {
                throw new StoreException(Kind.TRANSIENT, "the reader failed", e);
            }
            at += n;
        }
        return new ReadReceipt(tellsChecksums && offset == 0 ? stored.crc32c() : -1, false, stored.meta());
    }

    @Override
    public void checkUnchanged(Version version) throws StoreException {
        find(version);
    }

    @Override
    public StagedFile.Stub prepare(StageRequest request) {
        if (request.size() < inlineBelow) {
            return new StagedFile.Stub(
                    StagedFile.Kind.INLINE,
                    request.finalKey(),
                    request.root(),
                    "",
                    request.size(),
                    request.meta(),
                    false);
        }
        return new StagedFile.Stub(
                StagedFile.Kind.TEMP,
                request.finalKey(),
                request.root(),
                "tmp-" + request.token(),
                request.size(),
                request.meta(),
                false);
    }

    @Override
    public StagedWrite open(StagedFile.Stub stub) {
        var staging = new Staging();
        stagings.put(stub.handle(), staging);
        return new Write(stub, staging);
    }

    private final class Write implements StagedWrite {
        private final StagedFile.Stub stub;
        private final Staging staging;

        Write(StagedFile.Stub stub, Staging staging) {
            this.stub = stub;
            this.staging = staging;
        }

        @Override
        public int parts() {
            return (int) Math.max(1, Math.ceilDiv(stub.size(), partSize));
        }

        @Override
        public long offset(int part) {
            return part * partSize;
        }

        @Override
        public long length(int part) {
            return Math.min(partSize, stub.size() - offset(part));
        }

        @Override
        public long write(int part, PieceSource source, ByteBuffer scratch)
                throws StoreException, InterruptedException {
            var bytes = new byte[(int) length(part)];
            for (int at = 0; at < bytes.length; at += scratch.limit()) {
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
                scratch.clear().limit(Math.min(scratch.capacity(), bytes.length - at));
                try {
                    source.fill(offset(part) + at, scratch);
                } catch (IOException e) {
                    throw new StoreException(Kind.TRANSIENT, "the source failed", e);
                }
                scratch.flip().get(bytes, at, scratch.limit());
            }
            synchronized (staging) {
                staging.parts.put(part, bytes);
            }
            return crc(bytes);
        }

        @Override
        public StagedFile seal() throws StoreException {
            var parts = new ArrayList<Part>();
            var crc = new CRC32C();
            long size = 0;
            synchronized (staging) {
                if (staging.parts.size() != parts()) {
                    throw new StoreException(
                            Kind.TRANSIENT, staging.parts.size() + " of " + parts() + " parts are there");
                }
                for (var part : new TreeMap<>(staging.parts).entrySet()) {
                    crc.update(part.getValue());
                    size += part.getValue().length;
                    parts.add(new Part(
                            part.getKey() + 1, "etag", part.getValue().length, "%08x".formatted(crc(part.getValue()))));
                }
            }
            return new StagedFile(stub, parts, size, crc.getValue());
        }

        @Override
        public void close() {}
    }

    private static long crc(byte[] bytes) {
        var crc = new CRC32C();
        crc.update(bytes);
        return crc.getValue();
    }

    @Override
    public PublishOutcome publish(StagedFile file, InlineSource inline) throws StoreException {
        if (file.stub().kind() == StagedFile.Kind.INLINE && inline instanceof InlineSource.Present present) {
            var bytes = ByteBuffer.allocate((int) file.size());
            try {
                present.source().fill(0, bytes);
            } catch (IOException e) {
                throw new StoreException(Kind.TRANSIENT, "the source failed", e);
            }
            with(file.stub().finalKey(), bytes.array(), file.stub().meta());
            return PublishOutcome.PUBLISHED;
        }
        var staging = stagings.remove(file.stub().handle());
        if (staging == null) {
            var there = objects.get(file.stub().finalKey());
            return there != null && there.version().size() == file.size() && there.crc32c() == file.crc32c()
                    ? PublishOutcome.PUBLISHED
                    : PublishOutcome.LOST;
        }
        var whole = ByteBuffer.allocate((int) file.size());
        new TreeMap<>(staging.parts).values().forEach(whole::put);
        with(file.stub().finalKey(), whole.array(), file.stub().meta());
        return PublishOutcome.PUBLISHED;
    }

    @Override
    public void syncFolders(List<String> finalKeys) {}

    @Override
    public void discard(StagedFile.Stub stub) {
        stagings.remove(stub.handle());
    }

    @Override
    public boolean createExclusively(String key, byte[] content) {
        synchronized (objects) {
            if (objects.containsKey(key)) {
                return false;
            }
            with(key, content);
            return true;
        }
    }

    @Override
    public void put(String key, byte[] content) {
        with(key, content);
    }

    @Override
    public byte[] get(String key, int limit) throws StoreException {
        find(key);
        var bytes = content(key);
        if (bytes == null || bytes.length > limit) {
            throw new StoreException(Kind.TOO_LARGE, key + " is larger than " + limit + " bytes");
        }
        return Arrays.copyOf(bytes, bytes.length);
    }

    @Override
    public void delete(String key) {
        objects.remove(key);
    }

    @Override
    public void close() {}
}
