package io.forebay.sidecar.journal;

import io.forebay.message.Messages.ItemLease;
import io.forebay.message.Messages.StagedOutput;
import io.forebay.message.Messages.StepRun;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a worker must know again after a kill. An attempt is named by item, generation, attempt. */
public sealed interface JournalRecord {
    long item();

    int generation();

    int attempt();

    /**
     * Space was given and fetching begins; or the attempt was taken up by the next life of its worker.
     *
     * @param tier index
     * @param boot life of the machine in which its files were written, as far as nothing else describes them; empty: not known
     * @param mark what finds the attempt's folder there; empty: not known
     */
    record Admitted(ItemLease lease, int tier, String boot, String mark) implements JournalRecord {
        public Admitted {
            boot = orNone(boot);
            mark = orNone(mark);
        }

        /** Journals of earlier versions do not say. */
        private static String orNone(@Nullable String text) {
            return text == null ? "" : text;
        }

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

    /**
     * Its outputs stay in the buffer after the end of the run, synced, and are these.
     *
     * @param whole false: there was no time to look at them, and {@code outputs} is empty
     * @param success whether the rules of outputs selected for a success
     */
    record Kept(long item, int generation, int attempt, boolean whole, boolean success, List<KeptOutput> outputs)
            implements JournalRecord {
        public Kept {
            outputs = List.copyOf(outputs);
        }
    }

    /**
     * An output of an attempt as it lies in the buffer.
     *
     * @param output name of the rule that selects it
     * @param path below $(OUT)
     * @param to where it will be
     * @param kind FILE, LINK, FOLDER
     * @param crc32c 8 hexadecimal digits; empty for links and folders
     * @param mode permissions; of a FILE or FOLDER
     * @param link target of a LINK
     */
    record KeptOutput(
            String output,
            String path,
            String to,
            String kind,
            long size,
            String crc32c,
            int mode,
            @Nullable String link) {}

    /** The attempt is over, its end recorded by the coordinator; its space may be given back. */
    record Over(long item, int generation, int attempt) implements JournalRecord {}
}
