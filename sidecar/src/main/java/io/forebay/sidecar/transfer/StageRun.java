package io.forebay.sidecar.transfer;

import io.forebay.sidecar.store.Crc32c;
import io.forebay.sidecar.store.StagedFile;
import io.forebay.sidecar.store.StagedWrite;
import io.forebay.sidecar.store.Store;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.StoreException.Kind;
import io.forebay.sidecar.transfer.Transfers.BufferIoException;
import io.forebay.sidecar.transfer.Transfers.StoreCall;
import java.io.EOFException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * Gives one file of the buffer to a store: open, parts side by side, seal. A part whose bytes arrived wrong is sent again; a
 * file whose seal failed is staged anew, since after a failed fsync nobody knows which bytes are lost: opened again, a temporary
 * file is a new one, while an upload keeps its id, which is on record, and gets its parts again.
 */
final class StageRun {
    private final Tools tools;
    private final Store store;
    private final Lane lane;
    private final StagedFile.Stub stub;
    private final String path;
    private final Gate.Claim claim = new Gate.Claim();
    private final LongAdder landed = new LongAdder();

    StageRun(Tools tools, Store store, Lane lane, StagedFile.Stub stub, String path) {
        this.tools = tools;
        this.store = store;
        this.lane = lane;
        this.stub = stub;
        this.path = path;
    }

    /** The seal, or the whole of a small file, failed in a way that a new beginning may mend. */
    private static final class AnewException extends Exception {
        private static final long serialVersionUID = 1L;
        private final StoreException why;

        AnewException(StoreException why) {
            super(why);
            this.why = why;
        }
    }

    StagedFile run() throws StoreException, BufferIoException, InterruptedException {
        lane.enterFile();
        try (var source = new SharedFile<>(() -> tools.files().open(path));
                var tally = tools.retry().begin("staging " + stub.finalKey())) {
            requireSource(source);
            boolean bufferFailed = false;
            for (int round = 0; ; round++) {
                boolean whole = false;
                try {
                    var staged = tally.passed(once(source));
                    whole = true;
                    tools.counters().filesStaged.increment();
                    return staged;
                } catch (AnewException e) {
                    if (inParts() && round >= tools.config().restages()) {
                        throw e.why;
                    }
                    tally.failed(e.why);
                } catch (BufferIoException e) {
                    if (bufferFailed || e.getCause() instanceof EOFException) {
                        throw e;
                    }
                    bufferFailed = true; // an I/O error may pass; the second one is the medium's
                    tools.counters().retries.increment();
                    tools.counters().say(path + " is read again: " + e.getMessage());
                } finally {
                    if (!whole) {
                        tools.counters().bytesStaged.add(-landed.sumThenReset());
                    }
                }
            }
        } finally {
            lane.leaveFile();
        }
    }

    /** An empty file is never read, but must be there. */
    private void requireSource(SharedFile<BufferFile> source) throws BufferIoException {
        switch (stub.kind()) {
            case TEMP, UPLOAD, INLINE -> {
                source.enter();
                source.leave();
            }
            case LINK, FOLDER -> {}
        }
    }

    /** Uploads always: their store has its own part size. */
    private boolean inParts() {
        return stub.kind() == StagedFile.Kind.UPLOAD
                || stub.size() > tools.config().splitAbove().value();
    }

    private StagedFile once(SharedFile<BufferFile> source)
            throws StoreException, BufferIoException, InterruptedException, AnewException {
        return inParts() ? partByPart(source) : atOnce(source);
    }

    /** A small file in one go, with one permit. */
    private StagedFile atOnce(SharedFile<BufferFile> source)
            throws StoreException, BufferIoException, InterruptedException, AnewException {
        try {
            return Send.once(
                    tools,
                    lane,
                    claim,
                    source,
                    "staging " + stub.finalKey(),
                    stub.size(),
                    this::landed,
                    (send, scratch) -> {
                        var whole = whole(send, scratch);
                        if (whole.isPresent()) {
                            return whole.get();
                        }
                        try (var write = store.open(stub)) {
                            long crc = Crc32c.EMPTY;
                            for (int part = 0; part < write.parts(); part++) {
                                crc = Crc32c.combine(crc, write(send, write, part, scratch), write.length(part));
                            }
                            send.bePatient();
                            return sealed(write, crc);
                        }
                    });
        } catch (StoreException e) {
            if (e.kind().worthRetrying()) {
                throw new AnewException(e);
            }
            throw e;
        }
    }

