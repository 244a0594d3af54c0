package io.forebay.sidecar.plan;

import io.forebay.api.job.Job;
import io.forebay.api.job.Job.Output;
import io.forebay.sidecar.item.ItemNames;
import io.forebay.sidecar.spool.HashTable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds outputs whose {@code to} and {@code path} come out the same for two items, so that only the programs' own choice of
 * names keeps their files apart. One pair per output is enough. That a pattern like {@code *.nii} is the same for all items is as it should
 * be; told is a whole name without wildcards, and a pattern that holds the item's name and yet is not its own.
 */
final class OutputClash implements AutoCloseable {
    /** Variables that no two items have in common. */
    private static final Set<String> UNIQUE = Set.of("ITEM", "INPUT");

    private final Job job;
    private final List<Watched> watched = new ArrayList<>();
    private int items;

    /** @param scratch a local folder, writable */
    OutputClash(Job job, Path scratch) {
        this.job = job;
        for (var output : job.outputs()) {
            var used = new java.util.HashSet<>(output.to().variables());
            used.addAll(output.path().variables());
            boolean unique = used.stream().anyMatch(UNIQUE::contains) || used.contains("DIR") && used.contains("NAME");
            if (!unique) {
                watched.add(new Watched(output, used.contains("NAME") || used.contains("STEM"), scratch));
            }
        }
    }

    private static final class Watched {
        private final Output output;
        /** Its author names the item in it, if not well enough. */
        private final boolean meantToDiffer;

        private final HashTable seen;
        private @Nullable String warning;

        Watched(Output output, boolean meantToDiffer, Path scratch) {
            this.output = output;
            this.meantToDiffer = meantToDiffer;
            this.seen = new HashTable(scratch);
        }
    }

    /** The next item of the plan. */
    void add(String key) {
        if (items++ == 0) {
            // Whether a pattern has wildcards is the same for all items.
            var names = ItemNames.variables(job, key);
            var patterns = watched.stream()
                    .filter(w -> !w.meantToDiffer && !w.output.pathGlob(names).isLiteral())
                    .toList();
            patterns.forEach(w -> w.seen.close());
            watched.removeAll(patterns);
        }
        for (var w : watched) {
            if (w.warning != null) {
                continue;
            }
            var names = ItemNames.variables(job, key);
            var place = w.output.to().expand(names) + "\0" + w.output.path().expand(names);
            if (!w.seen.add(place, items)) {
                w.warning = "output " + w.output.name() + ": `to` and `path` are the same for several items (" + key
                        + " is the first such): " + w.output.to().expand(names) + " "
                        + w.output.path().expand(names)
                        + ". If two of them write the same file name, the second one fails (NameConflict); $(ITEM), $(DIR) and $(NAME)"
                        + " tell them apart";
                w.seen.clear();
            }
        }
    }

    List<String> warnings() {
        return watched.stream()
                .flatMap(w -> java.util.stream.Stream.ofNullable(w.warning))
                .toList();
    }

    @Override
    public void close() {
        watched.forEach(w -> w.seen.close());
    }
}
