package io.forebay.sidecar.transfer;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Platform threads on which store requests run. A system call on a file system that hangs holds its thread for as long; were it
 * a virtual one, it would hold a carrier, of which there are as many as CPUs. The threads are not bounded here: who starts
 * a task holds a permit. Idle ones end after 10 s. Thread-safe.
 */
final class IoThreads implements AutoCloseable {
    private static final long IDLE_SECONDS = 10;
    /** Enough for a TLS handshake; committed only as far as it is used. */
    private static final long STACK_BYTES = 512 << 10;

    private final ThreadPoolExecutor threads = new ThreadPoolExecutor(
            0,
            Integer.MAX_VALUE,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            Thread.ofPlatform().name("io-", 0).stackSize(STACK_BYTES).daemon().factory());

    /** Something that runs on one of the threads. */
    static final class Task implements Runnable {
        private final Runnable body;
        private final CountDownLatch ended = new CountDownLatch(1);
        /** Guarded by this. */
        private @Nullable Thread thread;

        private boolean interrupted;

        private Task(Runnable body) {
            this.body = body;
        }

        @Override
        public void run() {
            synchronized (this) {
                thread = Thread.currentThread();
                if (interrupted) {
                    thread.interrupt();
                }
            }
            try {
                body.run();
            } finally {
                synchronized (this) {
                    thread = null;
                    Thread.interrupted(); // meant for this task, not for the thread's next one
                }
                ended.countDown();
            }
        }

        /** Interrupts the body, now or as soon as it starts; nothing once it has ended. */
        synchronized void interrupt() {
            interrupted = true;
            if (thread != null) {
                thread.interrupt();
            }
        }

        /** @return whether the body has ended by then */
        boolean awaitEnd(Duration time) throws InterruptedException {
            return ended.await(time.toNanos(), TimeUnit.NANOSECONDS);
        }
    }

    /**
     * Runs the body, which must not throw, once.
     *
     * @throws IllegalStateException closed; the body will not run
     */
    Task start(Runnable body) {
        var task = new Task(body);
        try {
            threads.execute(task);
        } catch (RejectedExecutionException e) {
            throw new IllegalStateException("the transfer engine is closed", e);
        }
        return task;
    }

    /** Threads alive now. */
    int count() {
        return threads.getPoolSize();
    }

    /** Interrupts all and waits a little; a thread that hangs in a system call is left behind. */
    @Override
    public void close() {
        threads.shutdownNow();
        try {
            threads.awaitTermination(2, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