    /** By the store's shorter way, where it has one. */
    private Optional<StagedFile> whole(Send<?> send, ByteBuffer scratch) throws StoreException, InterruptedException {
        if (stub.size() > scratch.capacity()) {
            return Optional.empty();
        }
        send.beginPart(0, stub.size());
        var staged = store.stageWhole(stub, send, scratch, send::bePatient);
        if (staged.isPresent()) {
            requireSame(staged.get(), send.endPart());
        }
        return staged;
    }

    private StagedFile partByPart(SharedFile<BufferFile> source)
            throws StoreException, BufferIoException, InterruptedException, AnewException {
        var what = "opening " + stub.finalKey();
        var opened = tools.retry().call(what, () -> request(what, () -> store.open(stub), StagedWrite::close));
        try (var write = SharedFile.of(opened)) {
            var checksum = new ChunkedChecksum();
            Parallel.run(opened.parts(), lane.most(), part -> {
                long crc = part(source, write, opened, part);
                checksum.add(opened.offset(part), opened.length(part), crc);
            });
            return seal(write, checksum.value(stub.size()));
        }
    }

    private long part(SharedFile<BufferFile> source, SharedFile<StagedWrite> write, StagedWrite opened, int part)
            throws StoreException, BufferIoException, InterruptedException {
        var what = "staging part " + (part + 1) + " of " + opened.parts() + " of " + stub.finalKey();
        try (var tally = tools.retry().begin(what)) {
            while (true) {
                try {
                    return tally.passed(Send.once(
                            tools, lane, claim, source, what, opened.length(part), this::landed, (send, scratch) -> {
                                var entered = enter(write);
                                try {
                                    return write(send, entered, part, scratch);
                                } finally {
                                    write.leave();
                                }
                            }));
                } catch (StoreException e) {
                    tally.failed(e);
                }
            }
        }
    }

    private static StagedWrite enter(SharedFile<StagedWrite> write) throws StoreException {
        try {
            return write.enter();
        } catch (BufferIoException e) {
            throw new StoreException(Kind.TRANSIENT, "the transfer was given up", e);
        }
    }

    /** @return CRC32C of the part, found equal on both sides */
    private long write(Send<?> send, StagedWrite write, int part, ByteBuffer scratch)
            throws StoreException, InterruptedException {
        send.beginPart(write.offset(part), write.length(part));
        long sent = write.write(part, send, scratch);
        long read = send.endPart();
        if (sent != read) {
            throw new StoreException(
                    Kind.CORRUPT,
                    "%s: part %d was read as CRC32C %08x and sent as %08x"
                            .formatted(stub.finalKey(), part + 1, read, sent));
        }
        return sent;
    }

    private StagedFile seal(SharedFile<StagedWrite> write, long crc)
            throws StoreException, InterruptedException, AnewException {
        try {
            return request(
                    "sealing " + stub.finalKey(),
                    () -> {
                        var entered = enter(write);
                        try {
                            return sealed(entered, crc);
                        } finally {
                            write.leave();
                        }
                    },
                    done -> {});
        } catch (StoreException e) {
            if (e.kind().worthRetrying()) {
                throw new AnewException(e);
            }
            throw e;
        }
    }

    private StagedFile sealed(StagedWrite write, long crc) throws StoreException, InterruptedException {
        var staged = write.seal();
        requireSame(staged, crc);
        return staged;
    }

    private void requireSame(StagedFile staged, long crc) throws StoreException {
        if (staged.size() != stub.size() || staged.crc32c() != crc) {
            throw new StoreException(
                    Kind.CORRUPT,
                    "%s: %d bytes of CRC32C %08x were sent, sealed are %d bytes of %08x"
                            .formatted(stub.finalKey(), stub.size(), crc, staged.size(), staged.crc32c()));
        }
    }

    private <T> T request(String what, StoreCall<T> call, Consumer<T> orphan)
            throws StoreException, InterruptedException {
        var permit = lane.gate().acquire(claim, 0);
        return Request.run(tools, what, call, permit, orphan);
    }

    private void landed(long bytes) {
        landed.add(bytes);
        tools.counters().bytesStaged.add(bytes);
    }
}
