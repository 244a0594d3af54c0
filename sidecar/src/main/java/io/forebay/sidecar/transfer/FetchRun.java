package io.forebay.sidecar.transfer;

import io.forebay.sidecar.store.FileMeta;
import io.forebay.sidecar.store.ReadReceipt;
import io.forebay.sidecar.store.Store;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.StoreException.Kind;
import io.forebay.sidecar.store.Version;
import io.forebay.sidecar.transfer.Transfers.BufferIoException;
import io.forebay.sidecar.transfer.Transfers.Fetched;
import org.jspecify.annotations.Nullable;

/**
 * Brings one version into one file of the buffer. Each piece gets its CRC32C as it enters memory; the file's is combined from
 * them and compared with the store's, where it tells one. A file that was wrong, or that the buffer could not take once, is
 * begun again as a new file.
 */
final class FetchRun {
    private final Tools tools;
    private final Store store;
    private final Lane lane;
    private final Version version;
    private final FileMeta meta;
    private final String path;

    FetchRun(Tools tools, Store store, Lane lane, Version version, FileMeta meta, String path) {
        this.tools = tools;
        this.store = store;
        this.lane = lane;
        this.version = version;
        this.meta = meta;
        this.path = path;
    }

    Fetched run() throws StoreException, BufferIoException, InterruptedException {
        lane.enterFile();
        try (var tally = tools.retry().begin("reading " + version.key())) {
            boolean bufferFailed = false;
            while (true) {
                try {
                    return once();
                } catch (MismatchException e) {
                    tally.failed(e.asStoreException());
                } catch (BufferIoException e) {
                    if (bufferFailed || e.noSpace()) {
                        throw e;
                    }
                    bufferFailed = true; // an I/O error may pass; the second one is the medium's
                    tools.counters().retries.increment();
                    tools.counters().say(path + " is written again: " + e.getMessage());
                }
            }
        } finally {
            lane.leaveFile();
        }
    }

    /** The bytes are not those that the store has. */
    private static final class MismatchException extends Exception {
        private static final long serialVersionUID = 1L;

        MismatchException(String message) {
            super(message);
        }

        StoreException asStoreException() {
            return new StoreException(Kind.CORRUPT, String.valueOf(getMessage()), this);
        }
    }

    private Fetched once() throws StoreException, BufferIoException, InterruptedException, MismatchException {
        boolean whole = false;
        var target = new FetchTarget(tools.files(), path, version.size(), tools.counters().bytesFetched);
        try (target) {
            var checksum = new ChunkedChecksum();
            var receipt = parts(target, checksum);
            long crc = checksum.value(version.size());
            if (receipt.crc32c() >= 0 && receipt.crc32c() != crc) {
                throw new MismatchException("%s: the bytes read have CRC32C %08x, the store says %08x"
                        .formatted(version.key(), crc, receipt.crc32c()));
            }
            target.finish(described(receipt));
            whole = true;
            tools.counters().filesFetched.increment();
            return new Fetched(version.size(), crc, receipt.verified() || receipt.crc32c() >= 0, receipt);
        } finally {
            if (!whole) {
                target.forget();
            }
        }
    }

    /** All parts; their receipts joined: verified if all are. */
    private ReadReceipt parts(FetchTarget target, ChunkedChecksum checksum)
            throws StoreException, BufferIoException, InterruptedException {
        long size = version.size();
        long partSize = size <= tools.config().splitAbove().value() ? Math.max(size, 1) : partSize(size);
        int count = Math.toIntExact(Math.max(1, Math.ceilDiv(size, partSize)));
        var job = new FetchJob(tools, store, version, lane, new Gate.Claim(), target);
        var joined = new Joined();
        Parallel.run(count, lane.most(), i -> {
            long start = i * partSize;
            var part = new PartFetch(job, start, Math.min(size, start + partSize));
            var receipt = part.run();
            checksum.add(part.start(), part.length(), part.crc32c());
            joined.add(start == 0 && part.resumed() && !told(receipt) ? withChecksum(receipt) : receipt);
        });
        return joined.receipt();
    }

    private static boolean told(ReadReceipt receipt) {
        return receipt.crc32c() >= 0 || receipt.verified();
    }

    /** Stores tell the checksum of the whole with its first byte; the answer that began there broke off. */
    private ReadReceipt withChecksum(ReadReceipt receipt)
            throws StoreException, BufferIoException, InterruptedException {
        var job = new FetchJob(tools, store, version, lane, new Gate.Claim(), FetchTarget.nowhere());
        var first = new PartFetch(job, 0, 1).run();
        return new ReadReceipt(first.crc32c(), false, receipt.meta() != null ? receipt.meta() : first.meta());
    }

    /** So that each request running now gets about four parts: none then finishes long before the others. */
    private long partSize(long size) {
        long even = Math.ceilDiv(size, 4L * lane.gate().limit());
        return Math.clamp(
                even,
                tools.config().smallestPart().value(),
                tools.config().largestPart().value());
    }

    /** What the store told beside the bytes is nearer the truth than the listing. */
    private FileMeta described(ReadReceipt receipt) {
        var told = receipt.meta();
        if (told == null) {
            return meta;
        }
        return new FileMeta(
                told.mode() >= 0 ? told.mode() : meta.mode(),
                told.mtimeNanos() >= 0 ? told.mtimeNanos() : meta.mtimeNanos(),
                meta.linkTarget());
    }

    /** Thread-safe. */
    private static final class Joined {
        private boolean verified = true;
        private long crc32c = -1;
        private @Nullable FileMeta meta;

        synchronized void add(ReadReceipt receipt) {
            verified &= receipt.verified();
            crc32c = Math.max(crc32c, receipt.crc32c());
            if (receipt.meta() != null) {
                meta = receipt.meta();
            }
        }

        synchronized ReadReceipt receipt() {
            return new ReadReceipt(crc32c, verified, meta);
        }
    }
}
