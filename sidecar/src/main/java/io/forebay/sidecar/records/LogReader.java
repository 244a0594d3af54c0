package io.forebay.sidecar.records;

import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.StoreException.Kind;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Reads the log of one generation, streamed. */
final class LogReader {
    private final RecordsFolder folder;
    private final Claim claim;

    LogReader(RecordsFolder folder, Claim claim) {
        this.folder = folder;
        this.claim = claim;
    }

    static Path file(Path folder, int generation) {
        return folder.resolve(Claim.name("log", generation) + ".jsonl");
    }

    /**
     * @param limit how far it was sealed: exactly that much is read, and must be there; null: all there is
     * @return how far it was read
     */
    Seal.Read read(Seal.@Nullable Read limit, LogScanner.LineSink sink)
            throws StoreException, RecordsDamagedException, InterruptedException {
        if (limit != null && limit.equals(Seal.Read.NOTHING)) {
            return limit;
        }
        return claim.inFile() ? readFile(limit, sink) : readObjects(limit, sink);
    }

    private Seal.Read readFile(Seal.@Nullable Read limit, LogScanner.LineSink sink)
            throws StoreException, RecordsDamagedException, InterruptedException {
        var path = folder.path()
                .orElseThrow(() -> new StoreException(
                        Kind.BAD_NAME,
                        "the path of " + folder.uri()
                                + " cannot be written in this locale; set LC_ALL=C.UTF-8 and run again"));
        var file = file(path, claim.generation());
        try (InputStream in = new FileInputStream(file.toFile())) {
            var stream = limit == null ? in : new LimitedStream(in, limit.bytes());
            var extent = new LogScanner(stream, file.toString(), 0).scan(limit != null, sink);
            if (limit != null && extent.bytes() < limit.bytes()) {
                throw new RecordsDamagedException(
                        file + " has " + extent.bytes() + " bytes, but a coordinator has read " + limit.bytes()
                                + " before: it was cut. Restore it from a copy, or run with --fresh");
            }
            return new Seal.Read(extent.bytes(), extent.batches());
        } catch (FileNotFoundException | NoSuchFileException e) {
            if (Files.exists(file)) {
                throw new StoreException(Kind.DENIED, file + " cannot be read: " + e.getMessage(), e);
            }
            if (limit != null) {
                throw new RecordsDamagedException(file + " is missing");
            }
            return Seal.Read.NOTHING;
        } catch (IOException e) {
            throw new StoreException(Kind.TRANSIENT, file + " cannot be read: " + e.getMessage(), e);
        }
    }

    private Seal.Read readObjects(Seal.@Nullable Read limit, LogScanner.LineSink sink)
            throws StoreException, RecordsDamagedException, InterruptedException {
        long wanted = limit == null ? Long.MAX_VALUE : limit.batches();
        long batches = new ObjectLogReader(folder, claim.generation(), wanted, sink).read();
        if (limit != null && batches < wanted) {
            throw new RecordsDamagedException(folder.uri().resolve(LogObjects.batch(claim.generation(), batches + 1))
                    + " is missing, but was read before");
        }
        return new Seal.Read(0, batches);
    }

    /** The first bytes of a stream. */
    private static final class LimitedStream extends InputStream {
        private final InputStream in;
        private long left;

        LimitedStream(InputStream in, long limit) {
            this.in = in;
            this.left = limit;
        }

        @Override
        public int read() throws IOException {
            var one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] target, int from, int length) throws IOException {
            if (left == 0) {
                return -1;
            }
            int n = in.read(target, from, (int) Math.min(length, left));
            left -= Math.max(n, 0);
            return n;
        }
    }
}
