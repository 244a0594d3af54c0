package io.forebay.sidecar.store.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.forebay.sidecar.store.Crc32c;
import io.forebay.sidecar.store.FileMeta;
import io.forebay.sidecar.store.ReadReceipt;
import io.forebay.sidecar.store.StageRequest;
import io.forebay.sidecar.store.StagedFile;
import io.forebay.sidecar.store.Store.InlineSource;
import io.forebay.sidecar.store.Store.PieceSource;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.Version;
import io.forebay.testing.ScriptedS3;
import io.forebay.testing.ScriptedS3.Request;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A store against a server that does what the test says. Parts are of 1,000 bytes, what is smaller is INLINE. */
abstract class ScriptedTest {
    static final String BUCKET = "bucket";
    static final int PART = 1000;
    static final FileMeta META = new FileMeta(0644, 1_600_000_000_000_000_000L, null);
    /** Passes even where nothing is wrong but the machine's load: only for requests that hang anyway. */
    static final Duration SHORT = Duration.ofMillis(400);

    static final Duration PATIENT = Duration.ofSeconds(30);

    static final Predicate<Request> GET = r -> r.isData("GET");
    static final Predicate<Request> PUT = r -> r.isData("PUT");
    static final Predicate<Request> HEAD = r -> r.method().equals("HEAD");
    static final Predicate<Request> CREATE =
            r -> r.method().equals("POST") && r.query().containsKey("uploads");
    static final Predicate<Request> COMPLETE =
            r -> r.method().equals("POST") && r.query().containsKey("uploadId");
    static final Predicate<Request> LIST =
            r -> r.method().equals("GET") && r.query().containsKey("list-type");

    ScriptedS3 server;
    S3Store store;

    @BeforeEach
    void start() throws Exception {
        server = ScriptedS3.start(BUCKET);
        store = connect();
    }

    @AfterEach
    void stop() throws Exception {
        store.close();
        server.close();
    }

    S3Store connect() throws StoreException {
        return S3Store.connect(settings(), TestStores.identity(), Optional.empty(), DataPath.Kind.LEAN);
    }

    S3Settings settings() {
        return TestStores.settings(server.endpoint(), BUCKET)
                .withSizes(new PartPlan.Sizes(PART, PART))
                .withTimeouts(new S3Settings.Timeouts(PATIENT, PATIENT, PATIENT));
    }

    /** From now on the store waits no longer than {@link #SHORT} for an answer. */
    void impatient() throws StoreException {
        store.close();
        store = S3Store.connect(
                settings().withTimeouts(new S3Settings.Timeouts(PATIENT, SHORT, SHORT)),
                TestStores.identity(),
                Optional.empty(),
                DataPath.Kind.LEAN);
    }

    static byte[] content(int seed, int size) {
        var bytes = new byte[size];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    static PieceSource source(byte[] bytes) {
        return (offset, dst) -> dst.put(bytes, (int) offset, dst.remaining());
    }

    static InlineSource present(byte[] bytes) {
        return new InlineSource.Present(source(bytes));
    }

    static ByteBuffer scratch() {
        return ByteBuffer.allocateDirect(300);
    }

    Version version(String key) throws Exception {
        return store.stat(key).version();
    }

    /** What a read gave. */
    record Got(byte[] bytes, ReadReceipt receipt) {}

    Got read(Version version, long offset, long length) throws Exception {
        var out = ByteBuffer.allocate((int) length);
        var receipt = store.read(version, offset, length, scratch(), (at, piece) -> out.put(piece));
        return new Got(out.array(), receipt);
    }

    Got readAll(Version version) throws Exception {
        return read(version, 0, version.size());
    }

    StagedFile.Stub prepare(String key, int size) throws Exception {
        return store.prepare(new StageRequest(key, "", size, META, "token"));
    }

    StagedFile stage(String key, byte[] bytes) throws Exception {
        return write(prepare(key, bytes.length), bytes);
    }

    StagedFile write(StagedFile.Stub stub, byte[] bytes) throws Exception {
        try (var write = store.open(stub)) {
            for (int part = 0; part < write.parts(); part++) {
                write.write(part, source(bytes), scratch());
            }
            return write.seal();
        }
    }

    static long crc(byte[] bytes) {
        return Crc32c.of(ByteBuffer.wrap(bytes));
    }

    interface Call {
        void run() throws Exception;
    }

    static StoreException failure(Call call) {
        var thrown = catchThrowable(call::run);
        assertThat(thrown).isInstanceOf(StoreException.class);
        return (StoreException) thrown;
    }

    static void fails(StoreException.Kind kind, Call call) {
        var e = failure(call);
        assertThat(e.kind()).as(e.getMessage()).isEqualTo(kind);
    }

    static byte[] flipped(byte[] bytes, int at) {
        var copy = bytes.clone();
        copy[at] ^= 1;
        return copy;
    }

    byte[] stored(String key) {
        var stored = server.objects().get(key);
        assertThat(stored).as(key).isNotNull();
        return stored.content();
    }
}
