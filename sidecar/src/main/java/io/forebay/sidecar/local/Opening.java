package io.forebay.sidecar.local;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Opens something that may hang, on a thread of its own: whoever waits for it can leave at any time. The thread is a virtual one, whose
 * reads from sockets can be interrupted; what hangs in a system call is left behind.
 *
 * @param <T> what is opened; closed again if it comes when nobody waits any more
 */
final class Opening<T extends AutoCloseable> {
    /** For cleaning up after it was interrupted. */
    private static final Duration GRACE = Duration.ofSeconds(3);

    /** Opens; at an interruption, or any failure, it has closed everything again when it returns. */
    @FunctionalInterface
    interface Opener<T> {
        T open() throws Exception;
    }

    private final CompletableFuture<T> opened = new CompletableFuture<>();
    private final Thread thread;

    Opening(Opener<T> opener) {
        thread = Thread.ofVirtual().name("opening").start(() -> open(opener));
    }

    private void open(Opener<T> opener) {
        try {
            var value = opener.open();
            if (!opened.complete(value)) {
                value.close();
            }
        } catch (Exception | Error e) {
            opened.completeExceptionally(e);
        }
    }

    /**
     * Waits; when it is interrupted, or {@code most} is over, the opening ends too, or is left behind.
     *
     * @throws ExecutionException what the opener threw
     * @throws TimeoutException it took longer
     */
    T await(Optional<Duration> most) throws ExecutionException, InterruptedException, TimeoutException {
        try {
            return most.isPresent() ? opened.get(most.get().toMillis(), TimeUnit.MILLISECONDS) : opened.get();
        } catch (InterruptedException | TimeoutException e) {
            opened.cancel(false);
            thread.interrupt();
            var ignored = thread.join(GRACE);
            throw e;
        } catch (CancellationException e) {
            throw new IllegalStateException("only a waiting caller cancels", e);
        }
    }
}
