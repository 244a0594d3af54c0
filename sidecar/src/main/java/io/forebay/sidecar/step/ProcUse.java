package io.forebay.sidecar.step;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** What a process uses now, as /proc tells; zeros when it has ended. */
record ProcUse(long rssBytes, long cpuMillis) {
    private static final ProcUse NONE = new ProcUse(0, 0);
    /** USER_HZ, the same on all architectures that Java runs on. */
    private static final long TICKS_PER_SECOND = 100;

    private static final long PAGE = 4096;

    static ProcUse of(long pid) {
        try {
            var text = new String(
                    Files.readAllBytes(Path.of("/proc", Long.toString(pid), "stat")), StandardCharsets.ISO_8859_1);
            var fields = text.substring(text.lastIndexOf(')') + 2)
                    .split(" "); // from field 3 on: the name before may hold anything
            long ticks = Long.parseLong(fields[11])
                    + Long.parseLong(fields[12])
                    + Long.parseLong(fields[13])
                    + Long.parseLong(fields[14]);
            return new ProcUse(Long.parseLong(fields[21]) * PAGE, ticks * 1000 / TICKS_PER_SECOND);
        } catch (IOException | RuntimeException e) { // ended, or no /proc
            return NONE;
        }
    }
}
