package io.forebay.sidecar.step;

import io.forebay.sidecar.step.FrameReader.ProtocolException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One connection: frames in, frames out. Reading happens in the caller's thread, writing in a thread of its own, so that
 * {@link #send} never waits. What it holds is bounded in both directions, whatever the other side does.
 */
final class Peer {
    /** Bytes that may wait to be written. A peer that reads so little is cut off; a runner comes back and is told again. */
    static final int MAX_QUEUED = 16 * 1024 * 1024;

    private static final int FIRST_BUFFER = 1024;

    private final SocketChannel channel;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    /** Guarded by lock: added to by anyone, taken by the writer. */
    private final ArrayDeque<ByteBuffer> queue = new ArrayDeque<>();
    /** Guarded by lock. */
    private long queued;
    /** Guarded by lock. No more will be sent; the channel is closed when the queue is empty. */
    private boolean closing;

    /** Set before the channel is closed. */
    private volatile boolean closed;

    /** Only touched by the reading thread. Ready to be read from. */
    private ByteBuffer in = ByteBuffer.allocate(FIRST_BUFFER).flip();

    Peer(SocketChannel channel) {
        this.channel = channel;
    }

    /** Starts the writer. */
    void start(String name) {
        Thread.ofVirtual().name("step-writer-" + name).start(this::writeAll);
    }

    /**
     * Waits for the next frame.
     *
     * @param limit most bytes of it, 1 to {@link Protocol#MAX_FRAME}
     * @throws IOException the connection is gone, also after {@link #close}
     */
    FrameReader read(int limit) throws IOException, ProtocolException {
        fill(4);
        int length = in.getInt(in.position());
        if (length < 1 || length > limit) {
            throw new ProtocolException("a frame of %d bytes, %d are allowed".formatted(length & 0xFFFF_FFFFL, limit));
        }
        fill(4 + length);
        if (closed) { // what came while the channel was being closed counts as unsent
            throw new IOException("closed");
        }
        in.getInt();
        var frame = in.slice(in.position(), length);
        in.position(in.position() + length);
        return new FrameReader(frame);
    }

    /** Makes at least {@code want} bytes readable. A lying length costs no more memory than twice what really came. */
    private void fill(int want) throws IOException {
        while (in.remaining() < want) {
            ByteBuffer room;
            if (in.remaining() < in.capacity()) { // frames are slices of this buffer, but only one is alive
                room = in.compact();
            } else {
                room = ByteBuffer.allocate(Math.min(in.capacity() * 2, Protocol.MAX_FRAME + 4))
                        .put(in);
            }
            int n = channel.read(room);
            in = room.flip();
            if (n < 0) {
                throw new IOException("closed by the peer");
            }
        }
        if (in.capacity() > 64 * 1024 && want <= 4 && in.remaining() < FIRST_BUFFER) {
            in = ByteBuffer.allocate(FIRST_BUFFER).put(in).flip();
        }
    }

    /** Queues a frame; false: the connection is, or will soon be, gone. */
    boolean send(ByteBuffer frame) {
        lock.lock();
        try {
            if (closing) {
                return false;
            }
            if (queued > MAX_QUEUED) {
                closing = true;
                queue.clear();
                changed.signalAll();
                closeChannel();
                return false;
            }
            queued += frame.remaining();
            queue.add(frame);
            changed.signalAll();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** After what is queued has been written. */
    void closeGently() {
        lock.lock();
        try {
            closing = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** At once. */
    void close() {
        closeGently();
        closeChannel();
    }

    private void closeChannel() {
        closed = true;
        try {
            channel.close();
        } catch (IOException e) {
            // Nothing depends on it: the reader ends in either case.
        }
    }

    private void writeAll() {
        try {
            for (var frame = next(); frame != null; frame = next()) {
                int length = frame.remaining();
                while (frame.hasRemaining()) {
                    channel.write(frame);
                }
                wrote(length);
            }
        } catch (IOException e) {
            // The reader sees the same, and says it.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            close();
        }
    }

    private @Nullable ByteBuffer next() throws InterruptedException {
        lock.lock();
        try {
            while (queue.isEmpty() && !closing) {
                changed.await();
            }
            return queue.poll();
        } finally {
            lock.unlock();
        }
    }

    private void wrote(int length) {
        lock.lock();
        try {
            queued -= length;
        } finally {
            lock.unlock();
        }
    }
}
