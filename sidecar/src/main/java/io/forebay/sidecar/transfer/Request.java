package io.forebay.sidecar.transfer;

import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.StoreException.Kind;
import io.forebay.sidecar.transfer.Transfers.StoreCall;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;

/** A store operation without a chunk, on {@link IoThreads}: the caller waits for it, and can leave it behind. */
final class Request<T> {
    private final String what;
    private final StoreCall<T> call;
    private final Consumer<T> orphan;
    private final CompletableFuture<T> answer = new CompletableFuture<>();
    /** Guarded by this. */
    private boolean abandoned;

    private Request(String what, StoreCall<T> call, Consumer<T> orphan) {
        this.what = what;
        this.call = call;
        this.orphan = orphan;
    }

    /**
     * Waits for the answer, as long as it takes; after {@link TransferConfig#writeStallAfter} without the hold counting against
     * others. An interruption is passed on to the call, which then has {@link TransferConfig#interruptGrace} to end.
     *
     * @param hold of the call; closed when it has ended, also long after the caller has left
     * @param orphan gets the answer if the caller has left before
     */
    static <T> T run(Tools tools, String what, StoreCall<T> call, Hold hold, Consumer<T> orphan)
            throws StoreException, InterruptedException {
        var request = new Request<>(what, call, orphan);
        IoThreads.Task task;
        try {
            task = tools.io().start(() -> {
                try {
                    request.perform();
                } finally {
                    hold.close();
                }
            });
        } catch (IllegalStateException e) {
            hold.close();
            throw e;
        }
        try {
            if (!task.awaitEnd(tools.config().writeStallAfter())) {
                hold.leave();
            }
            return request.await();
        } catch (InterruptedException e) {
            task.interrupt();
            try {
                task.awaitEnd(tools.config().interruptGrace());
            } finally {
                hold.leave();
                request.abandon();
            }
            throw e;
        }
    }

    private void perform() {
        try {
            var result = call.call();
            boolean unwanted;
            synchronized (this) {
                unwanted = abandoned;
                answer.complete(result);
            }
            if (unwanted) {
                orphan.accept(result);
            }
        } catch (InterruptedException e) {
            answer.completeExceptionally(new StoreException(Kind.TRANSIENT, what + " was given up", e));
        } catch (StoreException | RuntimeException | Error e) {
            answer.completeExceptionally(e);
        }
    }

    private T await() throws StoreException, InterruptedException {
        try {
            return answer.get();
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case StoreException failure -> throw failure;
                case RuntimeException failure -> throw failure;
                case Error failure -> throw failure;
                case null, default -> throw new IllegalStateException(what + " failed as it cannot", e);
            }
        }
    }

    private void abandon() {
        T result = null;
        synchronized (this) {
            abandoned = true;
            if (answer.isDone() && !answer.isCompletedExceptionally()) {
                result = answer.join();
            }
        }
        if (result != null) {
            orphan.accept(result);
        }
    }
}
