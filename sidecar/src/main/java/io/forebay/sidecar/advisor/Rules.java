package io.forebay.sidecar.advisor;

/** Small formulas used by the advisor and by plans. */
public final class Rules {
    private Rules() {}

    /** Amazon S3 multipart limits. */
    private static final long MOST_PARTS = 10_000;

    private static final long LEAST_PART_BYTES = 5L << 20;

    /** How many bytes lie on the nodes for each that is to survive the loss of some. */
    public sealed interface Redundancy {
        /** No copy. */
        record Single() implements Redundancy {}

        /** A copy on another node. */
        record Partner() implements Redundancy {}

        /** Parity over so many nodes. */
        record Xor(int nodes) implements Redundancy {
            public Xor {
                if (nodes < 2) {
                    throw new IllegalArgumentException("parity needs 2 nodes at least, not " + nodes);
                }
            }
        }

        /** Reed-Solomon over so many nodes, of which {@code losses} may be lost. */
        record ReedSolomon(int nodes, int losses) implements Redundancy {
            public ReedSolomon {
                if (losses < 0 || nodes <= losses) {
                    throw new IllegalArgumentException(nodes + " nodes do not survive the loss of " + losses);
                }
            }
        }
    }

    public static double redundantBytes(double bytes, Redundancy kind) {
        return switch (kind) {
            case Redundancy.Single s -> bytes;
            case Redundancy.Partner p -> 2 * bytes;
            case Redundancy.Xor x -> bytes * x.nodes() / (x.nodes() - 1.0);
            case Redundancy.ReedSolomon r -> bytes * r.nodes() / (double) (r.nodes() - r.losses());
        };
    }

    /** Whether what is not exported can leave in time: the slower of source and share of the destination decides. */
    public static boolean drainFits(
            double unexported, double sourceBandwidth, double destinationShare, double graceSeconds) {
        double bandwidth = Math.min(
                Positive.require("sourceBandwidth", sourceBandwidth),
                Positive.require("destinationShare", destinationShare));
        return unexported / bandwidth <= graceSeconds;
    }

    /** Smallest part size with which an object of this size can be uploaded: 5 MiB, and 10,000 parts at most. */
    public static long leastPartBytes(long objectBytes) {
        return Math.max(LEAST_PART_BYTES, Math.ceilDiv(objectBytes, MOST_PARTS));
    }
}
