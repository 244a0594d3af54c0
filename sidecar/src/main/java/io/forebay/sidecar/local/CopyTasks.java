package io.forebay.sidecar.local;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Something done to many files, several at once, and counted. A failure does not stop the others; closing ends those that are under
 * way, and waits for them. Thread-safe.
 */
final class CopyTasks implements AutoCloseable {
    /** The bytes in flight are bounded by the transfer engine. */
    static final int FILES_AT_ONCE = 64;

    private static final int MOST_PROBLEMS = 1000;

    private final ExecutorService tasks = Executors.newThreadPerTaskExecutor(
            Thread.ofVirtual().name("copy-", 0).factory());
    private final Semaphore window = new Semaphore(FILES_AT_ONCE);
    private final AtomicLong files = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private final AtomicLong passedOver = new AtomicLong();
    private volatile boolean full;
    private final ConcurrentLinkedQueue<String> problems = new ConcurrentLinkedQueue<>();

    /** What is done to one file. */
    @FunctionalInterface
    interface Work {
        void run() throws Exception;
    }

    /** Begins as soon as few enough others are under way. @param what to be named if it fails */
    void begin(String what, Work work) throws InterruptedException {
        window.acquire();
        tasks.execute(() -> {
            try {
                work.run();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (Exception e) {
                problem(what + ": " + e.getMessage());
            } finally {
                window.release();
            }
        });
    }

    /** Waits for all that were begun. */
    void join() throws InterruptedException {
        window.acquire(FILES_AT_ONCE);
        window.release(FILES_AT_ONCE);
    }

    /** A file is where it shall be. */
    void done(long size) {
        files.incrementAndGet();
        bytes.addAndGet(size);
    }

    /** The patterns do not select a file. */
    void passOver() {
        passedOver.incrementAndGet();
    }

    /** The local folder has no room for a file. */
    void noRoom(String text) {
        full = true;
        problem(text);
    }

    void problem(String text) {
        if (failed.incrementAndGet() <= MOST_PROBLEMS) {
            problems.add(text);
        }
    }

    /** How things stand now. */
    Copies.Report report() {
        return new Copies.Report(files.get(), bytes.get(), failed.get(), passedOver.get(), full, problems());
    }

    private List<String> problems() {
        return new ArrayList<>(problems);
    }

    @Override
    public void close() {
        tasks.shutdownNow();
        tasks.close();
    }
}
