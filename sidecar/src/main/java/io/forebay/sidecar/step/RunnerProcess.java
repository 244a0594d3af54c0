package io.forebay.sidecar.step;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps one {@code forebay-step step} process alive for one step, as a child of this process. A local run has one for each step.
 *
 * <p>The runner survives this process (its commands go on) and finds its successor by the socket's path; without one for 10 minutes it
 * stops its commands and ends. A lock file makes
 * sure that a second one is started only when the first, and all of its commands, are gone: until then the new one waits.
 */
public final class RunnerProcess implements AutoCloseable {
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

    /** Without this process or its successor for so long, the runner stops its commands and ends; docs/apart.md tells it. */
    private static final Duration ENGINE_AWAY = Duration.ofMinutes(10);

    /** Exit codes of the runner that mean something here; the table is in {@code common.h}. */
    private static final int DONE = 0;

    private static final int USAGE = 64;
    private static final int TAKEN = 75;
    private static final int REFUSED = 76;
    private static final int TOKEN = 77;

    /**
     * @param program forebay-step
     * @param socket of the {@link StepServer}
     * @param lock file of this step's runner; made if absent. What the runner itself says is beside it, in {@code <lock>.messages}
     * @param engineShowsOutput lines are sent to the engine ({@link StepServer.Output}); else to this process's standard output
     */
    public record Options(
            Path program,
            String step,
            int slots,
            SocketPath socket,
            String token,
            Path lock,
            boolean engineShowsOutput) {}

    private final Options options;
    private final Consumer<String> notes;
    private final Thread keeper;
    /** Guarded by this, as closing. */
    private @Nullable Process process;

    private boolean closing;

    private RunnerProcess(Options options, Consumer<String> notes) {
        this.options = options;
        this.notes = notes;
        this.keeper =
                Thread.ofPlatform().daemon().name("runner-" + options.step()).unstarted(this::keep);
    }

    /** @param notes hears what a user should know */
    public static RunnerProcess start(Options options, Consumer<String> notes) {
        var runner = new RunnerProcess(options, notes);
        runner.keeper.start();
        return runner;
    }

    /** The process that runs now. */
    synchronized @Nullable Process process() {
        return process;
    }

    private void keep() {
        var pause = FIRST_PAUSE;
        try {
            while (true) {
                var child = launch();
                if (child == null) {
                    return;
                }
                long began = System.nanoTime();
                int code = child.waitFor();
                synchronized (this) {
                    if (closing) {
                        return;
                    }
                }
                if (code == DONE) {
                    return; // told to go
                }
                if (code == USAGE || code == REFUSED || code == TOKEN) {
                    notes.accept("the step runner of %s cannot work (exit code %d of %s)"
                            .formatted(options.step(), code, options.program()));
                    return;
                }
                if (code != TAKEN) {
                    notes.accept("the step runner of %s died (%s); it is started again"
                            .formatted(options.step(), code > 128 ? "signal " + (code - 128) : "exit code " + code));
                }
                boolean lived = System.nanoTime() - began > TimeUnit.SECONDS.toNanos(10);
                pause = lived || code == TAKEN ? FIRST_PAUSE : pause;
                Thread.sleep(pause);
                pause = pause.multipliedBy(2).compareTo(LONGEST_PAUSE) < 0 ? pause.multipliedBy(2) : LONGEST_PAUSE;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // closed
        } catch (IOException e) {
            notes.accept("the step runner of %s cannot be started: %s".formatted(options.step(), e.getMessage()));
        }
    }

    private synchronized @Nullable Process launch() throws IOException {
        if (closing) {
            return null;
        }
        var command = List.of(
                options.program().toString(),
                "step",
                options.step(),
                "--socket",
                options.socket().path().toString(),
                "--slots",
                Integer.toString(options.slots()),
                "--wait",
                Long.toString(ENGINE_AWAY.toSeconds()),
                "--lock",
                options.lock().toString(),
                "--output",
                options.engineShowsOutput() ? "engine" : "own",
                // The engine says all of it, of the user's own.
                "--environment",
                "engine",
                "--token-file",
                "-");
        var messages = options.lock()
                .resolveSibling(options.lock().getFileName() + ".messages")
                .toFile();
        var builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.to(messages));
        builder.redirectOutput(
                options.engineShowsOutput() ? ProcessBuilder.Redirect.DISCARD : ProcessBuilder.Redirect.INHERIT);
        var child = builder.start();
        process = child;
        try (var in = child.getOutputStream()) {
            in.write((options.token() + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            // It died at once; its exit code says why.
        }
        return child;
    }

    /** To be called after {@link StepServer#close}, which ends the runner. One that is still there is ended by SIGTERM, after 5 s by SIGKILL. */
    @Override
    public void close() {
        @Nullable Process child;
        synchronized (this) {
            closing = true;
            child = process;
        }
        keeper.interrupt();
        if (child == null) {
            return;
        }
        try {
            if (!child.waitFor(1, TimeUnit.SECONDS)) {
                child.destroy();
                if (!child.waitFor(5, TimeUnit.SECONDS)) {
                    child.destroyForcibly();
                }
            }
        } catch (InterruptedException e) {
            child.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
