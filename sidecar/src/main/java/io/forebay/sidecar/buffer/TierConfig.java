package io.forebay.sidecar.buffer;

import io.forebay.api.job.Job.Medium;
import io.forebay.api.value.Bytes;

/**
 * One tier as it is wished.
 *
 * @param root absolute path of a folder that is the buffer's own; made if it is missing (see {@link BufferRoots} for names)
 * @param size most that the buffer may use there, at least {@link #MIN_SIZE}
 */
public record TierConfig(Medium medium, String root, Bytes size) {
    /** Below it the floor, which is 16 MiB at least, leaves too little for anything. */
    public static final Bytes MIN_SIZE = Bytes.ofMiB(64);

    public TierConfig {
        if (!root.startsWith("/")) {
            throw new IllegalArgumentException("root of a tier is not absolute: '" + root + "'");
        }
        if (size.compareTo(MIN_SIZE) < 0) {
            throw new IllegalArgumentException("tier " + medium + " " + root + " of " + size.human()
                    + " is below the minimum of " + MIN_SIZE.human());
        }
    }

    String label() {
        return switch (medium) {
                    case MEMORY -> "Memory ";
                    case DISK -> "Disk ";
                    case EPHEMERAL -> "Ephemeral ";
                }
                + root;
    }

    String mediumName() {
        return switch (medium) {
            case MEMORY -> "Memory";
            case DISK -> "Disk";
            case EPHEMERAL -> "Ephemeral";
        };
    }

    /** The floor: bytes that are kept free, 3 % and at least 16 MiB. */
    static long floorBytes(long sizeBytes) {
        return Math.max(sizeBytes / 100 * 3, 16L << 20);
    }

    Ledger.Limits limits(long sizeBytes) {
        return new Ledger.Limits(label(), sizeBytes, sizeBytes / 10 * 9, floorBytes(sizeBytes));
    }
}
