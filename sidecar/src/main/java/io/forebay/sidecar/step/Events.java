package io.forebay.sidecar.step;

import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/** Tells the listener, in order, from one thread, and never under a lock of ours. */
final class Events implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Events.class.getName());

    private final StepHost.Listener listener;
    private final ExecutorService thread = Executors.newSingleThreadExecutor(
            Thread.ofVirtual().name("step-events").factory());

    Events(StepHost.Listener listener) {
        this.listener = listener;
    }

    void started(StepHost.CommandId id) {
        tell(() -> listener.started(id));
    }

    void ended(StepHost.CommandId id, StepHost.End end) {
        tell(() -> listener.ended(id, end));
    }

    void reattached(List<StepHost.CommandId> running) {
        var ids = List.copyOf(running);
        tell(() -> listener.reattached(ids));
    }

    private void tell(Runnable event) {
        try {
            thread.execute(() -> {
                try {
                    event.run();
                } catch (RuntimeException e) {
                    LOG.log(System.Logger.Level.ERROR, "a listener of the step host failed", e);
                }
            });
        } catch (RejectedExecutionException e) {
            // Closed: nobody listens any more.
        }
    }

    /** What was told before is still delivered, for at most 5 s. */
    @Override
    public void close() {
        thread.shutdown();
        try {
            if (!thread.awaitTermination(5, TimeUnit.SECONDS)) {
                thread.shutdownNow();
            }
        } catch (InterruptedException e) {
            thread.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }
}
