package io.forebay.sidecar.transfer;

import io.forebay.api.value.Bytes;
import io.forebay.sidecar.store.Crc32c;
import io.forebay.sidecar.store.FileMeta;
import io.forebay.sidecar.store.StageRequest;
import io.forebay.sidecar.store.StagedFile;
import io.forebay.sidecar.store.Store;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Random;
import java.util.random.RandomGenerator;

/** An engine with small parts, over a folder of its own. */
final class EngineFixture implements AutoCloseable {
    /** Requests that stall are noticed as late as in reality: a busy machine must not look like a hung store. */
    static final TransferConfig CALM = config(Duration.ofSeconds(5), Duration.ofSeconds(30));

    /** For tests of stores that hang. */
    static final TransferConfig QUICK = config(Duration.ofMillis(200), Duration.ofMillis(1500));

    private static TransferConfig config(Duration hedgeAfter, Duration stallAfter) {
        return new TransferConfig(
                Bytes.ofMiB(2),
                Bytes.ofMiB(1),
                Bytes.ofMiB(2),
                hedgeAfter,
                stallAfter,
                stallAfter,
                Duration.ofMillis(500),
                3,
                new Retry.Policy(
                        8, 4, 3, Duration.ofMillis(1), Duration.ofMillis(8), Duration.ZERO, Duration.ofMinutes(1)));
    }

    final ChunkPool pool;
    final TransferCounters counters = new TransferCounters(InstantSource.system());
    final TransferEngine engine;
    final Path folder;

    EngineFixture(Path folder) {
        this(folder, CALM, 16L << 20, PosixBufferFile.OPENER);
    }

    EngineFixture(Path folder, TransferConfig config, long poolBytes, BufferFile.Opener files) {
        this.folder = folder;
        this.pool = new ChunkPool(poolBytes);
        this.engine = new TransferEngine(
                pool, config, counters, Timing.SYSTEM, RandomGenerator.of("L64X128MixRandom"), files);
    }

    String path(String name) {
        return folder.resolve(name).toString();
    }

    byte[] bytes(String name) throws IOException {
        return Files.readAllBytes(folder.resolve(name));
    }

    static byte[] random(int length, long seed) {
        var bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    static long crc(byte[] bytes) {
        return Crc32c.of(ByteBuffer.wrap(bytes));
    }

    StagedFile.Stub stub(Store store, String key, long size) throws Exception {
        return store.prepare(new StageRequest(key, "", size, FileMeta.UNKNOWN, key.replace('/', '-')));
    }

    @Override
    public void close() {
        engine.close();
        pool.close();
    }
}
