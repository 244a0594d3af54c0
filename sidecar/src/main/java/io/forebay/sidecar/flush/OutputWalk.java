package io.forebay.sidecar.flush;

import io.forebay.api.job.Job.Output;
import io.forebay.api.job.Job.Verify;
import io.forebay.api.value.Glob;
import io.forebay.api.value.StoreUri;
import io.forebay.sidecar.os.Directory;
import io.forebay.sidecar.os.Posix;
import io.forebay.sidecar.os.PosixException;
import io.forebay.sidecar.os.Stat;
import io.forebay.sidecar.store.FileMeta;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Walks a folder and tells what output rules take of it, keeping nothing: a folder may have a million files. One thread.
 *
 * @param <E> what the sink may throw
 */
public final class OutputWalk<E extends Exception> {
    /** Deeper trees are refused: a descriptor is held per level. */
    private static final int MOST_LEVELS = 200;

    /** Gets what is found, as it is found. */
    public interface Sink<E extends Exception> {
        /** Once for each rule that takes the file. */
        void found(OutputFile file) throws E;

        /** A FIFO, socket or device that a rule would have taken: never read. */
        void skipped(String relative, Stat.Type type);
    }

    /** An output rule of the manifest, for one item. */
    public record Rule(Output output, Glob glob, StoreUri to, StoreUri root) {
        /** @param variables of the item's key */
        public static Rule of(Output output, Map<String, String> variables) {
            return new Rule(
                    output, output.pathGlob(variables), output.destination(variables), output.fixedDestination());
        }
    }

    private final String out;
    private final List<Rule> rules;
    private final Modes modes;
    private final Sink<E> sink;

    public OutputWalk(String out, List<Rule> rules, Modes modes, Sink<E> sink) {
        this.out = out;
        this.rules = List.copyOf(rules);
        this.modes = modes;
        this.sink = sink;
    }

    /**
     * @throws IllegalArgumentException too deep, or a final name that is no name ({@code ..}); the message tells
     * @throws PosixException the folder cannot be read
     */
    public void walk() throws PosixException, E {
        try (var top = Directory.open(null, out)) {
            folder(top, "", 0);
        }
    }

    private void folder(Directory dir, String prefix, int level) throws PosixException, E {
        if (level > MOST_LEVELS) {
            throw new IllegalArgumentException("$(OUT)/" + prefix + " is more than " + MOST_LEVELS + " folders deep");
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
                        sink.skipped(relative, stat.type());
                    }
                }
            }
        }
        if (empty && !prefix.isEmpty()) {
            take(prefix.substring(0, prefix.length() - 1), OutputFile.Kind.FOLDER, Posix.fstat(dir.fd()), null);
        }
    }

    private void take(String relative, OutputFile.Kind kind, Stat stat, @Nullable String target) throws E {
        for (var rule : rules) {
            if (rule.glob().matches(relative)) {
                sink.found(new OutputFile(
                        rule.output().name(),
                        relative,
                        out + "/" + relative,
                        kind,
                        kind == OutputFile.Kind.FILE ? stat.size() : 0,
                        new FileMeta(modes.of(stat), stat.mtimeNanos(), target),
                        rule.to().resolve(relative),
                        rule.root(),
                        rule.output().verify() == Verify.READ_BACK,
                        OutputScan.seen(stat)));
            }
        }
    }
}
