package io.forebay.sidecar.step;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What /proc knows. */
final class Processes {
    private Processes() {}

    /** Living processes (no zombies) that have this as one of their arguments, or as their name. */
    static List<Long> withArgument(String argument) {
        var found = new ArrayList<Long>();
        try (var all = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (var process : all) {
                try {
                    var arguments = Files.readString(process.resolve("cmdline"), StandardCharsets.ISO_8859_1);
                    if (List.of(arguments.split("\0")).contains(argument)) {
                        found.add(Long.parseLong(process.getFileName().toString()));
                    }
                } catch (IOException e) {
                    // It has just ended.
                }
            }
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        return found;
    }

    /** State letter, as in /proc/PID/stat; ' ': there is none. */
    static char state(long pid) {
        try {
            var stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"), StandardCharsets.ISO_8859_1);
            return stat.charAt(stat.lastIndexOf(')') + 2);
        } catch (IOException e) {
            return ' ';
        }
    }

    static int descriptors(long pid) {
        try (var all = Files.newDirectoryStream(Path.of("/proc", Long.toString(pid), "fd"))) {
            int count = 0;
            for (var ignored : all) {
                count++;
            }
            return count;
        } catch (IOException e) {
            return -1;
        }
    }
}
