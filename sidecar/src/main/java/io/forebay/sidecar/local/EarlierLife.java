package io.forebay.sidecar.local;

import io.forebay.sidecar.journal.JournalFile;
import io.forebay.sidecar.journal.JournalRecord;
import io.forebay.sidecar.journal.OnDamage;
import io.forebay.sidecar.journal.Recovered;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The journal of a worker, open, and what the worker's last life wrote there.
 *
 * @param records of attempts that are not over, in order
 */
record EarlierLife(Recovered recovered, List<JournalRecord> records) {
    EarlierLife {
        records = List.copyOf(records);
    }

    /** @param resources the journal is added to it */
    static EarlierLife open(BufferHold hold, Resources resources) throws IOException {
        var records = new ArrayList<JournalRecord>();
        var recovered = JournalFile.open(hold.place().control().resolve("journal"), OnDamage.SALVAGE, records::add);
        resources.add(recovered.journal());
        return new EarlierLife(recovered, records);
    }

    /**
     * An attempt that had been computed, and whose outputs may lie nowhere else.
     *
     * @param id of the item
     * @param outputs how many they are; 0: nobody counted them
     */
    record Computed(String id, String key, int outputs) {}

    /** @param steps of an item */
    List<Computed> computed(int steps) {
        record Attempt(long item, int generation, int number) {}
        var found = new LinkedHashMap<Attempt, Seen>();
        for (var entry : records) {
            found.computeIfAbsent(new Attempt(entry.item(), entry.generation(), entry.attempt()), a -> new Seen())
                    .see(entry);
        }
        Map<String, Computed> byId = new LinkedHashMap<>();
        for (var seen : found.values()) {
            if (!seen.id.isEmpty() && (seen.results || seen.stepsDone >= steps)) {
                byId.put(seen.id, new Computed(seen.id, seen.key, seen.outputs));
            }
        }
        return List.copyOf(byId.values());
    }

    private static final class Seen {
        private String id = "";
        private String key = "";
        private int stepsDone;
        private boolean results;
        private int outputs;

        private void see(JournalRecord entry) {
            switch (entry) {
                case JournalRecord.Admitted a -> {
                    id = a.lease().itemId();
                    key = a.lease().key();
                }
                case JournalRecord.StepEnded s ->
                    stepsDone += s.run().exit() == 0 && s.run().signal() == 0 ? 1 : 0;
                case JournalRecord.Staged s -> results(s.outputs().size());
                case JournalRecord.Granted g -> results(g.outputs().size());
                case JournalRecord.Kept k ->
                    results(Math.max(outputs, k.outputs().size()));
                case JournalRecord.Fetched _, JournalRecord.StepStarted _, JournalRecord.Over _ -> {}
            }
        }

        private void results(int count) {
            results = true;
            outputs = count;
        }
    }
}
