package io.forebay.sidecar.store.s3;

/**
 * How a file is cut into the parts of a multipart upload: all equal but the last. Pure.
 *
 * @param size of the file, bytes, at least 1
 * @param partSize bytes of each part but the last, which has the rest
 */
record PartPlan(long size, long partSize) {
    static final long MIB = 1L << 20;
    private static final long GIB = 1L << 30;

    /** Amazon S3 multipart limits. */
    static final int MAX_PARTS = 10_000;

    static final long MAX_PART = 5 * GIB;

    /** The limit that all S3 servers share (Amazon's own has been raised to 50 TiB). */
    static final long MAX_OBJECT = 5 * (1L << 40);

    /**
     * @param inlineBelow smaller files are one PUT at the commit, bytes
     * @param minPart bytes; parts are no smaller, but for the last
     */
    record Sizes(long inlineBelow, long minPart) {
        /**
         * 8 MiB: one PUT of that takes tens of milliseconds, so that a commit is not held up, while three requests
         * (create, part, complete) for less cost up to 3 times the single PUT (FACTS, S3 servers).
         */
        static final Sizes DEFAULT = new Sizes(8 * MIB, 8 * MIB);

        Sizes {
            if (inlineBelow < 1 || minPart < 1) {
                throw new IllegalArgumentException("sizes below 1: " + inlineBelow + ", " + minPart);
            }
        }
    }

    /** Up to here parts grow so that a file has about 1,000: that is one page of ListParts, and a short commit intent. */
    private static final long COMFORTABLE_PART = 128 * MIB;

    private static final int COMFORTABLE_PARTS = 1_000;

    PartPlan {
        if (size < 1 || partSize < 1 || partSize > MAX_PART || (size + partSize - 1) / partSize > MAX_PARTS) {
            throw new IllegalArgumentException("no plan: " + size + " bytes in parts of " + partSize);
        }
    }

    /** @throws IllegalArgumentException if size is not in 1..{@link #MAX_OBJECT} */
    static PartPlan of(long size, Sizes sizes) {
        if (size < 1 || size > MAX_OBJECT) {
            throw new IllegalArgumentException("no plan for " + size + " bytes");
        }
        long comfortable = Math.min(COMFORTABLE_PART, ceilDiv(size, COMFORTABLE_PARTS));
        long part = Math.max(comfortable, ceilDiv(size, MAX_PARTS));
        return new PartPlan(size, part <= sizes.minPart ? sizes.minPart : wholeMiB(part));
    }

    int parts() {
        return Math.toIntExact(ceilDiv(size, partSize));
    }

    /** @param part from 0 */
    long offset(int part) {
        if (part < 0 || part >= parts()) {
            throw new IndexOutOfBoundsException("part " + part + " of " + parts());
        }
        return part * partSize;
    }

    long length(int part) {
        return Math.min(partSize, size - offset(part));
    }

    private static long ceilDiv(long a, long b) {
        return (a + b - 1) / b;
    }

    private static long wholeMiB(long bytes) {
        return ceilDiv(bytes, MIB) * MIB;
    }
}
