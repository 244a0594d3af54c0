package io.forebay.sidecar.journal;

import java.util.List;
import java.util.Optional;

/**
 * What an earlier life of the worker left, and the journal in which this one goes on.
 *
 * @param journal open, exclusive
 * @param records number of live records given to the caller; those of attempts that are over are not
 * @param cutBytes of a torn tail: a write that nobody had been told was durable; 0: none
 * @param lostBytes that could not be read as records (SALVAGE only)
 * @param setAside where the torn tail or the damaged file was kept, if there was one
 */
public record Recovered(JournalFile journal, long records, long cutBytes, long lostBytes, Optional<String> setAside) {

    /** Whether records may be missing: nothing in the buffer may be believed without its checksum. */
    public boolean damaged() {
        return lostBytes > 0;
    }

    /** With all its records at once. For small journals: a million records do not fit a small heap. */
    public record Whole(Recovered recovered, List<JournalRecord> records) {
        public Whole {
            records = List.copyOf(records);
        }

        public JournalFile journal() {
            return recovered.journal();
        }
    }
}
