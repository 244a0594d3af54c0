package io.forebay.sidecar.step;

import io.forebay.api.name.NameBytes;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;

/**
 * The modes that files had before {@link StepHost#handOver} opened them for this process: those are published.
 *
 * <p>File: entries of {@code dev ino old new path NUL}, numbers decimal, modes octal; each is written before its change, so that a crash
 * loses none. An entry counts while the file is still the same one and has the mode that it was given; the last one counts.
 */
public final class TrueModes {
    private record Key(long device, long inode) {}

    private record Change(int from, int to) {}

    private final Map<Key, Change> changes = new HashMap<>();

    private TrueModes() {}

    /** @return none if the file is absent: nothing was changed. @throws IOException it cannot be read, or is not such a file */
    public static TrueModes read(Path modesFile) throws IOException {
        var modes = new TrueModes();
        try (var in = new BufferedInputStream(Files.newInputStream(modesFile))) {
            var entry = new ByteArrayOutputStream();
            for (int b = in.read(); b >= 0; b = in.read()) {
                if (b != 0) {
                    entry.write(b);
                    continue;
                }
                modes.add(NameBytes.decode(entry.toByteArray()), modesFile);
                entry.reset();
            }
            return modes; // what has no NUL was cut by a full disk, before its change
        } catch (NoSuchFileException e) {
            return modes;
        }
    }

    private void add(String entry, Path modesFile) throws IOException {
        var fields = entry.split(" ", 5);
        try {
            changes.put(
                    new Key(Long.parseUnsignedLong(fields[0]), Long.parseUnsignedLong(fields[1])),
                    new Change(Integer.parseInt(fields[2], 8), Integer.parseInt(fields[3], 8)));
        } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
            throw new IOException("not an entry of modes in %s: %s".formatted(modesFile, entry), e);
        }
    }

    /** The mode that the step had given to this file. @param mode its permission bits now. Empty: that one */
    public OptionalInt trueMode(long device, long inode, int mode) {
        var change = changes.get(new Key(device, inode));
        return change != null && change.to() == mode ? OptionalInt.of(change.from()) : OptionalInt.empty();
    }
}
