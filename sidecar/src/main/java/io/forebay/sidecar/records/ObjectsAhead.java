package io.forebay.sidecar.records;

import io.forebay.sidecar.store.StoreException;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.LongFunction;

/**
 * Reads numbered objects in order, some ahead: one at first, twice as many after each, so that little is asked for that is not
 * there. One thread.
 */
final class ObjectsAhead implements AutoCloseable {
    private final RecordsFolder folder;
    private final LongFunction<String> name;
    private final long last;
    private final ArrayDeque<FutureTask<Optional<byte[]>>> ahead = new ArrayDeque<>();
    private int wanted = 1;
    private long next;

    /** @param next number of the first @param last number of the last that is wanted */
    ObjectsAhead(RecordsFolder folder, LongFunction<String> name, long next, long last) {
        this.folder = folder;
        this.name = name;
        this.next = next;
        this.last = last;
    }

    /** @return empty: it is not there, or not wanted; then nothing more may be asked for */
    Optional<byte[]> next() throws StoreException, InterruptedException {
        while (ahead.size() < wanted && next <= last) {
            ahead.add(begin(next++));
        }
        var first = ahead.poll();
        if (first == null) {
            return Optional.empty();
        }
        wanted = Math.min(wanted * 2, folder.objects().ahead());
        return result(first);
    }

    private FutureTask<Optional<byte[]>> begin(long number) {
        var task = new FutureTask<>(() -> folder.findLarge(name.apply(number)));
        if (folder.objects().ahead() == 1) {
            task.run();
        } else {
            Thread.ofVirtual().name("records-ahead").start(task);
        }
        return task;
    }

    private static Optional<byte[]> result(FutureTask<Optional<byte[]>> task)
            throws StoreException, InterruptedException {
        try {
            return task.get();
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case StoreException cause -> throw cause;
                case InterruptedException cause -> throw cause;
                case RuntimeException cause -> throw cause;
                case Error cause -> throw cause;
                case null, default -> throw new IllegalStateException(e);
            }
        }
    }

    @Override
    public void close() {
        ahead.forEach(task -> task.cancel(true));
    }
}
