package io.forebay.sidecar.local;

import io.forebay.api.job.Job;
import io.forebay.sidecar.journal.JournalException;
import io.forebay.sidecar.outcome.CoordinatorException;
import io.forebay.sidecar.outcome.ExitCode;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/** Opens what a process needs to begin. What goes wrong is told as {@link RunRefused}, and what was opened by then is closed. */
public final class RunOpening {
    private RunOpening() {}

    /** Puts a process together. */
    @FunctionalInterface
    public interface Work<T> {
        /** @param resources what is opened is added to it */
        T open(Resources resources) throws RunRefused, CoordinatorException, IOException, InterruptedException;
    }

    /**
     * Returns at once when it is interrupted, or the time is over, whatever hangs.
     *
     * @param most time for it, from {@code deadlines.run}; empty: no bound
     * @throws RunRefused with the exit code that says why
     */
    public static <T extends AutoCloseable> T of(Job job, Optional<Duration> most, Work<T> work)
            throws RunRefused, InterruptedException {
        var resources = new Resources();
        var opening = new Opening<>(() -> openOrClose(work, resources));
        try {
            return opening.await(most);
        } catch (InterruptedException e) {
            resources.leftBehind();
            throw e;
        } catch (TimeoutException e) {
            resources.leftBehind();
            throw new RunRefused(
                    ExitCode.DEADLINE.number(),
                    "the deadline (spec.deadlines.run) passed while " + job.name()
                            + " was being planned; nothing was started. Is the store of its inputs or records slow or away? Run again.");
        } catch (ExecutionException e) {
            throw refusal(Objects.requireNonNullElse(e.getCause(), e));
        }
    }

    private static <T> T openOrClose(Work<T> work, Resources resources) throws Exception {
        try {
            return work.open(resources);
        } catch (Exception e) {
            try {
                resources.close();
            } catch (RuntimeException suppressed) {
                e.addSuppressed(suppressed);
            }
            throw e;
        }
    }

    private static RunRefused refusal(Throwable why) {
        return switch (why) {
            case RunRefused e -> e;
            case CoordinatorException e ->
                new RunRefused(e.code().number(), e.reason(), String.valueOf(e.getMessage()));
            case JournalException e -> new RunRefused(ExitCode.PASSING.number(), String.valueOf(e.getMessage()));
            case IOException e ->
                new RunRefused(ExitCode.PASSING.number(), "cannot set up the buffer: " + e.getMessage());
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            default -> throw new IllegalStateException(why);
        };
    }
}
