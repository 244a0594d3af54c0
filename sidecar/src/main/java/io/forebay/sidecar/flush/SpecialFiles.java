package io.forebay.sidecar.flush;

import io.forebay.api.name.Printable;
import io.forebay.sidecar.os.Stat;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * FIFOs, sockets and devices where outputs were looked for: never read, never published, and told by name. Only the first are kept, all
 * are counted. Thread-safe.
 */
public final class SpecialFiles {
    private static final int MOST = 20;

    private final List<String> named = new ArrayList<>();
    private long count;

    /** @param relative path below the folder that was searched @param type what it is instead of a file, link or folder */
    public synchronized void add(String relative, Stat.Type type) {
        count++;
        if (named.size() < MOST) {
            named.add(Printable.name(relative) + " (" + word(type) + ")");
        }
    }

    /** Those of one item. @return whether some of them are kept by name */
    public synchronized boolean addAll(String item, SpecialFiles others) {
        count += others.count();
        int before = named.size();
        for (var name : others.named()) {
            if (named.size() < MOST) {
                named.add(name + " of item " + Printable.name(item));
            }
        }
        return named.size() > before;
    }

    public synchronized long count() {
        return count;
    }

    synchronized List<String> named() {
        return List.copyOf(named);
    }

    /** In words; empty: there are none. */
    public synchronized Optional<String> words() {
        if (count == 0) {
            return Optional.empty();
        }
        var more = count > named.size() ? " and " + (count - named.size()) + " more" : "";
        return Optional.of(String.join(", ", named)
                + more
                + (count == 1 ? ": no file, so it cannot be published" : ": no files, so they cannot be published"));
    }

    private static String word(Stat.Type type) {
        return switch (type) {
            case FIFO -> "a FIFO";
            case SOCKET -> "a socket";
            case DEVICE -> "a device";
            case FILE, FOLDER, SYMLINK, OTHER -> "a special file";
        };
    }
}
