package io.forebay.sidecar.flush;

import io.forebay.api.job.Job.Output;
import io.forebay.api.value.Glob;
import io.forebay.api.value.StoreUri;
import io.forebay.sidecar.os.Directory;
import io.forebay.sidecar.os.Posix;
import io.forebay.sidecar.os.PosixException;
import io.forebay.sidecar.os.Stat;
import io.forebay.sidecar.store.FileMeta;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What an attempt left in {@code $(OUT)}, and which output rules take it.
 *
 * @param files selected, one entry per file and rule
 * @param missing names of required rules that took nothing
 * @param skipped FIFOs, sockets and devices that a rule would have taken: never read
 */
public record OutputScan(List<OutputFile> files, List<String> missing, List<String> skipped) {
    /** Deeper trees are refused: a descriptor is held per level. */
    private static final int MOST_LEVELS = 200;

    public OutputScan {
        files = List.copyOf(files);
        missing = List.copyOf(missing);
        skipped = List.copyOf(skipped);
    }

    private record Rule(Output output, Glob glob, StoreUri to, StoreUri root) {}

    /**
     * @param success whether the item's steps succeeded: rules select by {@code when}
     * @param variables of the item's key
     * @throws NameConflictException two files would get one final name
     * @throws IllegalArgumentException a final name that is no name ({@code ..}); the message tells
     * @throws PosixException the folder cannot be read
     */
    public static OutputScan of(String out, List<Output> outputs, boolean success, Map<String, String> variables)
            throws PosixException, NameConflictException {
        var rules = new ArrayList<Rule>();
        for (var output : outputs) {
            if (output.when().selects(success)) {
                rules.add(new Rule(
                        output, output.pathGlob(variables), output.destination(variables), output.fixedDestination()));
            }
        }
        if (rules.isEmpty()) {
            return new OutputScan(List.of(), List.of(), List.of());
        }
        var walk = new Walk(out, rules);
        try (var top = Directory.open(null, out)) {
            walk.folder(top, "", 0);
        }
        return walk.result();
    }

    /** What stat says now; compared with {@link OutputFile#seen} after a copy. */
    public static OutputFile.Seen seen(String path) {
        try {
            return seen(Posix.lstat(path));
        } catch (PosixException e) {
            return new OutputFile.Seen(-1, -1, -1);
        }
    }

    private static OutputFile.Seen seen(Stat stat) {
        return new OutputFile.Seen(stat.inode(), stat.size(), stat.ctimeNanos());
    }

    /** Two files, one name. */
    public static final class NameConflictException extends Exception {
        private static final long serialVersionUID = 1L;

        public NameConflictException(String message) {
            super(message);
        }
    }

    private static final class Walk {
        private final String out;
        private final List<Rule> rules;
        private final List<OutputFile> files = new ArrayList<>();
        private final List<String> skipped = new ArrayList<>();
        private final Map<StoreUri, String> taken = new HashMap<>();

        Walk(String out, List<Rule> rules) {
            this.out = out;
            this.rules = rules;
        }

        void folder(Directory dir, String prefix, int level) throws PosixException, NameConflictException {
            if (level > MOST_LEVELS) {
                throw new IllegalArgumentException(
                        "$(OUT)/" + prefix + " is more than " + MOST_LEVELS + " folders deep");
            }
            boolean empty = true;
            for (var name = dir.next(); name != null; name = dir.next()) {
                empty = false;
                var relative = prefix + name.name();
                var stat = Posix.lstatat(dir.fd(), name.name());
                switch (stat.type()) {
                    case FILE -> take(relative, OutputFile.Kind.FILE, stat, null);
                    case SYMLINK -> take(relative, OutputFile.Kind.LINK, stat, Posix.readlinkat(dir.fd(), name.name()));
                    case FOLDER -> {
                        try (var below = Directory.open(dir.fd(), name.name())) {
                            folder(below, relative + "/", level + 1);
                        }
                    }
                    case FIFO, SOCKET, DEVICE, OTHER -> {
                        if (rules.stream().anyMatch(r -> r.glob().matches(relative))) {
                            skipped.add(relative);
                        }
                    }
                }
            }
            if (empty && !prefix.isEmpty()) {
                take(prefix.substring(0, prefix.length() - 1), OutputFile.Kind.FOLDER, Posix.fstat(dir.fd()), null);
            }
        }

        private void take(
                String relative, OutputFile.Kind kind, Stat stat, @org.jspecify.annotations.Nullable String target)
                throws NameConflictException {
            for (var rule : rules) {
                if (!rule.glob().matches(relative)) {
                    continue;
                }
                var to = rule.to().resolve(relative);
                var before = taken.put(to, relative);
                if (before != null && !before.equals(relative)) {
                    throw new NameConflictException(
                            "$(OUT)/" + before + " and $(OUT)/" + relative + " would both become " + to);
                }
                if (before != null) {
                    continue;
                }
                files.add(new OutputFile(
                        rule.output().name(),
                        relative,
                        out + "/" + relative,
                        kind,
                        kind == OutputFile.Kind.FILE ? stat.size() : 0,
                        new FileMeta(stat.permissions(), stat.mtimeNanos(), target),
                        to,
                        rule.root(),
                        seen(stat)));
            }
        }

        OutputScan result() {
            var missing = new ArrayList<String>();
            for (var rule : rules) {
                if (rule.output().required()
                        && files.stream()
                                .noneMatch(f -> f.output().equals(rule.output().name()))) {
                    missing.add(rule.output().name() + " (path " + rule.glob().pattern() + ")");
                }
            }
            return new OutputScan(files, missing, skipped);
        }
    }
}
