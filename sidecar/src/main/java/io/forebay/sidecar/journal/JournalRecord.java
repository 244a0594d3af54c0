package io.forebay.sidecar.journal;

import io.forebay.message.Messages.ItemLease;
import io.forebay.message.Messages.StagedOutput;
import io.forebay.message.Messages.StepRun;
import java.util.List;

/** What a worker must know again after a kill. An attempt is named by item, generation, attempt. */
public sealed interface JournalRecord {
    long item();

    int generation();

    int attempt();

    /** Space was given and fetching begins. @param tier index */
    record Admitted(ItemLease lease, int tier) implements JournalRecord {
        @Override
        public long item() {
            return lease.item();
        }

        @Override
        public int generation() {
            return lease.generation();
        }

        @Override
        public int attempt() {
            return lease.attempt();
        }
    }

    /** All inputs are in the buffer. @param crc32c in the order of the lease's inputs */
    record Fetched(long item, int generation, int attempt, List<Long> crc32c) implements JournalRecord {
        public Fetched {
            crc32c = List.copyOf(crc32c);
        }
    }

    /** A step was handed to its runner. */
    record StepStarted(long item, int generation, int attempt, String step) implements JournalRecord {}

    record StepEnded(long item, int generation, int attempt, StepRun run) implements JournalRecord {}

    /** Files staged so far, sealed. */
    record Staged(long item, int generation, int attempt, List<StagedOutput> outputs) implements JournalRecord {
        public Staged {
            outputs = List.copyOf(outputs);
        }
    }

    /** The coordinator said yes: these are to be published. */
    record Granted(long item, int generation, int attempt, boolean success, List<StagedOutput> outputs)
            implements JournalRecord {
        public Granted {
            outputs = List.copyOf(outputs);
        }
    }

    /** The attempt is over, its end recorded by the coordinator; its space may be given back. */
    record Over(long item, int generation, int attempt) implements JournalRecord {}
}
