package io.forebay.bench.work;

import io.forebay.bench.result.Goal;
import io.forebay.bench.work.Prefetching.Variant;
import java.util.List;

/** All of them, in the order of the table. */
public final class Benchmarks {
    private static final long GIB = 1L << 30;

    private static final Goal LEAN = new Goal.Resident(160);
    /** Of the peers rclone alone compares a checksum of what it fetched, where the ETag is one. */
    private static final List<Goal> STAGE_LARGE =
            List.of(new Goal.OfBestPeer(0.9, "rclone"), new Goal.OfBestPeer(1.0), LEAN);

    private static final List<Goal> STAGE_MANY = List.of(new Goal.OfBestPeer(0.8), LEAN);
    private static final List<Goal> FLUSH = List.of(new Goal.OfBestPeer(1.0));

    private Benchmarks() {}

    public static List<Benchmark> all() {
        return List.of(
                new S3Transfers("B1", "stage-in of one object of 2 GiB, S3 to memory", true, 1, 2 * GIB, STAGE_LARGE),
                new S3Transfers(
                        "B2", "stage-in of 10,000 objects of 10 KiB, S3 to memory", true, 10_000, 10 << 10, STAGE_MANY),
                new FarTransfers("B3a", "stage-in of one object of 2 GiB over a long line", 1, 2 * GIB, 0.8),
                new FarTransfers("B3b", "stage-in of 10,000 objects of 10 KiB over a long line", 10_000, 10 << 10, 0.8),
                new S3Transfers("B4a", "flush of one file of 2 GiB, memory to S3", false, 1, 2 * GIB, FLUSH),
                new S3Transfers("B4b", "flush of 10,000 files of 10 KiB, memory to S3", false, 10_000, 10 << 10, FLUSH),
                new PosixCopy("B5a", "copy of 2 GiB, disk to memory", true, 2 * GIB, 0.8),
                new PosixCopy("B5b", "copy of 2 GiB, memory to disk, durable", false, 2 * GIB, 0.8),
                new TinyFiles("B6", "flush of 2,000 files of 10 bytes, memory to disk, each durable", 2000, 0.8),
                new Prefetching(
                        "B7",
                        "computation over objects of 32 MB in order, 100 ms, 91 MB/s per connection",
                        List.of(
                                new Variant(32, 1, 0.45, 1.8),
                                new Variant(32, 16, 0.035, 5),
                                new Variant(8, 1, 0.113, 0),
                                new Variant(8, 1, 0.452, 0),
                                new Variant(8, 1, 0.903, 0))),
                new Incrementation(
                        "B8",
                        "incrementation, 12 blocks of 8 MB, one pipe of 64 MB/s to read and 32 MB/s to write, 2 at a time",
                        12,
                        8_000_000,
                        0,
                        List.of(1, 4, 10)),
                new NoNeed(
                        "B9", "64 files of 16 MiB from memory to memory through gzip, 2 at a time", 64, 16 << 20, 1.05),
                new Starts("B10", "starts"),
                new Listings("B11", "plan of 1,000,000 objects of a lister that answers from memory", 1_000_000),
                new Items("B12a", "10,000 items of true, 1 slot", 10_000, 1, 2),
                new Items("B12b", "10,000 items of true, 8 slots", 10_000, 8, 2));
    }
}
