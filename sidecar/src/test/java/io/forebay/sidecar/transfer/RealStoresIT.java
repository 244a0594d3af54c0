package io.forebay.sidecar.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.api.job.Job.StoreAccess;
import io.forebay.api.name.NameBytes;
import io.forebay.api.value.StoreUri;
import io.forebay.sidecar.os.FileTree;
import io.forebay.sidecar.os.Open;
import io.forebay.sidecar.os.Posix;
import io.forebay.sidecar.os.PosixIo;
import io.forebay.sidecar.os.RealFolders;
import io.forebay.sidecar.store.FileMeta;
import io.forebay.sidecar.store.StageRequest;
import io.forebay.sidecar.store.StagedFile;
import io.forebay.sidecar.store.Store;
import io.forebay.sidecar.store.Store.PublishOutcome;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.StoreException.Kind;
import io.forebay.sidecar.store.posix.PosixStore;
import io.forebay.sidecar.store.s3.Environment;
import io.forebay.sidecar.store.s3.S3Store;
import io.forebay.testing.S3ProxyServer;
import io.forebay.testing.SlowProxy;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The engine with its default times, between the buffer and stores as they are. */
@Timeout(120)
class RealStoresIT {
    private static final FileMeta META = new FileMeta(0640, 1_600_000_000_123_456_789L, null);

    private final ChunkPool pool = new ChunkPool(32 << 20);
    private final TransferCounters counters = new TransferCounters(InstantSource.system());
    private final TransferEngine engine = new TransferEngine(pool, TransferConfig.DEFAULT, counters);
    private String memory;
    private String disk;

    @BeforeEach
    void create() throws Exception {
        memory = RealFolders.create(RealFolders.parents().toList().getLast());
        disk = RealFolders.create(RealFolders.parents().toList().getFirst());
    }

    @AfterEach
    void delete() throws Exception {
        engine.close();
        pool.close();
        FileTree.delete(memory);
        FileTree.delete(disk);
    }

    private static void write(String path, byte[] content) throws Exception {
        var direct = ByteBuffer.allocateDirect(content.length).put(content).flip();
        try (var fd = Posix.open(path, Open.WRONLY | Open.CREAT, 0600)) {
            PosixIo.pwrite(fd, direct, 0);
        }
    }

    private static byte[] read(String path) throws Exception {
        try (var fd = Posix.open(path, Open.RDONLY)) {
            var direct = ByteBuffer.allocateDirect((int) Posix.fstat(fd).size());
            PosixIo.pread(fd, direct, 0);
            var bytes = new byte[direct.flip().remaining()];
            direct.get(bytes);
            return bytes;
        }
    }

    private StagedFile stage(Store store, String key, String root, int size, String path) throws Exception {
        var token = Integer.toHexString(key.hashCode());
        return engine.stage(store, store.prepare(new StageRequest(key, root, size, META, token)), path);
    }

    @ParameterizedTest
    @DisplayName("N1 N6 to a file system and back, also under a name that is no UTF-8")
    @ValueSource(ints = {0, 10, 70_000, 40_000_000})
    void carriesFilesToAFileSystemAndBack(int size) throws Exception {
        var name = NameBytes.decode(new byte[] {'a', '\n', (byte) 0xff, (byte) 0xfe, ' ', '-'});
        var content = EngineFixture.random(size, 1);
        var buffered = memory + "/" + name;
        write(buffered, content);
        try (var store = PosixStore.open(StoreUri.Scheme.FILE)) {
            var key = disk + "/sub/" + name;
            var staged = stage(store, key, disk, size, buffered);
            assertThat(staged.crc32c()).isEqualTo(EngineFixture.crc(content));
            assertThat(engine.publish(store, staged, null)).isEqualTo(PublishOutcome.PUBLISHED);

            var entry = store.stat(key);
            var fetched = engine.fetch(store, entry.version(), entry.meta(), memory + "/back");
            assertThat(fetched.crc32c()).isEqualTo(staged.crc32c());
            assertThat(read(memory + "/back")).isEqualTo(content);
            assertThat(Posix.stat(memory + "/back").permissions()).isEqualTo(0640);
            assertThat(Posix.stat(memory + "/back").mtimeNanos()).isEqualTo(META.mtimeNanos());
        }
    }

    @Test
    @DisplayName("N7 a sparse file of 1 GiB with 1 MiB of data stays sparse on its way in and out")
    void keepsSparseFilesSparse() throws Exception {
        try (var fd = Posix.open(memory + "/a", Open.RDWR | Open.CREAT, 0600)) {
            PosixIo.ftruncate(fd, 1 << 30);
            PosixIo.pwrite(
                    fd,
                    ByteBuffer.allocateDirect(1 << 20)
                            .put(EngineFixture.random(1 << 20, 1))
                            .flip(),
                    500 << 20);
        }
        try (var store = PosixStore.open(StoreUri.Scheme.FILE)) {
            var staged = stage(store, disk + "/a", disk, 1 << 30, memory + "/a");
            engine.publish(store, staged, null);
            assertThat(Posix.stat(disk + "/a").allocatedBytes()).isLessThan(2 << 20);
            var entry = store.stat(disk + "/a");
            var fetched = engine.fetch(store, entry.version(), entry.meta(), memory + "/b");
            assertThat(Posix.stat(memory + "/b").allocatedBytes()).isLessThan(2 << 20);
            assertThat(fetched.crc32c()).isEqualTo(staged.crc32c()).isEqualTo(engine.checksum(memory + "/a"));
        }
    }

