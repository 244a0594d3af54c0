package io.forebay.sidecar.coordinator;

import java.util.HashMap;
import java.util.Map;

/** What the log says about the items of one plan. Guarded by its owner's lock. */
final class Truth {
    final Plan plan;
    final ItemTable table = new ItemTable();
    /** Final names that are decided, and the items that publish them. */
    final HashTable names = new HashTable();

    final Tally tally;
    /** What unfinished items have at the stores, by index. */
    final Map<Integer, Residue> residues = new HashMap<>();
    /** By id: the same of items that older plans had. */
    final Map<String, Residue> strays = new HashMap<>();

    Truth(Plan plan, Tally tally) {
        this.plan = plan;
        this.tally = tally;
        for (int i = 0; i < plan.size(); i++) {
            if (!table.add(plan.idOf(i))) {
                throw new IllegalStateException("two items are the same: " + plan.item(i).key());
            }
        }
        table.ready();
    }
}
