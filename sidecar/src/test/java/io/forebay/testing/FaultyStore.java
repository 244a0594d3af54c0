package io.forebay.testing;

import io.forebay.sidecar.store.Capabilities;
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
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntPredicate;

/**
 * Puts faults between a store and its user. Operations are named after the methods of {@link Store} and {@link StagedWrite}
 * ("read", "write", "seal", ...); each is counted from 1. Rules are set before use; several may hold for one call. Thread-safe.
 */
public final class FaultyStore implements Store {
    private final Store store;
    private final List<Rule> rules = new CopyOnWriteArrayList<>();
    private final Map<String, AtomicInteger> calls = new ConcurrentHashMap<>();
    private final Map<String, AtomicInteger> running = new ConcurrentHashMap<>();
    private final Map<String, AtomicInteger> most = new ConcurrentHashMap<>();

    private final AtomicInteger openWrites = new AtomicInteger();

    private record Rule(String operation, IntPredicate which, Fault fault) {}

    /** What happens to a call. */
    private sealed interface Fault {
        record Fails(Kind kind) implements Fault {}

        record FailsAfter(Kind kind) implements Fault {}

        /** After so many bytes. */
        record CutsAfter(long bytes, Kind kind) implements Fault {}

        /** Ends early without saying so. */
        record EndsAfter(long bytes) implements Fault {}

        /** Changes one bit of the byte at this place of the request. */
        record FlipsBit(long at) implements Fault {}

        /** Before the first byte. */
        record Hangs(CountDownLatch until, boolean interruptible) implements Fault {}

        record Waits(Duration time) implements Fault {}

        record Peeks() implements Fault {}
    }

    public FaultyStore(Store store) {
        this.store = store;
    }

    /** The n-th call of the operation fails before it does anything. */
    public FaultyStore failing(String operation, int nth, Kind kind) {
        return failing(operation, n -> n == nth, kind);
    }

    public FaultyStore failing(String operation, IntPredicate which, Kind kind) {
        rules.add(new Rule(operation, which, new Fault.Fails(kind)));
        return this;
    }

    /** The n-th call does everything, and then fails: its answer is lost, or it found a fault at its end. */
    public FaultyStore failingAfter(String operation, int nth, Kind kind) {
        rules.add(new Rule(operation, n -> n == nth, new Fault.FailsAfter(kind)));
        return this;
    }

    /** Reads that break after so many bytes, with an error of kind TRANSIENT. */
    public FaultyStore cutting(IntPredicate which, long afterBytes) {
        rules.add(new Rule("read", which, new Fault.CutsAfter(afterBytes, Kind.TRANSIENT)));
        return this;
    }

    /** Reads that end after so many bytes as if that were all: a store that breaks its contract. */
    public FaultyStore endingEarly(IntPredicate which, long afterBytes) {
        rules.add(new Rule("read", which, new Fault.EndsAfter(afterBytes)));
        return this;
    }

    /** Reads or writes in which one bit arrives wrong, unnoticed by the store. */
    public FaultyStore flipping(String operation, IntPredicate which, long atByte) {
        rules.add(new Rule(operation, which, new Fault.FlipsBit(atByte)));
        return this;
    }

    /** Writes that only look at the bytes, since the store has them from an earlier life. */
    public FaultyStore peeking(String operation, IntPredicate which) {
        rules.add(new Rule(operation, which, new Fault.Peeks()));
        return this;
    }

    /** Calls that hang until the latch opens, or they are interrupted. */
    public FaultyStore hanging(String operation, IntPredicate which, CountDownLatch until) {
        rules.add(new Rule(operation, which, new Fault.Hangs(until, true)));
        return this;
    }

    /** As a system call on a file system that hangs: interruptions do nothing. */
    public FaultyStore hangingHard(String operation, IntPredicate which, CountDownLatch until) {
        rules.add(new Rule(operation, which, new Fault.Hangs(until, false)));
        return this;
    }

