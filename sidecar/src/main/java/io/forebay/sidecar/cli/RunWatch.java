package io.forebay.sidecar.cli;

import io.forebay.sidecar.local.ForegroundRun;
import io.forebay.sidecar.local.RunResult;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Runs a job and shows where it stands until it ends. */
final class RunWatch {
    private static final long REFRESH_MILLIS = 250;

    private RunWatch() {}

    /** @param forced it has not ended, and is not waited for any longer */
    record Ended(RunResult value, boolean forced) {}

    static Ended follow(ForegroundRun run, ProgressView view) throws InterruptedException {
        var result = new CompletableFuture<RunResult>();
        Thread.ofPlatform().name("run").start(() -> {
            try {
                result.complete(run.run());
            } catch (InterruptedException | RuntimeException | Error e) {
                result.completeExceptionally(e);
            }
        });
        while (true) {
            try {
                return new Ended(result.get(REFRESH_MILLIS, TimeUnit.MILLISECONDS), false);
            } catch (TimeoutException e) {
                view.show(run.progress());
                var overdue = run.overdue();
                if (overdue.isPresent()) {
                    return new Ended(overdue.get(), true);
                }
            } catch (ExecutionException e) {
                throw new IllegalStateException("the run ended without a result: " + e.getCause(), e.getCause());
            }
        }
    }
}
