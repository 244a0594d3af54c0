package io.forebay.sidecar.buffer;

import io.forebay.sidecar.os.Errno;
import io.forebay.sidecar.os.PosixException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Removes folders of one tier in the background, in order; the name is free at once, the space when it is gone really. What
 * cannot be removed is tried again every 5 s, and its space stays booked.
 */
final class Trash implements AutoCloseable {
    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** @param whenGone told once, from the trash's own thread */
    private record Job(String name, Runnable whenGone) {}

    /** Told of errors other than no space, from any thread. */
    interface FailureListener {
        void failed(PosixException e);
    }

    private final TierFolder folder;
    private final FailureListener failures;
    private final Thread thread;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    // Guarded by lock.
    private final Deque<Job> jobs = new ArrayDeque<>();
    private final Deque<Job> stuck = new ArrayDeque<>();
    private boolean busy;
    private boolean closed;

    Trash(TierFolder folder, String name, FailureListener failures) {
        this.folder = folder;
        this.failures = failures;
        this.thread = Thread.ofPlatform().name("trash-" + name).daemon().start(this::run);
    }

    /** Takes a folder out of the way and removes it later; where it cannot be renamed, where it is. */
    void move(String name, Runnable whenGone) {
        String trash;
        try {
            trash = folder.toTrash(name);
        } catch (PosixException e) {
            if (!e.is(Errno.ENOENT)) {
                failures.failed(e);
            }
            remove(name, whenGone);
            return;
        }
        remove(trash, whenGone);
    }

    /** Removes it later. */
    void remove(String name, Runnable whenGone) {
        lock.lock();
        try {
            jobs.addLast(new Job(name, whenGone));
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Blocks until nothing is left that can be removed. @return whether nothing is left at all */
    boolean drain() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!jobs.isEmpty() || busy) {
                changed.await();
            }
            return stuck.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        for (var job = next(); job != null; job = next()) {
            boolean gone = false;
            try {
                folder.delete(job.name());
                gone = true;
            } catch (PosixException e) {
                failures.failed(e);
            }
            if (gone) {
                job.whenGone().run();
            }
            done(job, gone);
        }
    }

    private @Nullable Job next() {
        lock.lock();
        try {
            while (true) {
                if (!jobs.isEmpty()) {
                    busy = true;
                    return jobs.removeFirst();
                }
                if (closed) {
                    return null;
                }
                if (stuck.isEmpty()) {
                    changed.awaitUninterruptibly();
                } else if (waited()) {
                    jobs.addAll(stuck);
                    stuck.clear();
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private boolean waited() {
        try {
            return changed.awaitNanos(RETRY_NANOS) <= 0;
        } catch (InterruptedException e) {
            return true; // nobody interrupts this thread
        }
    }

    private void done(Job job, boolean gone) {
        lock.lock();
        try {
            busy = false;
            if (!gone) {
                stuck.addLast(job);
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** What is still queued is removed first; what cannot be removed stays. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
