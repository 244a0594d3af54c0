package io.forebay.sidecar.step;

import io.forebay.api.job.Variables;
import io.forebay.api.name.NameBytes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/**
 * Processes that outlived whoever was to end them: found by a variable in their environment, which their children have too.
 *
 * <p>Not found are those of another user or of another container, and those that have cleared their environment. Therefore nothing may depend
 * on it that they are gone: no later attempt has the path of an earlier one.
 */
public final class Leftovers {
    static final String VARIABLE = "FOREBAY_STARTED_BY";
    private static final String OUT = Variables.environment(Variables.OUT) + "=";
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Predicate<String> variable;

    /** @param variable whether a process with this NAME=value is one of them */
    private Leftovers(Predicate<String> variable) {
        this.variable = variable;
    }

    /** Of an earlier, killed life of this engine, which had started them itself. */
    static Leftovers startedBy(String mark) {
        return new Leftovers((VARIABLE + "=" + mark)::equals);
    }

    /** Of one attempt. @param folder of its outputs, or one above that is the attempt's alone */
    public static Leftovers ofAttempt(String folder) {
        return below(List.of(folder));
    }

    /**
     * Of all attempts but some.
     *
     * @param roots absolute folders of a buffer
     * @param spared folders of attempts that may go on
     */
    public static Leftovers ofAttempts(Collection<String> roots, Collection<String> spared) {
        var others = below(spared).variable.negate();
        return new Leftovers(below(roots).variable.and(others));
    }

    private static Leftovers below(Collection<String> folders) {
        var beginnings = folders.stream().map(f -> OUT + f + "/").toList();
        return new Leftovers(
                entry -> entry.startsWith(OUT) && beginnings.stream().anyMatch(entry::startsWith));
    }

    /** Kills them, and waits until they are gone; for 10 s at most. @return whether they are */
    public boolean end() {
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
        try (var all = ProcessHandle.allProcesses()) {
            return all.filter(p -> p.pid() != ProcessHandle.current().pid()
                            && environment(p).stream().anyMatch(variable))
                    .toList();
        }
    }

    /** Empty: another user's, a zombie, or gone. */
    private static List<String> environment(ProcessHandle process) {
        try {
            var bytes = Files.readAllBytes(Path.of("/proc", Long.toString(process.pid()), "environ"));
            return List.of(NameBytes.decode(bytes).split("\0", -1));
        } catch (IOException e) {
            return List.of();
        }
    }
}
