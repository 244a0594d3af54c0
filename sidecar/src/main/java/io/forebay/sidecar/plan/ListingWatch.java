package io.forebay.sidecar.plan;

import io.forebay.api.name.Printable;
import io.forebay.sidecar.store.StoreException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Tells the user how a listing gets on that takes long: how many objects have come, or that none comes, and why it was tried again. Says nothing
 * of one that is over soon. One listing each. Thread-safe.
 */
final class ListingWatch implements AutoCloseable {
    /** Until the first line; the next ones come ever more rarely. */
    static final Duration FIRST = Duration.ofSeconds(8);

    private static final Duration LONGEST = Duration.ofMinutes(1);

    private final String source;
    private final String where;
    private final Consumer<String> tell;
    private final CountDownLatch over = new CountDownLatch(1);
    /** In the try under way. */
    private final AtomicLong objects = new AtomicLong();

    private volatile @Nullable StoreException failure;

    /**
     * @param where the server; may be empty
     * @param tell gets lines, from a thread of the watch's
     * @param first until the first line
     */
    ListingWatch(String source, String where, Consumer<String> tell, Duration first) {
        this.source = source;
        this.where = where;
        this.tell = tell;
        Thread.ofPlatform().daemon().name("forebay-listing-watch").start(() -> watch(first));
    }

    /** All of it is asked for, from the start. */
    void begun() {
        objects.set(0);
    }

    /** An object has come. */
    void came() {
        objects.incrementAndGet();
        failure = null;
    }

    /** It failed in passing and is tried again, all of it or a page. */
    void failed(StoreException why) {
        failure = why;
    }

    private void watch(Duration first) {
        var pause = first;
        long told = 0;
        try {
            while (!over.await(pause.toMillis(), TimeUnit.MILLISECONDS)) {
                long now = objects.get();
                tell.accept(line(now, now != told));
                told = now;
                pause = pause.multipliedBy(2).compareTo(LONGEST) < 0 ? pause.multipliedBy(2) : LONGEST;
            }
        } catch (InterruptedException e) {
            // Nobody interrupts it; it would only be silent.
        }
    }

    private String line(long count, boolean advanced) {
        var line = new StringBuilder("listing ").append(source);
        if (!where.isEmpty()) {
            line.append(" at ").append(where);
        }
        line.append(": ");
        if (advanced && count > 0) {
            line.append("%,d objects listed so far".formatted(count));
        } else {
            line.append(count == 0 ? "no answer yet" : "no answer since %,d objects".formatted(count));
        }
        var why = failure;
        if (why != null) {
            line.append(", tried again: ").append(reason(String.valueOf(why.getMessage())));
        }
        return Printable.message(line.toString());
    }

    /** Without what this line has said already. */
    private String reason(String message) {
        int at = where.isEmpty() ? -1 : message.indexOf(where + ": ");
        return at < 0 ? message : message.substring(at + where.length() + 2);
    }

    @Override
    public void close() {
        over.countDown();
    }
}
