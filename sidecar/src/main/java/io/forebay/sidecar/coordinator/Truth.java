package io.forebay.sidecar.coordinator;

import io.forebay.sidecar.plan.Plan;
import io.forebay.sidecar.spool.HashTable;
import io.forebay.sidecar.spool.JsonSpool;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** What the log says about the items of one plan. Guarded by its owner's lock. */
final class Truth implements AutoCloseable {
    final Plan plan;
    final ItemTable table = new ItemTable();
    /** Final names that are decided, and the items that publish them. */
    final HashTable names;

    final Tally tally;
    /** What attempts of items that are run again have read. */
    final InputSums sums;
    /** What unfinished items have at the stores, by index. */
    final Map<Integer, OutputsOnRecord> residues = new HashMap<>();
    /** Outputs of completed items that this plan does not have. */
    long formerOutputs;

    /** By id: the same of items that older plans had. */
    final Map<String, OutputsOnRecord> strays = new HashMap<>();

    /** @param scratch a local folder, writable */
    Truth(Plan plan, Path scratch) throws IOException {
        this.plan = plan;
        this.tally = new Tally(new JsonSpool(scratch));
        this.names = new HashTable(scratch);
        this.sums = new InputSums(scratch);
        for (int i = 0; i < plan.size(); i++) {
            if (!table.add(plan.idOf(i))) {
                throw new IllegalStateException(
                        "two items are the same: " + plan.item(i).key());
            }
        }
        table.ready();
    }

    /** Without the plan. */
    @Override
    public void close() {
        names.close();
        sums.close();
        try {
            tally.lines().close();
        } catch (IOException e) {
            // Scratch only.
        }
    }
}
