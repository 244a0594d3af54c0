package io.forebay.sidecar.store.s3;

import io.forebay.api.job.Job.StoreAccess;
import io.forebay.api.value.StoreUri;
import io.forebay.sidecar.store.Capabilities;
import io.forebay.sidecar.store.Crc32c;
import io.forebay.sidecar.store.Entry;
import io.forebay.sidecar.store.ListRequest;
import io.forebay.sidecar.store.ReadReceipt;
import io.forebay.sidecar.store.StageRequest;
import io.forebay.sidecar.store.StagedFile;
import io.forebay.sidecar.store.StagedWrite;
import io.forebay.sidecar.store.Store;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.StoreException.Kind;
import io.forebay.sidecar.store.Version;
import io.forebay.sidecar.store.s3.DataPath.Get;
import io.forebay.sidecar.store.s3.http.Headers;
import io.forebay.sidecar.store.s3.http.Origin;
import io.forebay.sidecar.store.s3.http.ProxyChoice;
import io.forebay.sidecar.store.s3.http.ProxyChoice.Proxy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * One S3 bucket.
 *
 * <p>Versions are pinned by ETag, size and Last-Modified in whole seconds, the same whether a listing or {@link #stat} made
 * them; they name no version id, which listings do not tell. User metadata: see {@link ObjectMeta}.
 */
public final class S3Store implements Store {
    private final S3Settings settings;
    private final Roads roads;
    private final Lookups lookups;
    private final Control control;
    private final DataPath data;
    private final ServerHabits habits;
    private final S3Errors errors;
    private final Stager stager;
    private final Publication publication;
    private final ReadBack readBack;

    S3Store(S3Settings settings, Roads roads, S3Errors errors) {
        this.settings = settings;
        this.roads = roads;
        this.lookups = roads.lookups();
        this.control = roads.control();
        this.data = roads.data();
        this.errors = errors;
        this.habits = new ServerHabits();
        var sender = new Sender(data, habits, errors);
        var uploads = new KnownUploads();
        this.readBack = new ReadBack(lookups, data, habits);
        this.stager = new Stager(control, sender, habits, uploads, settings.sizes(), errors);
        this.publication = new Publication(control, sender, readBack, habits, uploads, errors);
    }

    /**
     * Opens the bucket that {@code root} names; sends nothing yet.
     *
     * @param access how the manifest says that it is reached; absent: by the environment alone
     * @throws StoreException a setting is wrong; the message names it
     */
    public static S3Store open(StoreUri root, @Nullable StoreAccess access, Environment env) throws StoreException {
        try {
            var settings = S3Settings.of(root, access, env);
            var origin = Origin.of(SdkClients.bucketUrl(settings));
            var proxy = ProxyChoice.of(origin, env::variable);
            return connect(settings, env.identities().of(access), proxy, DataPath.Kind.of(env));
        } catch (IllegalArgumentException e) {
            throw new StoreException(Kind.PERMANENT, "store " + root + ": " + e.getMessage(), e, true);
        }
    }

    static S3Store connect(S3Settings settings, Identity identity, Optional<Proxy> proxy, DataPath.Kind kind)
            throws StoreException {
        var errors = new S3Errors(settings, identity);
        return new S3Store(settings, Roads.to(settings, identity, proxy, kind, errors), errors);
    }

    @Override
    public Capabilities capabilities() {
        return new Capabilities(
                settings.sizes().inlineBelow(), habits.exclusiveCreate(), Stager.MAX_KEY_BYTES, false, true);
    }

    @Override
    public String where() {
        return settings.where();
    }

    @Override
    public void list(ListRequest request, EntrySink sink) throws StoreException, InterruptedException {
        new Listing(lookups, errors, request, sink).run();
    }

    /** One HEAD; the kind is SYMLINK for an object that stands for one. */
    @Override
    public Entry stat(String key) throws StoreException, InterruptedException {
        var head = readBack.head(key, null, null);
        long size = head.number("content-length");
        if (size == -1) {
            throw errors.found(Kind.TRANSIENT, Operation.STAT, key, "the answer names no Content-Length");
        }
        var meta = ObjectMeta.of(head);
        var kind = meta.linkTarget() != null
                ? Entry.Kind.SYMLINK
                : key.endsWith("/") && size == 0 ? Entry.Kind.FOLDER : Entry.Kind.FILE;
        return new Entry(
                key, kind, new Version.S3(key, size, head.etag(), null, ObjectMeta.lastModifiedMillis(head)), meta);
    }

    @Override
    public ReadReceipt read(Version version, long offset, long length, ByteBuffer scratch, PieceSink sink)
            throws StoreException, InterruptedException {
        var v = own(version);
        if (offset < 0 || length < 0 || offset > v.size() - length) {
            throw new IllegalArgumentException(offset + "+" + length + " is outside of " + v.size() + " bytes");
        }
        boolean whole = PinnedReader.whole(v, offset, length);
        if (length == 0 && !whole) {
            return ReadReceipt.NOTHING;
        }
        var reader = new PinnedReader(v, offset, length, scratch, sink, habits, errors);
        var receipt = get(v, offset, whole ? -1 : length, reader);
        return whole || offset > 0 ? receipt : withObjectChecksum(v, receipt);
    }

    private ReadReceipt get(Version.S3 v, long offset, long length, PinnedReader reader)
            throws StoreException, InterruptedException {
        var etag = v.etag().isEmpty() ? null : v.etag();
        boolean ask = !habits.refusesChecksums();
        try {
            return data.get(new Get(v.key(), v.versionId(), etag, offset, length, ask), reader);
        } catch (StoreException e) {
            if (!ask || !ServerHabits.mayBeHeader(e)) {
                throw e;
            }
            var receipt = data.get(new Get(v.key(), v.versionId(), etag, offset, length, false), reader);
            habits.learnRefusesChecksums();
            return receipt;
        }
    }

    /** Ranges come without the object's checksum: it is asked for once, with the first one. */
    private ReadReceipt withObjectChecksum(Version.S3 v, ReadReceipt receipt)
            throws StoreException, InterruptedException {
        if (habits.refusesChecksums()) {
            return receipt;
        }
        var head = readBack.headWithChecksum(v.key(), v.etag().isEmpty() ? null : v.etag());
        requireSame(v, head);
        return new ReadReceipt(ReadBack.wholeCrc32c(head), false, receipt.meta());
    }

    @Override
    public void checkUnchanged(Version version) throws StoreException, InterruptedException {
        var v = own(version);
        Headers head;
        try {
            head = readBack.head(v.key(), v.etag().isEmpty() ? null : v.etag(), v.versionId());
        } catch (StoreException e) {
            if (e.kind() == Kind.NOT_FOUND && !e.wholeStore()) {
                throw errors.found(Kind.CHANGED, Operation.STAT, v.key(), "the object is gone");
            }
            throw e;
        }
        requireSame(v, head);
    }

    private void requireSame(Version.S3 v, Headers head) throws StoreException {
        boolean same = v.etag().isEmpty()
                ? ObjectMeta.lastModifiedMillis(head) / 1000 == v.lastModifiedMillis() / 1000
                : v.etag().equals(head.etag());
        if (!same || head.number("content-length") != v.size()) {
            throw errors.found(
                    Kind.CHANGED,
                    Operation.STAT,
                    v.key(),
                    "the object has changed: ETag " + head.etag() + " of " + head.number("content-length")
                            + " bytes, planned was " + v.etag() + " of " + v.size());
        }
    }

    private static Version.S3 own(Version version) {
        if (version instanceof Version.S3 v) {
            return v;
        }
        throw new IllegalArgumentException("not a version of S3: " + version);
    }

    @Override
    public boolean prepareAsks(StageRequest request) {
        return stager.prepareAsks(request);
    }

    @Override
    public StagedFile.Stub prepare(StageRequest request) throws StoreException, InterruptedException {
        return stager.prepare(request);
    }

    @Override
    public StagedWrite open(StagedFile.Stub stub) throws StoreException, InterruptedException {
        return stager.open(stub);
    }

    @Override
    public PublishOutcome publish(StagedFile file, InlineSource inline) throws StoreException, InterruptedException {
        return publication.publish(file, inline);
    }

    /** An answered PUT or completion is durable; there is nothing to do. */
    @Override
    public void syncFolders(List<String> finalKeys) {}

    @Override
    public void discard(StagedFile.Stub stub) throws StoreException, InterruptedException {
        stager.discard(stub);
    }

    /** A retry after an answer that was lost finds its own object, and false: content must tell the caller whose it is. */
    @Override
    public boolean createExclusively(String key, byte[] content) throws StoreException, InterruptedException {
        try {
            write(key, content, Map.of("if-none-match", "*"));
            return true;
        } catch (StoreException e) {
            if (RefusedException.status(e) == 412) {
                return false;
            }
            throw e;
        }
    }

    @Override
    public void put(String key, byte[] content) throws StoreException, InterruptedException {
        write(key, content, Map.of());
    }

    private void write(String key, byte[] content, Map<String, String> headers)
            throws StoreException, InterruptedException {
        PieceSource source = (offset, dst) -> dst.put(content, (int) offset, dst.remaining());
        var scratch = ByteBuffer.allocate(Math.clamp(content.length, 1, Publication.PIECE));
        publication.write(key, headers, content.length, Crc32c.of(ByteBuffer.wrap(content)), false, source, scratch);
    }

    /**
     * Finds out whether {@link #createExclusively} can be trusted here: the same new key is created twice; some servers answer
     * 200 and overwrite. Remembered in {@link #capabilities}.
     *
     * @param folder key of a folder, empty or ending in a slash, where one small object may be made and deleted
     */
    public boolean testExclusiveCreate(String folder) throws StoreException, InterruptedException {
        var key = folder + ".forebay-test-"
                + Long.toHexString(ThreadLocalRandom.current().nextLong());
        try {
            boolean honoured = createExclusively(key, "1".getBytes(StandardCharsets.US_ASCII))
                    && !createExclusively(key, "2".getBytes(StandardCharsets.US_ASCII));
            habits.learnExclusiveCreate(honoured);
            return honoured;
        } catch (StoreException e) {
            if (RefusedException.status(e) != 501) {
                throw e;
            }
            habits.learnExclusiveCreate(false);
            return false;
        } finally {
            delete(key);
        }
    }

    @Override
    public byte[] get(String key, int limit) throws StoreException, InterruptedException {
        return data.get(new Get(key, null, null, 0, -1, false), new SmallReader(key, limit, habits, errors));
    }

    @Override
    public void delete(String key) throws StoreException, InterruptedException {
        control.delete(key, null);
    }

    @Override
    public void close() {
        roads.close();
    }
}
