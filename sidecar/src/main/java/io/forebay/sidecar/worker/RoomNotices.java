package io.forebay.sidecar.worker;

import io.forebay.api.name.Printable;
import io.forebay.sidecar.buffer.Buffer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** Tells the user what items wait for in the buffer, where waiting for the items before them is not the answer. Each is told once. Thread-safe. */
final class RoomNotices {
    /** What comes free by itself is not worth a word. */
    private static final Duration NOTICEABLE = Duration.ofSeconds(5);

    private final Buffer buffer;
    private final Consumer<String> tell;
    private final AtomicBoolean toldOfNone = new AtomicBoolean();
    private final AtomicBoolean toldOfWaiting = new AtomicBoolean();

    RoomNotices(Buffer buffer, Consumer<String> tell) {
        this.buffer = buffer;
        this.tell = tell;
    }

    /** An item is given back. */
    void none(String key, String why) {
        if (!toldOfNone.getAndSet(true)) {
            tell.accept("no room for item " + Printable.name(key) + ", which is not run now: " + Printable.message(why)
                    + ". Items that fit go on (told once)");
        }
    }

    /** From time to time. */
    void look() {
        var waiting = buffer.blocked(NOTICEABLE);
        if (waiting.isEmpty()) {
            toldOfWaiting.set(false);
        } else if (!toldOfWaiting.getAndSet(true)) {
            tell.accept("items wait for room: " + Printable.message(waiting.get()));
        }
    }
}
