package io.forebay.sidecar.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;

/** How many descriptors this process may have: too few show as faults of all kinds, most of which do not say so. Stateless. */
final class OpenFiles {
    /** Less than any system gives by itself; some 290 were the most that was ever needed (docs/benchmarks.md). */
    private static final long FEW = 512;

    private static final Pattern SOFT_LIMIT = Pattern.compile("(?m)^Max open files +(\\d+)");

    private OpenFiles() {}

    /** For who has just seen a failure; empty: that is not the cause. */
    static Optional<String> hint() {
        return hint(Path.of("/proc/self/limits"));
    }

    static Optional<String> hint(Path limits) {
        try {
            var found = SOFT_LIMIT.matcher(Files.readString(limits));
            return found.find() && Long.parseLong(found.group(1)) < FEW
                    ? Optional.of(words("only " + found.group(1)))
                    : Optional.empty();
        } catch (IOException e) {
            return String.valueOf(e.getMessage()).contains("Too many open files")
                    ? Optional.of(words("too few"))
                    : Optional.empty();
        }
    }

    private static String words(String most) {
        return "this process may have " + most
                + " files open at once (ulimit -n), which may be the cause: raise that, 1024 is enough";
    }
}