    @Test
    @DisplayName("I4 an input that was overwritten with as many bytes is told as changed, at once")
    void tellsAChangedInput() throws Exception {
        write(disk + "/a", new byte[100]);
        try (var store = PosixStore.open(StoreUri.Scheme.FILE)) {
            var entry = store.stat(disk + "/a");
            write(disk + "/a", EngineFixture.random(100, 1));
            assertThatThrownBy(() -> engine.fetch(store, entry.version(), entry.meta(), memory + "/a"))
                    .isInstanceOfSatisfying(
                            StoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.CHANGED));
            assertThat(counters.retries()).isZero();
        }
    }

    @Test
    @DisplayName("Z1 2,000 files of 10 bytes from memory to a disk, durable, in seconds")
    void makesManyTinyFilesDurable() throws Exception {
        for (int i = 0; i < 2_000; i++) {
            write(memory + "/" + i, EngineFixture.random(10, i));
        }
        try (var store = PosixStore.open(StoreUri.Scheme.FILE);
                var threads =
                        Executors.newThreadPerTaskExecutor(Thread.ofVirtual().factory())) {
            engine.limit(store, StoreLimits.of(StoreUri.Scheme.FILE));
            long begun = System.nanoTime();
            var results = new ArrayList<Future<PublishOutcome>>();
            for (int i = 0; i < 2_000; i++) {
                var name = "/" + i;
                results.add(threads.submit(
                        () -> engine.publish(store, stage(store, disk + name, disk, 10, memory + name), null)));
            }
            for (var result : results) {
                assertThat(result.get()).isEqualTo(PublishOutcome.PUBLISHED);
            }
            // 2 s on a machine of its own; here others compute, too
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(10));
        }
    }

    private static Store s3(URI endpoint) throws Exception {
        var uri = StoreUri.parse("s3://bucket");
        var access = new StoreAccess(
                uri,
                endpoint.toString(),
                "us-east-1",
                null,
                null,
                false,
                Optional.of(true),
                null,
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
        var variables = Map.of(
                "AWS_ACCESS_KEY_ID", S3ProxyServer.ACCESS_KEY, "AWS_SECRET_ACCESS_KEY", S3ProxyServer.SECRET_KEY);
        return S3Store.open(uri, access, new Environment(variables, Path.of("no-home")));
    }

    @ParameterizedTest
    @DisplayName("N6 to S3 and back with mode and time, small by PUT at the commit, large by parts")
    @ValueSource(ints = {0, 10, 70_000, 40_000_000})
    void carriesFilesToS3AndBack(int size) throws Exception {
        var content = EngineFixture.random(size, 1);
        write(memory + "/a", content);
        try (var server = S3ProxyServer.inMemory("bucket");
                var store = s3(server.endpoint())) {
            var staged = stage(store, "out/a b+%.x", "out/", size, memory + "/a");
            assertThat(staged.stub().kind())
                    .isEqualTo(size < 8 << 20 ? StagedFile.Kind.INLINE : StagedFile.Kind.UPLOAD);
            assertThat(engine.publish(store, staged, memory + "/a")).isEqualTo(PublishOutcome.PUBLISHED);
            assertThat(counters.bytesStaged()).isEqualTo(size);

            var entry = store.stat("out/a b+%.x");
            var fetched = engine.fetch(store, entry.version(), FileMeta.UNKNOWN, memory + "/back");
            assertThat(fetched.crc32c()).isEqualTo(EngineFixture.crc(content));
            assertThat(read(memory + "/back")).isEqualTo(content);
            assertThat(Posix.stat(memory + "/back").permissions()).isEqualTo(0640);
            assertThat(Posix.stat(memory + "/back").mtimeNanos()).isEqualTo(META.mtimeNanos());
            assertThat(counters.retries()).isZero();
        }
    }

    @Test
    @DisplayName("Z2 small objects over a real protocol at 20 ms come many times as fast as one at a time")
    void hidesTheLatencyOfS3() throws Exception {
        int count = 2_000;
        try (var server = S3ProxyServer.inMemory("bucket");
                var direct = s3(server.endpoint());
                var proxy = new SlowProxy(server.endpoint(), Duration.ofMillis(20), 0);
                var store = s3(proxy.endpoint());
                var threads =
                        Executors.newThreadPerTaskExecutor(Thread.ofVirtual().factory())) {
            direct.put("k", EngineFixture.random(10_240, 1));
            var version = direct.stat("k").version();
            long begun = System.nanoTime();
            for (int i = 0; i < 50; i++) {
                engine.fetch(store, version, FileMeta.UNKNOWN, memory + "/one");
            }
            double one = (System.nanoTime() - begun) / 1e9 / 50;
            begun = System.nanoTime();
            var results = new ArrayList<Future<?>>();
            for (int i = 0; i < count; i++) {
                var path = memory + "/" + i;
                results.add(threads.submit(() -> engine.fetch(store, version, FileMeta.UNKNOWN, path)));
            }
            for (var result : results) {
                result.get();
            }
            double seconds = (System.nanoTime() - begun) / 1e9;
            // 20 times and more on a machine of its own; here the server and its proxy take most of the CPU
            assertThat(count * one / seconds).isGreaterThan(5);
        }
    }
}
