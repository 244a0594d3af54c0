package io.forebay.sidecar.step;

import io.forebay.api.name.NameBytes;
import io.forebay.sidecar.step.StepHost.Command;
import io.forebay.sidecar.step.StepHost.End;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One command as a child of this process. Its descendants are found by looking at them while it runs. */
final class LocalCommand {
    private static final Duration LOOK = Duration.ofMillis(200);
    /** A look reads a file for each process of the machine: a command that ends sooner is not worth one. */
    private static final Duration FIRST_LOOK = Duration.ofMillis(25);

    /** How long its output is read after it ended: a process that escaped may hold the pipe for ever. */
    private static final Duration LAST_OUTPUT = Duration.ofMillis(500);

    private static final String STANDARD_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
    private static final int SIGTERM = 15;

    private final Command command;
    private final String mark;
    private final StepServer.Output output;
    private final ExecutorService threads;

    /** Guarded by this, as all below. A handle knows its process's start time, so that a pid used again is not mistaken. */
    private final Map<Long, ProcessHandle> descendants = new HashMap<>();

    private @Nullable Process process;
    /** Nano time of SIGKILL; null: not stopping. */
    private @Nullable Long killAt;

    private boolean killed;
    private long peakRssBytes;
    private long cpuMillis;

    /**
     * @param mark see {@link Leftovers}
     * @param threads for the reading of its output
     */
    LocalCommand(Command command, String mark, StepServer.Output output, ExecutorService threads) {
        this.command = command;
        this.mark = mark;
        this.output = output;
        this.threads = threads;
    }

    /** SIGTERM now, SIGKILL after the grace. Of several the earliest kill counts. */
    synchronized void stop(Duration grace) {
        long at = System.nanoTime() + grace.toNanos();
        boolean first = killAt == null;
        if (killAt == null || at - killAt < 0) {
            killAt = at;
        }
        if (first && process != null) {
            look(process);
            process.destroy();
            descendants.values().forEach(ProcessHandle::destroy);
        }
        notifyAll();
    }

    /** Runs it to its end, in this thread. */
    End run(Runnable started) {
        long began = System.nanoTime();
        Process child;
        try {
            child = start();
        } catch (Unstarted e) {
            return e.end;
        }
        started.run();
        child.onExit().thenRun(this::wake);
        var copy = new OutputCopy(command, child.getInputStream(), output);
        var reading = threads.submit(copy);
        await(child);
        int strays = killStrays();
        boolean whole = copy.finish(reading, LAST_OUTPUT);
        long wall = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
        return end(child.exitValue(), wall, strays, whole, copy);
    }

    private static final class Unstarted extends Exception {
        private static final long serialVersionUID = 1L;
        private final transient End end;

        Unstarted(int exit, int signal, String problem) {
            super(problem);
            end = End.unstarted(exit, signal, problem);
        }
    }

    private synchronized Process start() throws Unstarted {
        if (killAt != null) {
            throw new Unstarted(0, SIGTERM, "stopped before it was started");
        }
        var environment = new HashMap<>(command.environment());
        environment.putIfAbsent("PATH", System.getenv().getOrDefault("PATH", STANDARD_PATH));
        var texts = new ArrayList<>(command.argv());
        texts.add(command.workingFolder());
        environment.forEach((name, value) -> texts.add(name + "=" + value));
        for (var text : texts) {
            if (!NameBytes.isUtf8(text)) {
                throw new Unstarted(
                        126, 0, "a name that is not UTF-8 can only be passed to a command by the step runner");
            }
        }
        var folder = new File(command.workingFolder());
        if (!folder.isDirectory()) {
            throw new Unstarted(126, 0, "cannot enter the working folder " + folder + ": no such folder");
        }
        var argv = new ArrayList<>(command.argv());
        argv.set(0, program(argv.getFirst(), environment.getOrDefault("PATH", ""), folder.toPath()));
        var builder = new ProcessBuilder(argv)
                .directory(folder)
                .redirectInput(new File("/dev/null"))
                .redirectErrorStream(true);
        builder.environment().clear();
        try {
            builder.environment().putAll(environment);
            builder.environment().put(Leftovers.VARIABLE, mark);
            var child = builder.start();
            process = child;
            return child;
        } catch (IOException | IllegalArgumentException e) {
            throw new Unstarted(126, 0, "%s: cannot be run: %s".formatted(argv.getFirst(), e.getMessage()));
        }
    }

