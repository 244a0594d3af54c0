package io.forebay.sidecar.records;

/**
 * How a log is kept where nothing can be appended: an object for each batch, and, so that a day's log is not a hundred thousand
 * objects, larger ones that take the place of many. No name ever gets two contents, so a request that arrives late changes
 * nothing.
 *
 * @param batches so many that are not merged yet are merged
 * @param bytes as many bytes of them are merged too
 * @param ahead objects read at once
 * @param aside whether merging is done on a thread of its own; false: by whoever writes
 */
public record LogObjects(int batches, int bytes, int ahead, boolean aside) {
    /** At 50 ms a batch one merged object in 13 s, and at most 6 MiB of heap to read them. */
    public static final LogObjects DEFAULT = new LogObjects(256, 1 << 20, 6, true);
    /** One store operation at a time and few to a merge: for those who stop at each. */
    public static final LogObjects STEPWISE = new LogObjects(3, 1 << 20, 1, false);

    public LogObjects {
        if (batches < 2 || bytes < 1 || ahead < 1) {
            throw new IllegalArgumentException(
                    "batches " + batches + ", bytes " + bytes + ", ahead " + ahead + ": at least 2, 1 and 1");
        }
    }

    /** Object of one batch, from 1. */
    static String batch(int generation, long batch) {
        return "%s/%08d".formatted(Claim.name("log", generation), batch);
    }

    /** Merged object, from 1: goes on where the one before ends. */
    static String merged(int generation, long number) {
        return "%s/merged-%06d".formatted(Claim.name("log", generation), number);
    }
}
