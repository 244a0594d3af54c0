package io.forebay.sidecar.plan;

import io.forebay.api.name.Printable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * FIFOs, sockets and devices below an input, and our own temporary files: they hold no bytes that could be staged, so nothing is missing
 * without them; left out, and told. Only the first are kept by name. Not thread-safe.
 */
final class NoFiles {
    private static final int NAMED = 5;

    private final List<String> named = new ArrayList<>();
    private long count;

    /** @param what it is, as in {@code a FIFO} */
    void add(String relative, String what) {
        if (count++ < NAMED) {
            named.add(Printable.name(relative) + " (" + what + ")");
        }
    }

    long count() {
        return count;
    }

    /** For the user; empty: there are none. */
    Optional<String> words(String input) {
        if (count == 0) {
            return Optional.empty();
        }
        var more = count > named.size() ? " and " + (count - named.size()) + " more" : "";
        return Optional.of("left out of input " + input + ": " + String.join(", ", named) + more
                + (count == 1 ? ": it is no file" : ": they are no files") + " that could be staged");
    }
}