    /** Each such call takes so much longer. */
    public FaultyStore waiting(String operation, Duration time) {
        rules.add(new Rule(operation, n -> true, new Fault.Waits(time)));
        return this;
    }

    public int calls(String operation) {
        return calls.computeIfAbsent(operation, o -> new AtomicInteger()).get();
    }

    /** {@link StagedWrite}s opened and not closed. */
    public int openWrites() {
        return openWrites.get();
    }

    /** Calls under way now. */
    public int running(String operation) {
        return running.computeIfAbsent(operation, o -> new AtomicInteger()).get();
    }

    /** Most calls that were under way at once. */
    public int mostAtOnce(String operation) {
        return most.computeIfAbsent(operation, o -> new AtomicInteger()).get();
    }

    @FunctionalInterface
    private interface Call<T> {
        T call(List<Fault> faults) throws StoreException, InterruptedException;
    }

    private <T> T around(String operation, Call<T> call) throws StoreException, InterruptedException {
        int n = calls.computeIfAbsent(operation, o -> new AtomicInteger()).incrementAndGet();
        int now = running.computeIfAbsent(operation, o -> new AtomicInteger()).incrementAndGet();
        most.computeIfAbsent(operation, o -> new AtomicInteger()).accumulateAndGet(now, Math::max);
        try {
            var faults = rules.stream()
                    .filter(r -> r.operation().equals(operation) && r.which().test(n))
                    .map(Rule::fault)
                    .toList();
            for (var fault : faults) {
                switch (fault) {
                    case Fault.Fails f -> throw new StoreException(f.kind(), operation + " " + n + " fails by rule");
                    case Fault.Hangs f -> hang(f);
                    case Fault.Waits f -> Thread.sleep(f.time());
                    case Fault.FailsAfter f -> {}
                    case Fault.CutsAfter f -> {}
                    case Fault.EndsAfter f -> {}
                    case Fault.FlipsBit f -> {}
                    case Fault.Peeks f -> {}
                }
            }
            var result = call.call(faults);
            for (var fault : faults) {
                if (fault instanceof Fault.FailsAfter f) {
                    throw new StoreException(f.kind(), operation + " " + n + " fails at its end by rule");
                }
            }
            return result;
        } finally {
            running.get(operation).decrementAndGet();
        }
    }

