package io.forebay.sidecar.store.s3.http;

import java.io.EOFException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One connection: the wire, a buffer for what was read ahead, and a deadline that the pool's watchdog enforces by closing it,
 * which ends a blocked read or write of any kind. Used by one thread at a time.
 */
final class Connection implements AutoCloseable {
    /** A whole small answer, or a head and the start of its body. */
    private static final int READ_AHEAD = 16 * 1024;

    /** A line of 100 kbit/s takes 5 s for it: slow is not silent. */
    private static final int SLICE = 64 * 1024;

    private static final long NEVER = Long.MAX_VALUE;

    private final SocketChannel channel;
    private final Wire wire;
    /** Flipped: holds what was read and not yet used. */
    private final ByteBuffer ahead;

    /** {@link System#nanoTime} by which the operation under way must make progress. Written by its thread, read by the watchdog. */
    private volatile long deadlineNanos = NEVER;

    private volatile boolean timedOut;
    private Duration patience = Duration.ofSeconds(10);
    private Duration whole = HttpPool.UNBOUNDED;
    /** When the exchange must be over. */
    private long endNanos = System.nanoTime() + whole.toNanos();

    private long idleSinceNanos;
    /** Bytes of the current answer that have arrived. */
    private boolean answered;

    /** @param memory from {@link #memory}; nobody else uses it until {@link #takeMemory} */
    Connection(SocketChannel channel, Wire wire, ByteBuffer memory) {
        this.channel = channel;
        this.wire = wire;
        this.ahead = memory.clear().limit(0);
    }

    /** What a connection needs. Costs more than a request: it is zeroed, and freed by the collector. */
    static ByteBuffer memory() {
        return ByteBuffer.allocateDirect(READ_AHEAD);
    }

    /** For another connection. Called by the thread that used this one, after its last use. */
    ByteBuffer takeMemory() {
        return ahead;
    }

    /** A new exchange begins; each read or write of it may take the patience, all together the whole. */
    void begin(Duration patience, Duration whole) {
        this.patience = patience;
        this.whole = whole;
        this.endNanos = System.nanoTime() + whole.toNanos();
        this.answered = false;
    }

    void patience(Duration patience) {
        this.patience = patience;
    }

    /** Whether any byte of an answer has arrived since {@link #begin}. */
    boolean answered() {
        return answered;
    }

    void idleSince(long nanos) {
        idleSinceNanos = nanos;
    }

    long idleSince() {
        return idleSinceNanos;
    }

    /** Called by the watchdog. */
    void closeIfOverdue(long nowNanos) {
        long deadline = deadlineNanos;
        if (deadline != NEVER && nowNanos - deadline > 0) {
            timedOut = true;
            close();
        }
    }

    private interface Io {
        int run() throws IOException;
    }

    private int timed(String what, Io io) throws IOException {
        long byPatience = System.nanoTime() + patience.toNanos();
        boolean atEnd = endNanos - byPatience < 0;
        deadlineNanos = atEnd ? endNanos : byPatience;
        try {
            return io.run();
        } catch (IOException e) {
            if (timedOut) {
                var timeout = new SocketTimeoutException(
                        atEnd
                                ? "the answer was not whole after " + whole.toMillis() / 1000.0 + " s"
                                : what + " for " + patience.toMillis() / 1000.0 + " s");
                timeout.initCause(e);
                throw timeout;
            }
            throw e;
        } finally {
            deadlineNanos = NEVER;
        }
    }

    /** All of both, in one packet if they are small; each {@link #SLICE} may take as long as the patience says. */
    void write(ByteBuffer first, ByteBuffer second) throws IOException {
        int end = second.limit();
        do {
            second.limit(Math.min(end, second.position() + SLICE));
            timed("the server took no bytes", () -> {
                wire.write(first, second);
                return 0;
            });
            second.limit(end);
        } while (second.hasRemaining());
    }

    void write(ByteBuffer bytes) throws IOException {
        write(bytes, ByteBuffer.allocate(0));
    }

    interface Handshake {
        Wire run() throws IOException;
    }

    /** The same connection after a handshake over it, which is watched like any read. */
    Connection handshaken(Handshake handshake) throws IOException {
        var result = new Wire[1];
        timed("the TLS handshake made no progress", () -> {
            result[0] = handshake.run();
            return 0;
        });
        return new Connection(channel, result[0], ahead);
    }

    /** What was read ahead first, then straight from the wire. @return -1 at the end */
    int read(ByteBuffer dst) throws IOException {
        if (ahead.hasRemaining()) {
            int n = Math.min(ahead.remaining(), dst.remaining());
            dst.put(ahead.duplicate().limit(ahead.position() + n));
            ahead.position(ahead.position() + n);
            return n;
        }
        if (dst.remaining() < READ_AHEAD / 4) {
            return fillAhead() < 0 ? -1 : read(dst);
        }
        return receive(dst);
    }

    /** One byte. @throws EOFException at the end */
    int read() throws IOException {
        if (!ahead.hasRemaining() && fillAhead() < 0) {
            throw new EOFException("the server closed the connection in the middle of its answer");
        }
        return ahead.get() & 0xFF;
    }

    /** Bytes up to the next LF, each as one character. @return null: there are more than so many @throws EOFException at the end */
    @Nullable
    String readLine(int most) throws IOException {
        var text = new StringBuilder();
        while (true) {
            if (!ahead.hasRemaining() && fillAhead() < 0) {
                throw new EOFException("the server closed the connection in the middle of its answer");
            }
            int length = 0;
            while (length < ahead.remaining() && ahead.get(ahead.position() + length) != '\n') {
                length++;
            }
            boolean whole = length < ahead.remaining();
            if (text.length() + length > most) {
                return null;
            }
            var bytes = new byte[length];
            ahead.get(bytes);
            var part = new String(bytes, StandardCharsets.ISO_8859_1);
            if (whole) {
                ahead.get();
                return text.isEmpty() ? part : text.append(part).toString();
            }
            text.append(part);
        }
    }

    private int fillAhead() throws IOException {
        ahead.clear();
        try {
            return receive(ahead);
        } finally {
            ahead.flip();
        }
    }

    private int receive(ByteBuffer dst) throws IOException {
        int n = timed("the server sent no byte", () -> wire.read(dst));
        answered |= n > 0;
        return n;
    }

    /** Waits for the next byte without taking it. @throws EOFException at the end */
    void peek() throws IOException {
        read();
        ahead.position(ahead.position() - 1);
    }

    /** Whether bytes are there that nobody asked for; such a connection must not be used again. */
    boolean hasLeftovers() {
        return ahead.hasRemaining();
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            // It is given up anyway; the descriptor is free whatever close says.
        }
    }
}
