package io.forebay.sidecar.transfer;

import io.forebay.api.value.Bytes;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/** What transfers in one direction share at one store: the gate of requests, the bandwidth, the open files. Thread-safe. */
final class Lane {
    /** Each file under way has one or two descriptors beside its requests'; stays below 1024 with several stores. */
    static final int OPEN_FILES = 64;

    private static final int START = 8;

    private final Gate gate;
    private final @Nullable TokenBucket bucket;
    private final int most;
    private final Semaphore files = new Semaphore(OPEN_FILES, true);

    /** @param maxBytes most memory of the pool's that its requests may hold */
    Lane(int most, boolean adaptive, Optional<Bytes> bandwidth, long maxBytes, Timing timing) {
        this.most = most;
        this.gate = new Gate(new AdaptiveLimit(START, most, adaptive), most, maxBytes, timing);
        this.bucket = bandwidth.map(b -> new TokenBucket(b.value(), timing)).orElse(null);
    }

    Gate gate() {
        return gate;
    }

    /** Most requests it will ever run at once. */
    int most() {
        return most;
    }

    /** Waits until one more file may be open; followed by {@link #leaveFile}. */
    void enterFile() throws InterruptedException {
        files.acquire();
    }

    void leaveFile() {
        files.release();
    }

    /** Waits until so many bytes may move. */
    void pay(long bytes) throws InterruptedException {
        if (bucket != null && bytes > 0) {
            bucket.take(bytes);
        }
    }

    /** The chunk's memory, cut so that the bandwidth stays even. */
    ByteBuffer scratch(Chunk chunk) {
        var whole = chunk.bytes().clear();
        return bucket == null || bucket.largestPiece() >= whole.capacity()
                ? whole
                : whole.slice(0, bucket.largestPiece());
    }
}
