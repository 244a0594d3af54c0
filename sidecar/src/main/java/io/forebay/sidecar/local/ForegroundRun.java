package io.forebay.sidecar.local;

import java.io.IOException;
import java.util.Optional;

/** A job, or one side of it, carried by a command in the foreground: run to its end, shown, cancelled by signals. Thread-safe. */
public interface ForegroundRun extends AutoCloseable {
    /** Blocks until it has ended; called once. */
    RunResult run() throws InterruptedException;

    /** Called by one thread. */
    RunProgress progress();

    /** @return how it is to be ended by force, since its time is over for long; empty: there is time */
    Optional<RunResult> overdue();

    /** SIGINT or SIGTERM: ends it in order, within a bounded time. */
    void cancel(boolean interrupt);

    /** What {@link #cancel} does, in words. */
    String cancelling();

    /** Last words of a process that ends at once: writes down what is not exported, where that is this side's business. @return told to the user */
    String abandon();

    @Override
    void close() throws IOException;
}
