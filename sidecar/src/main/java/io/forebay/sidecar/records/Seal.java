package io.forebay.sidecar.records;

import java.util.Map;

/**
 * How far a coordinator read the logs before its own. What appears beyond later is void, whoever wrote it.
 *
 * @param generation of the coordinator that read
 * @param read by generation
 */
record Seal(int generation, Map<Integer, Read> read) {
    Seal {
        read = Map.copyOf(read);
    }

    /** @param bytes of a log in a file @param batches number of the last batch read, perhaps in part */
    record Read(long bytes, long batches) {
        static final Read NOTHING = new Read(0, 0);
    }
}
