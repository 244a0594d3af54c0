package io.forebay.sidecar.store.posix;

import io.forebay.sidecar.os.PosixException;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.StoreException.Kind;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The threads on which the system calls of one file system run. A system call cannot be interrupted, and on a file system that
 * hangs it may never return: then it holds one of these threads, while its caller can leave at any time. Thread-safe.
 *
 * <ul>
 *   <li>At most so many calls are under way at once; others queue. Idle threads end after 10 s.
 *   <li>If all of them hang while others wait, as many threads more are allowed, up to {@link #MOST_TIMES} times: the path of another file system
 *       may lead here through a symbolic link.
 *   <li>A caller that is interrupted leaves within {@link #GRACE_MILLIS}. A call that had not begun then never does.
 *   <li>What a call under way uses ({@link Shared}) stays open until it has returned, whether or not its caller is still there.
 * </ul>
 */
final class IoPool implements AutoCloseable {
    /** So long an interrupted caller waits for a call under way, so that it nearly always knows that it has ended. */
    static final long GRACE_MILLIS = 100;

    private static final long IDLE_SECONDS = 10;
    private static final long STACK_BYTES = 512 << 10;

    /** So often the pool grows to twice, three times... its size. */
    private static final int MOST_TIMES = 8;

    /** Nothing has ended for so long: the calls under way hang. */
    private static final Duration HANGS = Duration.ofSeconds(5);

    private final ThreadPoolExecutor threads;
    private final int size;
    private final Duration hangs;
    /** Written by any of the threads, read by waiting callers. */
    private volatile long lastEnded = System.nanoTime();

    IoPool(String name, int size) {
        this(name, size, HANGS);
    }

    IoPool(String name, int size, Duration hangs) {
        this.size = size;
        this.hangs = hangs;
        threads = new ThreadPoolExecutor(
                size,
                size,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                Thread.ofPlatform()
                        .name("posix " + name + " ", 0)
                        .stackSize(STACK_BYTES)
                        .daemon()
                        .factory());
        threads.allowCoreThreadTimeOut(true);
    }

    /** System calls, made one after the other. */
    @FunctionalInterface
    interface Calls<T extends @Nullable Object> {
        T make() throws PosixException, StoreException;
    }

    /** Makes calls that use nothing which someone else could close. */
    <T extends @Nullable Object> T run(Calls<T> calls) throws PosixException, StoreException, InterruptedException {
        return start(Shared.nothing(), calls, late -> {}).await();
    }

    /** Makes calls whose result must be released; if the caller has left by then, {@code ifLate} does. */
    <T extends @Nullable Object> T run(Calls<T> calls, Consumer<T> ifLate)
            throws PosixException, StoreException, InterruptedException {
        return start(Shared.nothing(), calls, ifLate).await();
    }

    <T extends @Nullable Object> T run(Shared uses, Calls<T> calls)
            throws PosixException, StoreException, InterruptedException {
        return start(uses, calls, late -> {}).await();
    }

    /** @throws StoreException closed */
    <T extends @Nullable Object> Task<T> start(Shared uses, Calls<T> calls, Consumer<T> ifLate) throws StoreException {
        if (!uses.enter()) {
            throw new StoreException(Kind.PERMANENT, "the file was closed while it was still used");
        }
        var task = new Task<>(uses, calls, ifLate);
        try {
            threads.execute(task);
        } catch (RejectedExecutionException e) {
            uses.leave();
            throw new StoreException(Kind.PERMANENT, "the store is closed", e);
        }
        return task;
    }

    private synchronized void relieve() {
        boolean all = threads.getActiveCount() >= threads.getCorePoolSize();
        if (all && !threads.getQueue().isEmpty() && System.nanoTime() - lastEnded > hangs.toNanos()) {
            int more = Math.min(threads.getCorePoolSize() + size, MOST_TIMES * size);
            threads.setMaximumPoolSize(more);
            threads.setCorePoolSize(more);
            lastEnded = System.nanoTime();
        }
    }

    /** Calls under way or waiting. */
    final class Task<T extends @Nullable Object> implements Runnable {
        private static final int WAITING = 0;
        private static final int UNDER_WAY = 1;
        private static final int ENDED = 2;
        /** Its caller has left before it ended. */
        private static final int LEFT = 3;

        private final Shared uses;
        private final Calls<T> calls;
        private final Consumer<T> ifLate;
        private final AtomicInteger state = new AtomicInteger(WAITING);
        private final CountDownLatch ended = new CountDownLatch(1);

        /** Both written by the pool's thread before {@link #ended} opens. */
        private @Nullable T value;

        private @Nullable Throwable failure;

        private Task(Shared uses, Calls<T> calls, Consumer<T> ifLate) {
            this.uses = uses;
            this.calls = calls;
            this.ifLate = ifLate;
        }

        @Override
        public void run() {
            try {
                if (state.compareAndSet(WAITING, UNDER_WAY)) {
                    make();
                }
            } finally {
                lastEnded = System.nanoTime();
                uses.leave();
                ended.countDown();
            }
        }

        private void make() {
            try {
                T made = calls.make();
                value = made;
                if (!state.compareAndSet(UNDER_WAY, ENDED)) {
                    ifLate.accept(made);
                }
            } catch (Throwable t) {
                failure = t;
                state.compareAndSet(UNDER_WAY, ENDED);
            }
        }

        /** Whether nothing of it is under way any more. */
        boolean hasEnded() {
            return ended.getCount() == 0;
        }

        /** Waits for a call that its caller had left. */
        void awaitEnd() throws InterruptedException {
            ended.await();
        }

        T await() throws PosixException, StoreException, InterruptedException {
            try {
                while (!ended.await(hangs.toNanos(), TimeUnit.NANOSECONDS)) {
                    relieve();
                }
            } catch (InterruptedException e) {
                leave();
                throw e;
            }
            if (failure != null) {
                throw raised(failure);
            }
            return result();
        }

        @SuppressWarnings("NullAway") // T says itself whether it may be null
        private T result() {
            return value;
        }

        /** The caller is interrupted. */
        private void leave() {
            if (state.compareAndSet(WAITING, LEFT)) {
                // The thread that finds it in the queue leaves what it uses.
                return;
            }
            if (!endsSoon() && state.compareAndSet(UNDER_WAY, LEFT)) {
                return;
            }
            // It ended, with a result that nobody takes.
            if (failure == null) {
                ifLate.accept(result());
            }
        }

        private boolean endsSoon() {
            try {
                return ended.await(GRACE_MILLIS, TimeUnit.MILLISECONDS);
            } catch (InterruptedException again) {
                Thread.currentThread().interrupt();
                return false;
            }
        }

        private RuntimeException raised(Throwable failure) throws PosixException, StoreException {
            switch (failure) {
                case PosixException e -> throw e;
                case StoreException e -> throw e;
                case RuntimeException e -> throw e;
                case Error e -> throw e;
                default -> throw new IllegalStateException(failure);
            }
        }
    }

    /** Calls under way and waiting now. */
    int load() {
        return threads.getActiveCount() + threads.getQueue().size();
    }

    /** Takes no more calls; does not wait for those under way, which may hang. */
    @Override
    public void close() {
        threads.shutdown();
    }
}
