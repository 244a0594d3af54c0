package io.forebay.sidecar.os;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Which life of this machine it is. What was written before it and not synced may be gone, or be zeros; what was written in it is read as
 * it was written, whoever was killed meanwhile.
 */
public final class BootId {
    /** For tests, which cannot restart the machine. */
    private static final String PROPERTY = "forebay.boot";

    private static final Path FILE = Path.of("/proc/sys/kernel/random/boot_id");

    private static final String NOW = find();

    private BootId() {}

    /** @return [0-9a-zA-Z-]*; empty: it cannot be told, so that nothing may count as written in this life */
    public static String now() {
        return NOW;
    }

    private static String find() {
        @Nullable String given = System.getProperty(PROPERTY);
        if (given != null) {
            return given;
        }
        try {
            return Files.readString(FILE).strip();
        } catch (IOException e) {
            return "";
        }
    }

    /** @param then what {@link #now} said @return whether the machine has been up all the time since */
    public static boolean isSince(String then) {
        return !then.isEmpty() && then.equals(now());
    }
}
