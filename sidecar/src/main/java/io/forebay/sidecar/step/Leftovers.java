package io.forebay.sidecar.step;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Processes that an earlier, killed life of this engine had started itself: found by a variable in their environment, which their
 * children have too.
 */
record Leftovers(String mark) {
    static final String VARIABLE = "FOREBAY_STARTED_BY";
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** Kills them, and waits until they are gone. @return whether they are */
    boolean end() {
        long until = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            var found = find();
            if (found.isEmpty()) {
                return true;
            }
            found.forEach(ProcessHandle::destroyForcibly);
            if (System.nanoTime() > until) {
                return false;
            }
            LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(10));
        }
    }

    private List<ProcessHandle> find() {
        var entry = VARIABLE + "=" + mark;
        try (var all = ProcessHandle.allProcesses()) {
            return all.filter(p -> p.pid() != ProcessHandle.current().pid()
                            && environment(p).contains(entry))
                    .toList();
        }
    }

    /** Empty: another user's, a zombie, or gone. */
    private static List<String> environment(ProcessHandle process) {
        try {
            var bytes = Files.readAllBytes(Path.of("/proc", Long.toString(process.pid()), "environ"));
            return List.of(new String(bytes, StandardCharsets.UTF_8).split("\0"));
        } catch (IOException e) {
            return List.of();
        }
    }
}
