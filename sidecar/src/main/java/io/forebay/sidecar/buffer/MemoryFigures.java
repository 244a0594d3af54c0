package io.forebay.sidecar.buffer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** Reads what {@link MemoryLimit} reckons with, from /proc and the cgroup file systems (v1, v2 and both at once). */
final class MemoryFigures {
    private final Path proc;

    /** @param proc "/proc", or what a test put in its place; mount points in its mountinfo are taken as they are */
    MemoryFigures(Path proc) {
        this.proc = proc;
    }

    /** @throws IOException /proc/meminfo cannot be read, or does not say what is available */
    MemoryLimit.Figures read(long oursBytes) throws IOException {
        var file = proc.resolve("meminfo");
        var available = MemoryLimit.memAvailable(Files.readString(file));
        if (available.isEmpty()) {
            throw new IOException(file + " has no MemAvailable: give the memory tier a folder, or use a disk tier");
        }
        return new MemoryLimit.Figures(available.getAsLong(), cgroupLimits(), oursBytes);
    }

    private List<Long> cgroupLimits() {
        var limits = new ArrayList<Long>();
        for (var mount : lines("self/mountinfo")) {
            // id parent major:minor root point options [optional fields] - type source superoptions
            var halves = mount.split(" - ", 2);
            var left = halves[0].split(" ");
            var right = halves.length < 2 ? new String[0] : halves[1].split(" ");
            if (left.length < 5 || right.length < 3) {
                continue;
            }
            boolean v2 = right[0].equals("cgroup2");
            boolean v1 =
                    right[0].equals("cgroup") && List.of(right[2].split(",")).contains("memory");
            if (v1 || v2) {
                addLimits(
                        limits, left[3], Path.of(left[4]), ourCgroup(v2), v2 ? "memory.max" : "memory.limit_in_bytes");
            }
        }
        return limits;
    }

    /** From the mount's top down to our cgroup; where that is outside the mount (container without a namespace), the top alone. */
    private static void addLimits(List<Long> limits, String mountRoot, Path mountPoint, String cgroup, String file) {
        var within = cgroup.equals(mountRoot)
                ? ""
                : cgroup.startsWith(mountRoot) ? cgroup.substring(mountRoot.length()) : "";
        var folder = mountPoint;
        add(limits, folder.resolve(file));
        for (var name : within.split("/")) {
            if (!name.isEmpty() && !name.equals("..")) {
                folder = folder.resolve(name);
                add(limits, folder.resolve(file));
            }
        }
    }

    private static void add(List<Long> limits, Path file) {
        OptionalLong limit;
        try {
            limit = MemoryLimit.cgroupLimit(Files.readString(file));
        } catch (IOException e) {
            return; // the top of v2 has none
        }
        limit.ifPresent(limits::add);
    }

    /** Path of this process's cgroup in the hierarchy; "/" where it cannot be told. */
    private String ourCgroup(boolean v2) {
        for (var line : lines("self/cgroup")) {
            var fields = line.split(":", 3); // number:controllers:path
            if (fields.length == 3
                    && (v2
                            ? fields[0].equals("0") && fields[1].isEmpty()
                            : List.of(fields[1].split(",")).contains("memory"))) {
                return fields[2];
            }
        }
        return "/";
    }

    private List<String> lines(String file) {
        try {
            return Files.readAllLines(proc.resolve(file));
        } catch (IOException e) {
            return List.of();
        }
    }
}
