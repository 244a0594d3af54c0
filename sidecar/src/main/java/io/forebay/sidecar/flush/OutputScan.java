package io.forebay.sidecar.flush;

import io.forebay.api.job.Job.Output;
import io.forebay.api.value.StoreUri;
import io.forebay.sidecar.os.Posix;
import io.forebay.sidecar.os.PosixException;
import io.forebay.sidecar.os.Stat;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What an attempt left in {@code $(OUT)}, and which output rules take it.
 *
 * @param files selected, one entry per file and rule
 * @param missing names of required rules that took nothing
 * @param special what a rule would have taken if it were a file
 */
public record OutputScan(List<OutputFile> files, List<String> missing, SpecialFiles special) {
    public OutputScan {
        files = List.copyOf(files);
        missing = List.copyOf(missing);
    }

    /**
     * @param success whether the item's steps succeeded: rules select by {@code when}
     * @param variables of the item's key
     * @param modes what is published of them
     * @throws NameConflictException two files would get one final name
     * @throws IllegalArgumentException a final name that is no name ({@code ..}); the message tells
     * @throws PosixException the folder cannot be read
     */
    public static OutputScan of(
            String out, List<Output> outputs, boolean success, Map<String, String> variables, Modes modes)
            throws PosixException, NameConflictException {
        var rules = outputs.stream()
                .filter(output -> output.when().selects(success))
                .map(output -> OutputWalk.Rule.of(output, variables))
                .toList();
        if (rules.isEmpty()) {
            return new OutputScan(List.of(), List.of(), new SpecialFiles());
        }
        var collector = new Collector();
        new OutputWalk<>(out, rules, modes, collector).walk();
        return collector.result(rules);
    }

    /** What stat says now; compared with {@link OutputFile#seen} after a copy. */
    public static OutputFile.Seen seen(String path) {
        try {
            return seen(Posix.lstat(path));
        } catch (PosixException e) {
            return new OutputFile.Seen(-1, -1, -1);
        }
    }

    static OutputFile.Seen seen(Stat stat) {
        return new OutputFile.Seen(stat.inode(), stat.size(), stat.ctimeNanos());
    }

    /** Two files, one name. */
    public static final class NameConflictException extends Exception {
        private static final long serialVersionUID = 1L;

        public NameConflictException(String message) {
            super(message);
        }
    }

    /** Keeps what a walk finds, and sees to it that no two files become one. */
    private static final class Collector implements OutputWalk.Sink<NameConflictException> {
        private final List<OutputFile> files = new ArrayList<>();
        private final SpecialFiles special = new SpecialFiles();
        private final Map<StoreUri, String> taken = new HashMap<>();

        @Override
        public void found(OutputFile file) throws NameConflictException {
            var before = taken.put(file.to(), file.relative());
            if (before != null && !before.equals(file.relative())) {
                throw new NameConflictException(
                        "$(OUT)/" + before + " and $(OUT)/" + file.relative() + " would both become " + file.to());
            }
            if (before == null) {
                files.add(file);
            }
        }

        @Override
        public void skipped(String relative, Stat.Type type) {
            special.add(relative, type);
        }

        OutputScan result(List<OutputWalk.Rule> rules) {
            var missing = new ArrayList<String>();
            for (var rule : rules) {
                if (rule.output().required()
                        && files.stream()
                                .noneMatch(f -> f.output().equals(rule.output().name()))) {
                    missing.add(rule.output().name() + " (path " + rule.glob().pattern() + ")");
                }
            }
            return new OutputScan(files, missing, special);
        }
    }
}
