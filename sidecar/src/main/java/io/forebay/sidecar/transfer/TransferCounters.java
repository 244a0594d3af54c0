package io.forebay.sidecar.transfer;

import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What the transfers of this process have done since its start. Written by every transfer, read by displays. Thread-safe. */
public final class TransferCounters {
    private final InstantSource clock;
    final LongAdder bytesFetched = new LongAdder();
    final LongAdder filesFetched = new LongAdder();
    final LongAdder bytesStaged = new LongAdder();
    final LongAdder filesStaged = new LongAdder();
    final LongAdder retries = new LongAdder();
    final LongAdder hedges = new LongAdder();
    final LongAdder corruptions = new LongAdder();
    private volatile @Nullable Message last;
    private volatile Consumer<String> teller = text -> {};

    /** Something the user may want to know. */
    public record Message(Instant at, String text) {}

    public TransferCounters(InstantSource clock) {
        this.clock = clock;
    }

    /** Bytes that lie in the buffer; those of a file that had to be read again are counted once. */
    public long bytesFetched() {
        return bytesFetched.sum();
    }

    /** Files that are whole in the buffer. */
    public long filesFetched() {
        return filesFetched.sum();
    }

    /** Bytes that stores have taken; those of a part that had to be sent again are counted once. */
    public long bytesStaged() {
        return bytesStaged.sum();
    }

    /** Files sealed at their store. */
    public long filesStaged() {
        return filesStaged.sum();
    }

    /** Store operations that were tried again. */
    public long retries() {
        return retries.sum();
    }

    /** Second requests started because the first one had stalled. */
    public long hedges() {
        return hedges.sum();
    }

    /** Parts or files whose checksum was wrong. */
    public long corruptions() {
        return corruptions.sum();
    }

    /** The latest retry, stall or corruption; absent: none yet. */
    public @Nullable Message lastMessage() {
        return last;
    }

    /** For the displays. */
    public void say(String text) {
        last = new Message(clock.instant(), text);
    }

    /** @param lines hears, a line each, when a store begins to fail and when it goes on; without it nobody does */
    public void telling(Consumer<String> lines) {
        teller = lines;
    }

    void tell(String line) {
        teller.accept(line);
    }
}
