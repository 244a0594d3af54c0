package io.forebay.sidecar.transfer;

import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.transfer.Transfers.BufferIoException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Runs the parts of one file side by side on virtual threads, which mostly wait; the first failure stops the others. */
final class Parallel {
    private static final ThreadFactory THREADS =
            Thread.ofVirtual().name("part-", 0).factory();

    private Parallel() {}

    /** One part; must end soon after an interruption. */
    @FunctionalInterface
    interface Body {
        void run(int part) throws StoreException, BufferIoException, InterruptedException;
    }

    /**
     * Runs parts 0 to {@code count - 1}, begun in this order, at most {@code atOnce} at a time; returns when none runs any more.
     * A single one runs on the calling thread.
     *
     * @throws StoreException the first failure of a part, likewise the others
     */
    static void run(int count, int atOnce, Body body) throws StoreException, BufferIoException, InterruptedException {
        if (count == 1) {
            body.run(0);
            return;
        }
        var next = new AtomicInteger();
        var first = new AtomicReference<@Nullable Throwable>();
        List<Thread> threads = new ArrayList<>();
        Runnable loop = () -> {
            try {
                for (int i = next.getAndIncrement(); i < count && first.get() == null; i = next.getAndIncrement()) {
                    body.run(i);
                }
            } catch (Throwable e) {
                if (first.compareAndSet(null, e)) {
                    interruptAll(threads);
                }
            }
        };
        for (int i = 0; i < Math.min(count, atOnce); i++) {
            threads.add(THREADS.newThread(loop));
        }
        threads.forEach(Thread::start);
        joinAll(threads, first);
        rethrow(first.get());
    }

    private static void joinAll(List<Thread> threads, AtomicReference<@Nullable Throwable> first) {
        InterruptedException interruption = null;
        for (var thread : threads) {
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    interruption = e;
                    first.compareAndSet(null, e);
                    interruptAll(threads);
                }
            }
        }
        if (interruption != null) {
            first.set(interruption); // whatever failed meanwhile: the caller was told to stop
        }
    }

    private static void interruptAll(List<Thread> threads) {
        threads.forEach(Thread::interrupt);
    }

    private static void rethrow(@Nullable Throwable failure)
            throws StoreException, BufferIoException, InterruptedException {
        switch (failure) {
            case null -> {}
            case StoreException e -> throw e;
            case BufferIoException e -> throw e;
            case InterruptedException e -> throw e;
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            case Throwable e -> throw new IllegalStateException("a part failed as it cannot", e);
        }
    }
}
