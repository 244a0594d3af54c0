package io.forebay.sidecar.transfer;

import io.forebay.sidecar.store.FileMeta;
import io.forebay.sidecar.store.StagedFile;
import io.forebay.sidecar.store.Store;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.Version;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The transfers of one process: one pool of memory for all, and for each store two lanes (in, out) with limits of their own, so
 * that a store that hangs cannot stop the others. Callers may be virtual threads by the thousand: they wait here, requests run
 * on other threads. Interrupting a caller ends its call at once, or within {@link TransferConfig#interruptGrace} if the store
 * does not let go.
 */
public final class TransferEngine implements Transfers, AutoCloseable {
    /** Calls of {@link #retrying} at once, over all stores. */
    private static final int CALLS = 128;

    private final Tools tools;
    private final Semaphore calls = new Semaphore(CALLS, true);
    private final Lane local;
    /** Guarded by itself. */
    private final Map<Store, Lanes> lanes = new IdentityHashMap<>();

    private record Lanes(Lane in, Lane out) {}

    /** @param pool of the caller's: it is not closed here */
    public TransferEngine(ChunkPool pool, TransferConfig config, TransferCounters counters) {
        this(pool, config, counters, Timing.SYSTEM, RandomGenerator.getDefault(), PosixBufferFile.OPENER);
    }

    TransferEngine(
            ChunkPool pool,
            TransferConfig config,
            TransferCounters counters,
            Timing timing,
            RandomGenerator jitter,
            BufferFile.Opener files) {
        var retry = new Retry(config.retry(), timing, jitter, counters);
        this.tools = new Tools(pool, new IoThreads(), retry, timing, config, counters, files);
        this.local = new Lane(
                Math.max(2, Runtime.getRuntime().availableProcessors()), false, Optional.empty(), share(pool), timing);
    }

    /** Half of the pool at most for one lane: what a hung store holds must leave others room. */
    private static long share(ChunkPool pool) {
        return Math.max(ChunkPool.LARGE, pool.budgetBytes() / 2);
    }

    /**
     * Says what may be asked of a store; without it {@link StoreLimits#DEFAULT} holds.
     *
     * @throws IllegalStateException it is in use already
     */
    public void limit(Store store, StoreLimits limits) {
        synchronized (lanes) {
            if (lanes.containsKey(store)) {
                throw new IllegalStateException("limits come before the first transfer");
            }
            lanes.put(store, lanes(limits));
        }
    }

    private Lanes lanes(Store store) {
        synchronized (lanes) {
            return lanes.computeIfAbsent(store, s -> lanes(StoreLimits.DEFAULT));
        }
    }

    private Lanes lanes(StoreLimits limits) {
        long share = share(tools.pool());
        return new Lanes(
                new Lane(limits.readers(), limits.adaptive(), limits.readBandwidth(), share, tools.timing()),
                new Lane(limits.writers(), limits.adaptive(), limits.writeBandwidth(), share, tools.timing()));
    }

    public TransferCounters counters() {
        return tools.counters();
    }

    @Override
    public Fetched fetch(Store from, Version version, FileMeta meta, String path)
            throws StoreException, BufferIoException, InterruptedException {
        return new FetchRun(tools, from, lanes(from).in(), version, meta, path).run();
    }

    @Override
    public StagedFile stage(Store to, StagedFile.Stub stub, String path)
            throws StoreException, BufferIoException, InterruptedException {
        return switch (stub.kind()) {
            case INLINE ->
                new StagedFile(stub, List.of(), stub.size(), new FileChecksum(tools, local, path).value(stub.size()));
            case TEMP, UPLOAD, LINK, FOLDER -> new StageRun(tools, to, lanes(to).out(), stub, path).run();
        };
    }

    @Override
    public Store.PublishOutcome publish(Store to, StagedFile file, @Nullable String path)
            throws StoreException, BufferIoException, InterruptedException {
        return new PublishRun(tools, to, lanes(to).out(), file, path).run();
    }

    @Override
    public List<Store.PublishOutcome> publishAll(Store to, List<StagedFile> files)
            throws StoreException, InterruptedException {
        var permit = lanes(to).out().gate().acquire(new Gate.Claim(), 0);
        return Request.run(
                tools, "publishing " + files.size() + " files", () -> to.publishAll(files), permit, unwanted -> {});
    }

    @Override
    public long checksum(String path) throws BufferIoException, InterruptedException {
        return new FileChecksum(tools, local, path).value(-1);
    }

    /** The call runs on a thread of the engine's: it must not count on locks or thread locals of the caller's. */
    @Override
    public <T> T retrying(String what, StoreCall<T> call) throws StoreException, InterruptedException {
        return tools.retry().call(what, () -> {
            calls.acquire();
            return Request.run(tools, what, call, new CallHold(), unwanted -> {});
        });
    }

    /** A call that is left behind makes room for others. */
    private final class CallHold implements Hold {
        private final AtomicBoolean held = new AtomicBoolean(true);

        @Override
        public void leave() {
            close();
        }

        @Override
        public void close() {
            if (held.getAndSet(false)) {
                calls.release();
            }
        }
    }

    /** Requests at this store now: read, written. */
    int running(Store store) {
        var both = lanes(store);
        return both.in().gate().running() + both.out().gate().running();
    }

    /** Interrupts what is under way. */
    @Override
    public void close() {
        tools.io().close();
    }
}
