package io.forebay.bench.inner;

import io.forebay.api.job.Job.Medium;
import io.forebay.api.job.Job.StoreAccess;
import io.forebay.api.job.Job.SymlinkPolicy;
import io.forebay.api.value.Bytes;
import io.forebay.api.value.Glob;
import io.forebay.api.value.StoreUri;
import io.forebay.bench.server.ObjectLister;
import io.forebay.bench.server.S3Server;
import io.forebay.sidecar.buffer.BufferOptions;
import io.forebay.sidecar.buffer.TierConfig;
import io.forebay.sidecar.buffer.TieredBuffer;
import io.forebay.sidecar.journal.JournalFile;
import io.forebay.sidecar.journal.JournalRecord;
import io.forebay.sidecar.store.Crc32c;
import io.forebay.sidecar.store.Entry;
import io.forebay.sidecar.store.ListRequest;
import io.forebay.sidecar.store.Store;
import io.forebay.sidecar.store.s3.Environment;
import io.forebay.sidecar.store.s3.S3Store;
import io.forebay.sidecar.transfer.ChunkedChecksum;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** What is done for each chunk, name, page, record and item. One state for each, so that one loop's threads do not disturb another's. */
@SuppressWarnings("NullAway.Init") // JMH calls each @Setup before anything else.
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class InnerLoops {
    private static final int CHUNK = 1 << 20;
    private static final int PAGE = 1000;

    private static Path memory() throws IOException {
        return Files.createTempDirectory(Path.of("/dev/shm"), "forebay-bench-");
    }

    private static void delete(Path folder) throws IOException {
        try (var files = Files.walk(folder)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    /** A chunk of 1 MiB, as it lies after a read. */
    @State(Scope.Thread)
    public static class Chunk {
        private final ByteBuffer bytes = ByteBuffer.allocateDirect(CHUNK);

        @Setup
        public void fill() {
            var random = new byte[CHUNK];
            new Random(1).nextBytes(random);
            bytes.put(random).flip();
        }
    }

    @Benchmark
    public long checksumOfChunkOf1MiB(Chunk chunk) {
        return Crc32c.of(chunk.bytes);
    }

    /** 64 chunks that arrive in pairs, the second of each first. */
    @Benchmark
    public long checksumOfFileFrom64Chunks() {
        var whole = new ChunkedChecksum();
        for (int i = 0; i < 64; i++) {
            whole.add((long) (i ^ 1) * CHUNK, CHUNK, 0x1234_5678L + i);
        }
        return whole.value(64L * CHUNK);
    }

    /** A pattern as manifests have them, and a key that it takes. */
    @State(Scope.Thread)
    public static class Pattern {
        private final Glob glob = new Glob("**/sub-*/anat/*_T1w.nii{,.gz}");
        private String key = "ds000001/sub-01/ses-02/sub-01/anat/sub-01_ses-02_T1w.nii.gz";
    }

    @Benchmark
    public boolean matchOfKey(Pattern pattern) {
        return pattern.glob.matches(pattern.key);
    }

    /** A server of one page in this process. */
    @State(Scope.Thread)
    public static class Bucket {
        private ObjectLister lister;
        private Store store;

        @Setup
        public void open() throws Exception {
            lister = new ObjectLister(PAGE);
            var uri = StoreUri.parse("s3://" + S3Server.BUCKET);
            var access = new StoreAccess(
                    uri,
                    lister.endpoint().toString(),
                    "us-east-1",
                    null,
                    null,
                    true,
                    Optional.of(true),
                    null,
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty());
            store = S3Store.open(uri, access, Environment.ofProcess());
        }

        @TearDown
        public void close() throws Exception {
            store.close();
            lister.close();
        }
    }

    @Benchmark
    public long listingOf1000Objects(Bucket bucket) throws Exception {
        var found = new Found();
        bucket.store.list(new ListRequest(ObjectLister.PREFIX, "", SymlinkPolicy.FOLLOW, false), found);
        if (found.count != PAGE) {
            throw new IllegalStateException("listed " + found.count);
        }
        return found.count;
    }

    private static final class Found implements Store.EntrySink {
        private long count;

        @Override
        public void found(Entry entry) {
            count++;
        }

        @Override
        public void leftOut(String key, String why) {
            throw new IllegalStateException(key + ": " + why);
        }
    }

    /** On a memory file system: what the disk's sync takes is not ours. */
    @State(Scope.Thread)
    public static class OpenJournal {
        private Path folder;
        private JournalFile journal;

        @Setup
        public void open() throws IOException {
            folder = memory();
            journal = JournalFile.open(folder.resolve("journal")).journal();
        }

        @TearDown
        public void close() throws IOException {
            journal.close();
            delete(folder);
        }
    }

    @Benchmark
    public void appendToJournal(OpenJournal open) throws IOException {
        open.journal.append(new JournalRecord.StepStarted(1, 1, 1, "increment"));
    }

    /** A tier of 1 GiB in memory. */
    @State(Scope.Thread)
    public static class OpenBuffer {
        private Path folder;
        private TieredBuffer buffer;
        private long item;

        @Setup
        public void open() throws IOException {
            folder = memory();
            var tier = new TierConfig(Medium.MEMORY, folder.resolve("tier").toString(), Bytes.ofMiB(1024));
            buffer = TieredBuffer.open(List.of(tier), BufferOptions.DEFAULT);
        }

        @TearDown
        public void close() throws IOException {
            buffer.close();
            delete(folder);
        }
    }

    /** Reservation, the item's folders, and their end. */
    @Benchmark
    public void admitAndDiscardItem(OpenBuffer open) throws Exception {
        open.buffer.admit(open.item++, 1, 1, 1 << 20, 0).discard();
    }
}
