package io.forebay.sidecar.records;

import io.forebay.sidecar.store.StoreException;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The log of one coordinator, with group commit: entries that arrive while a batch is being made durable, or within the
 * linger, are the next batch. Whoever waits first writes for all. Thread-safe.
 *
 * <p>{@link #await} returns only when the entry is durable <em>and</em> a look for a later coordinator, made after that, found
 * none. So whatever is done after {@code await} was decided while no successor had begun to read: it has seen the entry.
 */
public final class RecordLog implements AutoCloseable {
    /** Where batches go; called by one thread at a time, in order. Durable at return. */
    interface Sink {
        /** May be repeated with the same batch after it was interrupted. @throws StoreException nothing more can be written */
        void append(long batch, byte[] bytes) throws StoreException, InterruptedException;

        void close();
    }

    /** Whether a later coordinator has claimed its generation. */
    @FunctionalInterface
    interface SuccessorCheck {
        boolean hasSuccessor() throws StoreException, InterruptedException;
    }

    /** Names an entry in this log. */
    public record Ticket(long number) {}

    /** A batch is written at once when it has grown to this. */
    private static final int FULL_BATCH = 1 << 20;

    private final Sink sink;
    private final SuccessorCheck check;
    private final Duration linger;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    /** All guarded by lock. */
    private ByteArrayOutputStream pending = new ByteArrayOutputStream();

    private long appended;
    private long durable;
    private long batches;
    private boolean writing;
    private byte @Nullable [] unfinished;
    private long unfinishedUpTo;
    private @Nullable LogLostException lost;

    RecordLog(Sink sink, SuccessorCheck check, Duration linger) {
        this.sink = sink;
        this.check = check;
        this.linger = linger;
    }

    /** Puts an entry behind those before it; durable with the next batch. */
    public Ticket append(LogEntry entry) {
        var line = LogFormat.line(entry);
        lock.lock();
        try {
            pending.writeBytes(line);
            appended++;
            if (pending.size() >= FULL_BATCH) {
                changed.signalAll();
            }
            return new Ticket(appended);
        } finally {
            lock.unlock();
        }
    }

    /** @throws LogLostException it is not known to be decided, and never will be by this coordinator */
    public void await(Ticket ticket) throws LogLostException, InterruptedException {
        lock.lock();
        try {
            while (durable < ticket.number()) {
                if (lost != null) {
                    throw new LogLostException(String.valueOf(lost.getMessage()), lost.superseded(), lost);
                }
                if (writing) {
                    changed.await();
                } else {
                    writing = true;
                    try {
                        writeBatch();
                    } finally {
                        writing = false;
                        changed.signalAll();
                    }
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** The last entry appended so far. */
    public Ticket last() {
        lock.lock();
        try {
            return new Ticket(appended);
        } finally {
            lock.unlock();
        }
    }

    /** Looks for a successor without writing. @throws LogLostException there is one, or it cannot be told */
    public void checkStillOurs() throws LogLostException, InterruptedException {
        LogLostException found;
        try {
            if (!check.hasSuccessor()) {
                return;
            }
            found = superseded();
        } catch (StoreException e) {
            found = broken(e);
        }
        lock.lock();
        try {
            lost = lost == null ? found : lost;
            changed.signalAll();
            throw found;
        } finally {
            lock.unlock();
        }
    }

    /** Holds the lock at entry and exit, not while writing. */
    private void writeBatch() throws InterruptedException {
        if (unfinished == null) {
            linger();
            unfinished = pending.toByteArray();
            unfinishedUpTo = appended;
            pending = new ByteArrayOutputStream();
            batches++;
        }
        var body = unfinished;
        var header = LogFormat.header(batches, body.length);
        var batch = new byte[header.length + body.length];
        System.arraycopy(header, 0, batch, 0, header.length);
        System.arraycopy(body, 0, batch, header.length, body.length);
        LogLostException failure = null;
        lock.unlock();
        try {
            sink.append(batches, batch);
            if (check.hasSuccessor()) {
                failure = superseded();
            }
        } catch (StoreException e) {
            failure = broken(e);
        } finally {
            lock.lock();
        }
        if (failure == null) {
            durable = unfinishedUpTo;
            unfinished = null;
        } else {
            lost = failure;
        }
    }

    private void linger() throws InterruptedException {
        long left = linger.toNanos();
        long deadline = System.nanoTime() + left;
        while (left > 0 && pending.size() < FULL_BATCH) {
            changed.await(left, TimeUnit.NANOSECONDS);
            left = deadline - System.nanoTime();
        }
    }

    private static LogLostException superseded() {
        return new LogLostException("another coordinator has taken over this job; this one decides nothing more", true, null);
    }

    private static LogLostException broken(StoreException e) {
        return new LogLostException("the records cannot be written: " + e.getMessage(), false, e);
    }

    @Override
    public void close() {
        sink.close();
    }
}
