package io.forebay.sidecar.journal;

import io.forebay.sidecar.journal.JournalWriter.Entry;
import io.forebay.sidecar.journal.JournalWriter.Tuning;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A journal in a file ({@link JournalFormat}), open in one process at a time.
 *
 * <p>One thread of its own writes and syncs. It takes all that has gathered while it synced, so that any number of waiting
 * appends share one fdatasync; and it is never interrupted, which would close the file. Callers may be interrupted: an append
 * waits on, and leaves the interrupt set.
 *
 * <p>After a failed write or fsync nothing is written any more ({@link JournalException.Kind#FAILED}), since what the file
 * holds then is not known. The worker stops; {@link #open} recovers what was durable into a new file.
 *
 * <p>When more than half of the file, and 4 MiB, are records of attempts that are over, it is rewritten without them.
 */
public final class JournalFile implements Journal {
    /** Half of what {@link Journal#note} promises; the other half is for the disk. */
    private static final long NOTE_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    /** Notes wait above it, so that a slow disk does not fill the heap. */
    private static final long MAX_QUEUED_BYTES = 4L << 20;

    private final String path;
    private final JournalLock exclusive;
    /** Used by the committer alone, and by close() after it has ended. */
    private final JournalWriter writer;

    private final Thread committer;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition workArrived = lock.newCondition();
    private final Condition progressed = lock.newCondition();
    // All below: guarded by lock.
    private List<Entry> queue = new ArrayList<>();
    private long queuedBytes;
    /** Records ever queued, ever in the file, and ever durable. */
    private long queued;

    private long written;
    private long durable;
    /** When the oldest record that is not durable must become so. */
    private long syncAtNanos;
    /** For durability, and for the file alone. */
    private boolean someoneWaits;

    private boolean someoneWrites;
    private boolean closing;
    private @Nullable IOException failure;

    private JournalFile(String path, JournalLock exclusive, JournalWriter writer) {
        this.path = path;
        this.exclusive = exclusive;
        this.writer = writer;
        this.committer = Thread.ofPlatform().name("journal").daemon().unstarted(this::commitLoop);
    }

    /**
     * Opens a journal, or makes an empty one; blocks until what was recovered is durable in a new file.
     *
     * @param file its folder exists; {@code .lock}, {@code .tmp}, {@code .torn}, {@code .damaged} are added to its name for
     *     other files
     * @param replay told of all records of attempts that are not over, in the order in which they were appended
     * @throws JournalException DAMAGED (unless SALVAGE is asked for), NEWER, LOCKED
     */
    public static Recovered open(Path file, OnDamage onDamage, Consumer<JournalRecord> replay) throws IOException {
        var path = file.toAbsolutePath();
        var parent = path.getParent();
        var leaf = path.getFileName();
        if (parent == null || leaf == null) {
            throw new IllegalArgumentException("not the path of a file: " + file);
        }
        var exclusive = JournalLock.take(parent.resolve(leaf + ".lock"));
        try {
            return open(new FolderOnDisk(parent), leaf.toString(), Tuning.DEFAULT, exclusive, onDamage, replay);
        } catch (IOException | RuntimeException | Error e) {
            exclusive.close();
            throw e;
        }
    }

    /** As the other, REFUSE, with the records as a list. */
    public static Recovered.Whole open(Path file) throws IOException {
        var records = new ArrayList<JournalRecord>();
        var recovered = open(file, OnDamage.REFUSE, records::add);
        return new Recovered.Whole(recovered, records);
    }

    static Recovered open(
            LogFolder folder,
            String name,
            Tuning tuning,
            JournalLock exclusive,
            OnDamage onDamage,
            Consumer<JournalRecord> replay)
            throws IOException {
        var recovery = JournalRecovery.run(folder, name, tuning, onDamage, replay);
        var journal = new JournalFile(folder.path(name), exclusive, recovery.writer());
        journal.committer.start();
        return new Recovered(
                journal, recovery.records(), recovery.cutBytes(), recovery.lostBytes(), recovery.setAside());
    }

    @Override
    public void append(JournalRecord entry) throws IOException {
        await(entry, true);
    }

    @Override
    public void write(JournalRecord entry) throws IOException {
        await(entry, false);
    }

    /** @param untilDurable false: until it is in the file */
    private void await(JournalRecord entry, boolean untilDurable) throws IOException {
        var e = new Entry(entry);
        lock.lock();
        try {
            long mine = enqueue(e);
            someoneWaits |= untilDurable;
            someoneWrites |= !untilDurable;
            workArrived.signal();
            while ((untilDurable ? durable : written) < mine) {
                refuseAfterFailure();
                progressed.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void note(JournalRecord entry) throws IOException {
        var e = new Entry(entry);
        lock.lock();
        try {
            while (queuedBytes > MAX_QUEUED_BYTES) {
                refuseAfterFailure();
                progressed.awaitUninterruptibly();
            }
            enqueue(e);
            workArrived.signal();
        } finally {
            lock.unlock();
        }
    }

    private long enqueue(Entry e) throws IOException {
        refuseAfterFailure();
        if (closing) {
            throw new JournalException(JournalException.Kind.CLOSED, path, -1, "journal " + path + " is closed", null);
        }
        if (durable == queued) {
            syncAtNanos = System.nanoTime() + NOTE_DELAY_NANOS;
        }
        queue.add(e);
        queuedBytes += e.bytes();
        return ++queued;
    }

    private void refuseAfterFailure() throws JournalException {
        if (failure != null) {
            throw new JournalException(
                    JournalException.Kind.FAILED,
                    path,
                    -1,
                    "journal " + path + " could not be made durable (" + failure.getMessage()
                            + "). Nothing more is written to it; start again: recovery makes a new file",
                    failure);
        }
    }

    private void commitLoop() {
        try {
            for (var batch = nextBatch(); batch != null; batch = nextBatch()) {
                writer.write(batch.entries());
                if (batch.someoneWrites()) {
                    inFile(batch.upTo());
                }
                if (batch.sync()) {
                    writer.sync();
                    settled(batch.upTo());
                    writer.compactIfWorthwhile();
                }
            }
        } catch (IOException e) {
            failed(e);
        } catch (RuntimeException | Error e) {
            failed(new IOException("unexpected failure: " + e, e));
            throw e;
        }
    }

    /** @param sync false: that may wait @param someoneWrites somebody waits for the entries to be in the file */
    private record Batch(List<Entry> entries, long upTo, boolean sync, boolean someoneWrites) {}

    /** Blocks; null: closed, and nothing is left. */
    private @Nullable Batch nextBatch() {
        lock.lock();
        try {
            while (durable == queued) {
                if (closing) {
                    return null;
                }
                workArrived.awaitUninterruptibly();
            }
            long left = syncAtNanos - System.nanoTime();
            while (!someoneWaits && !someoneWrites && !closing && left > 0 && queuedBytes <= MAX_QUEUED_BYTES) {
                awaitWork(left);
                left = syncAtNanos - System.nanoTime();
            }
            boolean sync = someoneWaits || closing || left <= 0 || queuedBytes > MAX_QUEUED_BYTES;
            var batch = new Batch(queue, queued, sync, someoneWrites);
            queue = new ArrayList<>();
            queuedBytes = 0;
            someoneWaits = false;
            someoneWrites = false;
            progressed.signalAll();
            return batch;
        } finally {
            lock.unlock();
        }
    }

    private void awaitWork(long nanos) {
        try {
            workArrived.awaitNanos(nanos);
        } catch (InterruptedException e) {
            someoneWaits = true; // nobody interrupts this thread; were it so, writing at once is right
        }
    }

    private void inFile(long upTo) {
        lock.lock();
        try {
            written = upTo;
            progressed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void settled(long upTo) {
        lock.lock();
        try {
            written = upTo;
            durable = upTo;
            // Of what came meanwhile the oldest is about as old as this look.
            syncAtNanos = System.nanoTime() + NOTE_DELAY_NANOS;
            progressed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void failed(IOException e) {
        lock.lock();
        try {
            failure = e;
            progressed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Writes what was noted, and lets the file go. The file stays.
     *
     * @throws JournalException FAILED, if what was noted since could not be written
     */
    @Override
    public void close() throws IOException {
        lock.lock();
        try {
            if (closing) {
                return;
            }
            closing = true;
            workArrived.signal();
        } finally {
            lock.unlock();
        }
        boolean interrupted = joinCommitter();
        try (exclusive;
                writer) {
            lock.lock();
            try {
                if (durable < queued) {
                    refuseAfterFailure();
                }
            } finally {
                lock.unlock();
            }
            if (failure == null) {
                writer.finish();
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private boolean joinCommitter() {
        boolean interrupted = false;
        while (true) {
            try {
                committer.join();
                return interrupted;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
    }
}
