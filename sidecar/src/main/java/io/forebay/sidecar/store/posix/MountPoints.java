package io.forebay.sidecar.store.posix;

import io.forebay.api.name.NameBytes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * On which mounted file system a path lies, told from the text of the path and the kernel's list alone: the file system itself, which may
 * hang, is not asked. A path that leads through a symbolic link to another one is told wrongly; nothing but isolation depends on it.
 * The list is read again after 2 s. Thread-safe.
 */
final class MountPoints {
    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(2);
    /** proc_pid_mountinfo(5): the mount point is the fifth field; space, tab, newline, backslash in octal. */
    private static final int MOUNT_POINT = 4;

    private final Path mountinfo;
    private final LongSupplier nanoTime;
    private volatile Known known;

    private record Known(List<String> longestFirst, long readAt) {}

    MountPoints() {
        this(Path.of("/proc/self/mountinfo"), System::nanoTime);
    }

    MountPoints(Path mountinfo, LongSupplier nanoTime) {
        this.mountinfo = mountinfo;
        this.nanoTime = nanoTime;
        this.known = read();
    }

    /** The deepest mount point at or above the path; {@code /} if none is known. */
    String of(String path) {
        var k = known;
        if (nanoTime.getAsLong() - k.readAt > FRESH_NANOS) {
            k = read();
            known = k;
        }
        for (var point : k.longestFirst) {
            if (path.startsWith(point) && (path.length() == point.length() || path.charAt(point.length()) == '/')) {
                return point;
            }
        }
        return "/";
    }

    private Known read() {
        var points = new ArrayList<String>();
        try {
            for (var line :
                    Files.readString(mountinfo, StandardCharsets.ISO_8859_1).split("\n")) {
                var fields = line.split(" ");
                if (fields.length > MOUNT_POINT && !fields[MOUNT_POINT].equals("/")) {
                    points.add(NameBytes.decode(unescape(fields[MOUNT_POINT])));
                }
            }
        } catch (IOException e) {
            // Without /proc all paths count as one file system.
            points.clear();
        }
        points.sort(Comparator.comparingInt(String::length).reversed());
        return new Known(List.copyOf(points), nanoTime.getAsLong());
    }

    private static byte[] unescape(String field) {
        var bytes = new ByteArrayOutputStream();
        for (int i = 0; i < field.length(); i++) {
            if (field.charAt(i) == '\\' && i + 3 < field.length()) {
                bytes.write(Integer.parseInt(field, i + 1, i + 4, 8));
                i += 3;
            } else {
                bytes.write(field.charAt(i));
            }
        }
        return bytes.toByteArray();
    }
}
