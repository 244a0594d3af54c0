package io.forebay.sidecar.buffer;

import java.util.List;
import java.util.OptionalLong;

/**
 * How large a tier in /dev/shm may be on a machine that is not ours: never more than half of what the kernel calls available, or of
 * the limit of a cgroup that this process is in. Pure; the figures come from {@link MemoryFigures}.
 */
final class MemoryLimit {
    private MemoryLimit() {}

    /**
     * @param availableBytes MemAvailable
     * @param cgroupLimits of this process's cgroup and those above it, where they have one
     * @param oursBytes what an earlier life of this buffer still holds there: not available, and not others'
     */
    record Figures(long availableBytes, List<Long> cgroupLimits, long oursBytes) {
        Figures {
            if (availableBytes < 0 || oursBytes < 0) {
                throw new IllegalArgumentException("negative bytes: " + availableBytes + ", " + oursBytes);
            }
            cgroupLimits = List.copyOf(cgroupLimits);
        }
    }

    static long mostBytes(Figures f) {
        long available = f.availableBytes() + f.oursBytes();
        for (long limit : f.cgroupLimits()) {
            available = Math.min(available, limit);
        }
        return available / 2;
    }

    /** The value of MemAvailable in the text of /proc/meminfo, bytes; absent in kernels before 3.14. */
    static OptionalLong memAvailable(String meminfo) {
        for (var line : meminfo.split("\n")) {
            if (line.startsWith("MemAvailable:")) {
                var words = line.substring("MemAvailable:".length()).trim().split("\\s+");
                return number(words[0], 1024);
            }
        }
        return OptionalLong.empty();
    }

    /** The text of memory.max or memory.limit_in_bytes; absent: no limit. */
    static OptionalLong cgroupLimit(String text) {
        var limit = number(text.trim(), 1);
        // cgroup v1 writes the largest multiple of a page that a long can hold.
        return limit.isPresent() && limit.getAsLong() >= 1L << 60 ? OptionalLong.empty() : limit;
    }

    private static OptionalLong number(String text, long unit) {
        try {
            return OptionalLong.of(Math.multiplyExact(Long.parseLong(text), unit));
        } catch (NumberFormatException | ArithmeticException e) {
            return OptionalLong.empty();
        }
    }
}
