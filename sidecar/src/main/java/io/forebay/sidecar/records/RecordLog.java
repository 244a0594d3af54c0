package io.forebay.sidecar.records;

import io.forebay.sidecar.store.StoreException;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.Objects;
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
    public record Ticket(Batch batch) {}

    /** Entries that become durable together. Guarded by the log's lock. */
    public static final class Batch {
        private final Condition written;
        private @Nullable ByteArrayOutputStream entries = new ByteArrayOutputStream();
        private boolean durable;
        private int waiting;

        private Batch(Condition written) {
            this.written = written;
        }
    }

    /** A batch is written at once when it has grown to this. */
    private static final int FULL_BATCH = 1 << 20;

    private final Sink sink;
    private final SuccessorCheck check;
    private final Duration linger;
    private final Trouble writes;
    private final Trouble looks;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition grown = lock.newCondition();
    /** All guarded by lock. The batch that entries join now. */
    private Batch open = new Batch(lock.newCondition());
    /** The one that is being written, or whose writer was interrupted: written before all others, again if need be. */
    private @Nullable Batch closed;

    private byte[] closedBytes = {};
    private long batches;
    private Seal.Read extent = Seal.Read.NOTHING;
    private boolean writing;
    private @Nullable LogLostException lost;

    RecordLog(Sink sink, SuccessorCheck check, Duration linger) {
        this(sink, check, linger, Patience.NONE);
    }

    /** @param patience with what cannot be written now */
    RecordLog(Sink sink, SuccessorCheck check, Duration linger, Patience patience) {
        this.sink = sink;
        this.check = check;
        this.linger = linger;
        this.writes = new Trouble(patience, "the records cannot be written");
        this.looks = new Trouble(patience, "the records cannot be looked at");
    }

    /** Puts an entry behind those before it; durable with the next batch. */
    public Ticket append(LogEntry entry) {
        var line = LogFormat.line(entry);
        lock.lock();
        try {
            var entries = Objects.requireNonNull(open.entries);
            entries.writeBytes(line);
            if (entries.size() >= FULL_BATCH) {
                grown.signal();
            }
            return new Ticket(open);
        } finally {
            lock.unlock();
        }
    }

    /** Covers all entries appended so far. */
    public Ticket last() {
        lock.lock();
        try {
            boolean empty = Objects.requireNonNull(open.entries).size() == 0;
            return new Ticket(empty && closed != null ? closed : open);
        } finally {
            lock.unlock();
        }
    }

    /** @throws LogLostException it is not known to be decided, and never will be by this coordinator */
    public void await(Ticket ticket) throws LogLostException, InterruptedException {
        var batch = ticket.batch();
        lock.lock();
        try {
            batch.waiting++;
            while (!batch.durable) {
                if (lost != null) {
                    throw new LogLostException(String.valueOf(lost.getMessage()), lost.superseded(), lost);
                }
                if (batch == open
                        && closed == null
                        && Objects.requireNonNull(batch.entries).size() == 0) {
                    // Nothing has been appended since all was durable.
                    return;
                }
                if (writing) {
                    batch.written.await();
                } else {
                    writing = true;
                    try {
                        writeBatch();
                    } finally {
                        writing = false;
                    }
                }
            }
        } finally {
            batch.waiting--;
            wakeNextWriter();
            lock.unlock();
        }
    }

    /** Whoever leaves makes sure that somebody writes what others wait for. */
    private void wakeNextWriter() {
        if (writing) {
            return;
        }
        if (closed != null && closed.waiting > 0) {
            closed.written.signal();
        } else if (open.waiting > 0) {
            open.written.signal();
        }
    }

    /**
     * Looks for a successor without writing.
     *
     * @throws LogLostException there is one, or it cannot be told
     * @throws StoreException it cannot be told now
     */
    public void checkStillOurs() throws LogLostException, StoreException, InterruptedException {
        LogLostException found;
        try {
            if (!check.hasSuccessor()) {
                looks.over();
                return;
            }
            found = superseded();
        } catch (StoreException e) {
            if (looks.mayPass(e)) {
                throw e;
            }
            found = broken(e);
        }
        lock.lock();
        try {
            lose(found);
            throw found;
        } finally {
            lock.unlock();
        }
    }

    /** How much of it is durable. */
    Seal.Read extent() {
        lock.lock();
        try {
            return extent;
        } finally {
            lock.unlock();
        }
    }

    /** Whether it waits for somebody to mend the records: nobody is to blame for not being heard of meanwhile. */
    public boolean inTrouble() {
        return writes.begun() || looks.begun();
    }

    private void lose(LogLostException why) {
        lost = lost == null ? why : lost;
        open.written.signalAll();
        if (closed != null) {
            closed.written.signalAll();
        }
    }

    /** Holds the lock at entry and exit, not while writing. */
    private void writeBatch() throws InterruptedException {
        var batch = closed;
        if (batch == null) {
            linger();
            batch = open;
            closed = batch;
            open = new Batch(lock.newCondition());
            batches++;
            closedBytes =
                    withHeader(batches, Objects.requireNonNull(batch.entries).toByteArray());
            batch.entries = null;
        }
        LogLostException failure = null;
        lock.unlock();
        try {
            boolean succeeded = writes.outlast(() -> {
                sink.append(batches, closedBytes);
                return check.hasSuccessor();
            });
            failure = succeeded ? superseded() : null;
        } catch (StoreException e) {
            failure = broken(e);
        } finally {
            lock.lock();
        }
        if (failure != null) {
            lose(failure);
            return;
        }
        batch.durable = true;
        extent = new Seal.Read(extent.bytes() + closedBytes.length, batches);
        batch.written.signalAll();
        closed = null;
        closedBytes = new byte[0];
    }

    private static byte[] withHeader(long number, byte[] entries) {
        var header = LogFormat.header(number, entries.length);
        var batch = new byte[header.length + entries.length];
        System.arraycopy(header, 0, batch, 0, header.length);
        System.arraycopy(entries, 0, batch, header.length, entries.length);
        return batch;
    }

    private void linger() throws InterruptedException {
        long left = linger.toNanos();
        long deadline = System.nanoTime() + left;
        while (left > 0 && Objects.requireNonNull(open.entries).size() < FULL_BATCH) {
            grown.await(left, TimeUnit.NANOSECONDS);
            left = deadline - System.nanoTime();
        }
    }

    private static LogLostException superseded() {
        return new LogLostException(
                "another coordinator has taken over this job; this one decides nothing more", true, null);
    }

    private static LogLostException broken(StoreException e) {
        return new LogLostException("the records cannot be written: " + e.getMessage(), false, e);
    }

    @Override
    public void close() {
        sink.close();
    }
}
