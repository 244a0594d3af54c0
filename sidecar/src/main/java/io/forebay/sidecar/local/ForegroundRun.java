package io.forebay.sidecar.local;

import java.io.IOException;
import java.util.Optional;

/** A job, or one side of it, carried by a command in the foreground: run to its end, shown, cancelled by signals. Thread-safe. */
public interface ForegroundRun extends Cancellable, AutoCloseable {
    /** Blocks until it has ended; called once. */
    RunResult run() throws InterruptedException;

    /** Called by one thread. */
    RunProgress progress();

    /** @return how it is to be ended by force, since its time is over for long; empty: there is time */
    Optional<RunResult> overdue();

    @Override
    void close() throws IOException;
}
