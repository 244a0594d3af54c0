package io.forebay.sidecar.records;

import io.forebay.sidecar.store.StoreException;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Puts larger objects in the place of a log's many small ones.
 *
 * <pre>
 * 1 put merged object n, which goes on where n-1 ends   2 delete the objects of its batches   3 only then begin with n+1
 * </pre>
 *
 * Killed anywhere, each batch is in at least one object, and {@link ObjectLogReader} takes it from one alone. A merge that fails
 * ends all merging, since n+1 without n could not be found: the log then goes on in small objects. Written by one thread at a
 * time.
 */
final class LogMerger {
    private final RecordsFolder folder;
    private final int generation;
    /** Batches (last - gathered.size(), last], in order. */
    private List<byte[]> gathered = new ArrayList<>();

    private int bytes;
    private long last;
    private long merged;
    /** The merge that is under way, or was. */
    private @Nullable Thread running;

    private volatile boolean givenUp;

    LogMerger(RecordsFolder folder, int generation) {
        this.folder = folder;
        this.generation = generation;
    }

    /**
     * A batch is durable in an object of its own. May be called with the same one again. Waits while the merge before the last
     * is under way.
     */
    void written(long batch, byte[] content) throws InterruptedException {
        if (givenUp) {
            gathered.clear();
            return;
        }
        if (batch > last) {
            gathered.add(content);
            bytes += content.length;
            last = batch;
        }
        var rule = folder.objects();
        if (gathered.size() < rule.batches() && bytes < rule.bytes()) {
            return;
        }
        if (running != null) {
            running.join();
        }
        var task = task();
        if (rule.aside()) {
            running = Thread.ofVirtual().name("log-merger").start(() -> {
                try {
                    task.run();
                } catch (InterruptedException e) {
                    // Closed.
                }
            });
        } else {
            task.run();
        }
    }

    @FunctionalInterface
    private interface Task {
        void run() throws InterruptedException;
    }

    private Task task() {
        var whole = new ByteArrayOutputStream(bytes);
        gathered.forEach(whole::writeBytes);
        long first = last - gathered.size() + 1;
        long to = last;
        long number = ++merged;
        gathered = new ArrayList<>();
        bytes = 0;
        return () -> merge(number, whole.toByteArray(), first, to);
    }

    private void merge(long number, byte[] content, long first, long to) throws InterruptedException {
        try {
            folder.put(LogObjects.merged(generation, number), content);
        } catch (StoreException e) {
            givenUp = true;
            return;
        }
        try {
            for (long batch = first; batch <= to; batch++) {
                folder.delete(LogObjects.batch(generation, batch));
            }
        } catch (StoreException e) {
            // What is left is untidy; nobody reads it.
        }
    }

    void close() {
        var thread = running;
        if (thread == null) {
            return;
        }
        thread.interrupt();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
