package io.forebay.sidecar.step;

import io.forebay.sidecar.step.StepHost.Command;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Takes a command's output to its bounded log and to the display. Runs in a thread of its own. */
final class OutputCopy implements Runnable {
    private final Command command;
    private final InputStream in;
    private final StepServer.Output output;
    /** Written by the copying thread, read after its end, or when it is given up. */
    private volatile byte[] tail = new byte[0];

    private volatile @Nullable String problem;

    OutputCopy(Command command, InputStream in, StepServer.Output output) {
        this.command = command;
        this.in = in;
        this.output = output;
    }

    @Override
    public void run() {
        @Nullable BoundedLog log = null;
        try {
            log = new BoundedLog(Path.of(command.logFile()));
        } catch (IOException | RuntimeException e) {
            failed(e);
        }
        var lines = new LinePrefix(command.label());
        var kept = new Tail();
        var chunk = new byte[64 * 1024];
        try (in) {
            for (int n = in.read(chunk); n >= 0; n = in.read(chunk)) {
                kept.add(chunk, n);
                tail = kept.bytes();
                log = write(log, chunk, n);
                show(lines.add(chunk, n));
            }
        } catch (IOException e) {
            // Given up: another process holds the pipe.
        }
        if (lines.unfinished()) {
            show(lines.rest());
        }
        if (log != null) {
            try {
                log.close();
            } catch (IOException e) {
                failed(e);
            }
        }
    }

    /** The log goes on, or null after a failure: the command goes on without it. */
    private @Nullable BoundedLog write(@Nullable BoundedLog log, byte[] chunk, int length) {
        if (log == null) {
            return null;
        }
        try {
            log.add(chunk, length);
            return log;
        } catch (IOException e) {
            failed(e);
            try {
                log.close();
            } catch (IOException again) {
                // Said already.
            }
            return null;
        }
    }

    private void show(byte[] lines) {
        if (lines.length > 0) {
            output.lines(command.id(), lines);
        }
    }

    private void failed(Exception e) {
        problem = "its log %s is not whole: %s".formatted(command.logFile(), e.getMessage());
    }

    /** Waits for the end of the output. @return false: something holds it open; it is given up */
    boolean finish(Future<?> reading, Duration patience) {
        if (ended(reading, patience)) {
            return true;
        }
        try {
            in.close();
        } catch (IOException e) {
            // The reader ends by it.
        }
        ended(reading, patience);
        return false;
    }

    private static boolean ended(Future<?> reading, Duration patience) {
        try {
            reading.get(patience.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } catch (ExecutionException e) {
            throw new IllegalStateException("reading the output of a command failed", e.getCause());
        }
    }

    byte[] tail() {
        return tail;
    }

    Optional<String> problem() {
        return Optional.ofNullable(problem);
    }
}
