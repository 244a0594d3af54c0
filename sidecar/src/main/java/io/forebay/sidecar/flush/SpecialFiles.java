package io.forebay.sidecar.flush;

import io.forebay.api.name.Printable;
import io.forebay.sidecar.os.Stat;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * FIFOs, sockets and devices where files were looked for: never read, never staged or published, and told by name. Only the first are kept, all
 * are counted. Thread-safe.
 */
public final class SpecialFiles {
    private static final int MOST = 20;

    private final List<String> named = new ArrayList<>();
    private long count;

    /** @param relative path below the folder that was searched @param type what it is instead of a file, link or folder */
    public void add(String relative, Stat.Type type) {
        add(relative, word(type));
    }

    /** @param what it is, as in {@code a FIFO} */
    public synchronized void add(String relative, String what) {
        count++;
        if (named.size() < MOST) {
            named.add(Printable.name(relative) + " (" + what + ")");
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

    /** In words, where they were to be published; empty: there are none. */
    public Optional<String> words() {
        return words("published");
    }

    /** In words; empty: there are none. @param done what is done with files, as in {@code published} */
    public synchronized Optional<String> words(String done) {
        if (count == 0) {
            return Optional.empty();
        }
        var more = count > named.size() ? " and " + (count - named.size()) + " more" : "";
        return Optional.of(String.join(", ", named)
                + more
                + (count == 1 ? ": no file, so it cannot be " : ": no files, so they cannot be ")
                + done);
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
