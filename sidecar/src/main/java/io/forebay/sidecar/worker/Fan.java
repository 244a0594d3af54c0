package io.forebay.sidecar.worker;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;

/**
 * Does one thing to many files, some at once, and joins them. After a failure nothing new is begun; the first failure is
 * thrown when all that was begun has ended. An interruption of the caller interrupts all.
 */
final class Fan {
    private Fan() {}

    @FunctionalInterface
    interface Task<T, R> {
        R of(T element) throws Exception;
    }

    /** @return results in the order of {@code elements} @throws Exception what the first failed task threw */
    static <T, R> List<R> out(String name, List<T> elements, int atOnce, Task<T, R> task) throws Exception {
        var results = new ArrayList<R>(elements.size());
        if (elements.size() == 1) {
            results.add(task.of(elements.getFirst()));
            return results;
        }
        var window = new Semaphore(atOnce);
        var futures = new ArrayList<Future<R>>(elements.size());
        var failed = new java.util.concurrent.atomic.AtomicBoolean();
        try (var tasks = Executors.newThreadPerTaskExecutor(
                Thread.ofVirtual().name(name + "-", 0).factory())) {
            try {
                for (var element : elements) {
                    window.acquire();
                    if (failed.get()) {
                        break;
                    }
                    futures.add(tasks.submit(() -> {
                        try {
                            return task.of(element);
                        } catch (Throwable t) {
                            failed.set(true);
                            throw t;
                        } finally {
                            window.release();
                        }
                    }));
                }
                Exception first = null;
                for (var future : futures) {
                    try {
                        results.add(future.get());
                    } catch (ExecutionException e) {
                        if (first == null) {
                            first = e.getCause() instanceof Exception x ? x : e;
                        }
                    }
                }
                if (first != null) {
                    throw first;
                }
                return results;
            } catch (InterruptedException e) {
                tasks.shutdownNow();
                throw e;
            }
        }
    }
}