    private static void hang(Fault.Hangs fault) throws InterruptedException {
        if (fault.interruptible()) {
            fault.until().await();
            return;
        }
        boolean interrupted = false;
        while (fault.until().getCount() > 0) {
            try {
                fault.until().await();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public ReadReceipt read(Version version, long offset, long length, ByteBuffer scratch, PieceSink sink)
            throws StoreException, InterruptedException {
        return around("read", faults -> {
            var wrapped = sink;
            long limit = Long.MAX_VALUE;
            boolean silent = false;
            for (var fault : faults) {
                switch (fault) {
                    case Fault.FlipsBit f -> wrapped = flipping(wrapped, offset + f.at());
                    case Fault.CutsAfter f -> limit = f.bytes();
                    case Fault.EndsAfter f -> {
                        limit = f.bytes();
                        silent = true;
                    }
                    case Fault.Fails f -> {}
                    case Fault.FailsAfter f -> {}
                    case Fault.Hangs f -> {}
                    case Fault.Waits f -> {}
                    case Fault.Peeks f -> {}
                }
            }
            if (limit >= length) {
                return store.read(version, offset, length, scratch, wrapped);
            }
            store.read(version, offset, limit, scratch, wrapped);
            if (silent) {
                return ReadReceipt.NOTHING;
            }
            throw new StoreException(Kind.TRANSIENT, "connection reset after " + limit + " bytes");
        });
    }

    private static PieceSink flipping(PieceSink sink, long at) {
        return (offset, piece) -> {
            if (at >= offset && at < offset + piece.remaining()) {
                int i = piece.position() + (int) (at - offset);
                piece.put(i, (byte) (piece.get(i) ^ 4));
            }
            sink.accept(offset, piece);
        };
    }

    @Override
    public StagedWrite open(StagedFile.Stub stub) throws StoreException, InterruptedException {
        return around("open", faults -> {
            var write = new FaultyWrite(store.open(stub));
            openWrites.incrementAndGet();
            return write;
        });
    }

    private final class FaultyWrite implements StagedWrite {
        private final StagedWrite write;

        FaultyWrite(StagedWrite write) {
            this.write = write;
        }

        @Override
        public int parts() {
            return write.parts();
        }

        @Override
        public long offset(int part) {
            return write.offset(part);
        }

        @Override
        public long length(int part) {
            return write.length(part);
        }

        @Override
        public long write(int part, PieceSource source, ByteBuffer scratch)
                throws StoreException, InterruptedException {
            return around("write", faults -> {
                var wrapped = source;
                for (var fault : faults) {
                    if (fault instanceof Fault.FlipsBit f) {
                        wrapped = flipping(source, write.offset(part) + f.at());
                    } else if (fault instanceof Fault.Peeks) {
                        wrapped = source::peek;
                    }
                }
                return write.write(part, wrapped, scratch);
            });
        }

        @Override
        public StagedFile seal() throws StoreException, InterruptedException {
            return around("seal", faults -> write.seal());
        }

        @Override
        public void close() {
            calls.computeIfAbsent("close", o -> new AtomicInteger()).incrementAndGet();
            openWrites.decrementAndGet();
            write.close();
        }
    }

    private static PieceSource flipping(PieceSource source, long at) {
        return (offset, dst) -> {
            int start = dst.position();
            int length = dst.remaining();
            source.fill(offset, dst);
            if (at >= offset && at < offset + length) {
                int i = start + (int) (at - offset);
                dst.put(i, (byte) (dst.get(i) ^ 4));
            }
        };
    }

    @Override
    public Capabilities capabilities() {
        return store.capabilities();
    }

    @Override
    public void list(ListRequest request, EntrySink sink) throws StoreException, InterruptedException {
        around("list", faults -> {
            store.list(request, sink);
            return true;
        });
    }

    @Override
    public Entry stat(String key) throws StoreException, InterruptedException {
        return around("stat", faults -> store.stat(key));
    }

    @Override
    public void checkUnchanged(Version version) throws StoreException, InterruptedException {
        around("checkUnchanged", faults -> {
            store.checkUnchanged(version);
            return true;
        });
    }

    @Override
    public StagedFile.Stub prepare(StageRequest request) throws StoreException, InterruptedException {
        return around("prepare", faults -> store.prepare(request));
    }

    @Override
    public PublishOutcome publish(StagedFile file, InlineSource inline) throws StoreException, InterruptedException {
        return around("publish", faults -> store.publish(file, inline));
    }

    @Override
    public void syncFolders(List<String> finalKeys) throws StoreException, InterruptedException {
        around("syncFolders", faults -> {
            store.syncFolders(finalKeys);
            return true;
        });
    }

    @Override
    public void discard(StagedFile.Stub stub) throws StoreException, InterruptedException {
        around("discard", faults -> {
            store.discard(stub);
            return true;
        });
    }

    @Override
    public boolean createExclusively(String key, byte[] content) throws StoreException, InterruptedException {
        return around("createExclusively", faults -> store.createExclusively(key, content));
    }

    @Override
    public void put(String key, byte[] content) throws StoreException, InterruptedException {
        around("put", faults -> {
            store.put(key, content);
            return true;
        });
    }

    @Override
    public byte[] get(String key, int limit) throws StoreException, InterruptedException {
        return around("get", faults -> store.get(key, limit));
    }

    @Override
    public void delete(String key) throws StoreException, InterruptedException {
        around("delete", faults -> {
            store.delete(key);
            return true;
        });
    }

    @Override
    public void close() {
        store.close();
    }
}