    /** As shells find it; Java would look in our own PATH. */
    private static String program(String name, String path, Path folder) throws Unstarted {
        var candidates = name.contains("/")
                ? List.of(folder.resolve(name))
                : List.of(path.split(":", -1)).stream()
                        .map(p -> folder.resolve(p).resolve(name))
                        .toList();
        boolean found = false;
        for (var candidate : candidates) {
            if (Files.isExecutable(candidate) && !Files.isDirectory(candidate)) {
                return candidate.toString();
            }
            found |= Files.exists(candidate) && (name.contains("/") || !Files.isDirectory(candidate));
        }
        throw found && !name.isEmpty()
                ? new Unstarted(126, 0, name + ": cannot be run: not an executable file")
                : new Unstarted(127, 0, name + ": not found");
    }

    private synchronized void wake() {
        notifyAll();
    }

    private synchronized void await(Process child) {
        boolean interrupted = false;
        long nextLook = System.nanoTime() + FIRST_LOOK.toNanos();
        while (child.isAlive()) {
            if (System.nanoTime() - nextLook >= 0) {
                look(child);
                nextLook = System.nanoTime() + LOOK.toNanos();
            }
            long wait = Math.max(1, TimeUnit.NANOSECONDS.toMillis(nextLook - System.nanoTime()));
            if (killAt != null) {
                long left = TimeUnit.NANOSECONDS.toMillis(killAt - System.nanoTime());
                if (left <= 0) {
                    killed = true;
                    descendants.values().forEach(ProcessHandle::destroyForcibly);
                    child.destroyForcibly();
                }
                wait = Math.clamp(left, 1, wait);
            }
            try {
                wait(wait);
            } catch (InterruptedException e) {
                interrupted = true;
                killAt = System.nanoTime();
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Under this. */
    private void look(Process child) {
        child.toHandle().descendants().forEach(h -> descendants.put(h.pid(), h));
        descendants.values().removeIf(h -> !h.isAlive());
        var use = ProcUse.of(child.pid());
        long rss = use.rssBytes();
        long cpu = use.cpuMillis();
        for (var pid : descendants.keySet()) {
            var more = ProcUse.of(pid);
            rss += more.rssBytes();
            cpu += more.cpuMillis();
        }
        peakRssBytes = Math.max(peakRssBytes, rss);
        cpuMillis = Math.max(cpuMillis, cpu);
    }

    private synchronized int killStrays() {
        descendants.values().removeIf(h -> !h.isAlive());
        descendants.values().forEach(ProcessHandle::destroyForcibly);
        return descendants.size();
    }

    private synchronized End end(int code, long wallMillis, int strays, boolean wholeOutput, OutputCopy copy) {
        var problems = new ArrayList<String>();
        int signal = code > 128 && code <= 128 + 64 ? code - 128 : 0;
        if (signal != 0 && killAt == null) {
            problems.add("exit code %d, taken for signal %d".formatted(code, signal));
        }
        if (strays > 0 && !killed) {
            problems.add("ended %d processes that it had left running".formatted(strays));
        }
        if (!wholeOutput) {
            problems.add("a process that is not its own still holds its output");
        }
        copy.problem().ifPresent(problems::add);
        if (command.memoryLimitBytes().filter(limit -> peakRssBytes > limit).isPresent()) {
            problems.add("used %d MiB of memory, more than its limit of %d MiB"
                    .formatted(peakRssBytes >> 20, command.memoryLimitBytes().orElseThrow() >> 20));
        }
        return new End(
                signal == 0 ? code : 0,
                signal,
                false,
                false,
                wallMillis,
                cpuMillis,
                0,
                peakRssBytes,
                NameBytes.decode(copy.tail()),
                String.join("; ", problems));
    }
}
