package io.forebay.bench.server;

import io.forebay.bench.measure.Stopwatch;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A long line to an S3 server, for reading: each request waits for the round trip, a new connection for one more (TCP's handshake), and
 * each connection carries so many bytes per second at most. Connections to clients are kept alive, also where the server ends its
 * own. Requests with a body are refused.
 *
 * <p>A byte is copied twice, in pieces of 256 KiB, by the thread of its connection: about 0.4 s of processor time for 1 GiB.
 */
public final class SlowLine implements AutoCloseable {
    private static final int PIECE = 256 << 10;
    /** What a thread that was woken late may catch up. */
    private static final long LATE_NANOS = 20_000_000;

    private final URI server;
    private final long latencyNanos;
    private final long bytesPerSecond;
    private final Semaphore streams;
    private final HttpListener listener;
    private volatile long firstRequest;

    /** @param bytesPerSecond of each connection; 0: no limit @param streams requests that are served at the same time */
    private SlowLine(URI server, Duration latency, long bytesPerSecond, int streams) throws IOException {
        this.server = server;
        this.latencyNanos = latency.toNanos();
        this.bytesPerSecond = bytesPerSecond;
        this.streams = new Semaphore(streams, true);
        this.listener = new HttpListener("slow-line", this::serve);
    }

    public static SlowLine to(URI server, Duration latency, long bytesPerSecond) throws IOException {
        return new SlowLine(server, latency, bytesPerSecond, Integer.MAX_VALUE);
    }

    /** A line on which so many requests are served at the same time, and others wait. */
    public static SlowLine to(URI server, Duration latency, long bytesPerSecond, int streams) throws IOException {
        return new SlowLine(server, latency, bytesPerSecond, streams);
    }

    public URI endpoint() {
        return listener.endpoint();
    }

    /** From the first request on, whatever the client did before it. */
    public Stopwatch fromFirstRequest() {
        return new Stopwatch() {
            @Override
            public void start() {
                firstRequest = 0;
            }

            @Override
            public double stop() {
                long now = System.nanoTime();
                return (now - (firstRequest == 0 ? now - 1 : firstRequest)) / 1e9;
            }
        };
    }

    private void serve(SocketChannel client) throws IOException, InterruptedException {
        sleep(latencyNanos);
        var requests = ByteBuffer.allocateDirect(PIECE).flip();
        try (var upstream = new Upstream(server)) {
            while (true) {
                var request = Head.read(client, requests);
                if (request.isEmpty()) {
                    return;
                }
                if (firstRequest == 0) {
                    firstRequest = System.nanoTime();
                }
                if (request.get().isChunked() || request.get().length().orElse(0L) > 0) {
                    throw new IOException(
                            "a request with a body: " + request.get().first());
                }
                streams.acquire();
                try {
                    sleep(latencyNanos);
                    answer(request.get(), upstream, client);
                } finally {
                    streams.release();
                }
                if (request.get().closes()) {
                    return;
                }
            }
        }
    }

    private void answer(Head request, Upstream upstream, SocketChannel client) throws IOException {
        var answer = upstream.ask(request);
        var pace = new Pace();
        pace.write(answer.kept().bytes(), client);
        long left = bodyBytes(request, answer);
        if (left >= 0) {
            upstream.forward(left, pace, client);
        } else if (answer.isChunked()) {
            upstream.forwardChunks(pace, client);
        } else {
            throw new IOException("an answer that does not say where it ends: " + answer.first());
        }
        if (answer.closes()) {
            upstream.close();
        }
    }

    /** -1: its length is not known before. */
    private static long bodyBytes(Head request, Head answer) {
        var status = answer.first().split(" ")[1];
        if (request.first().startsWith("HEAD ") || status.equals("204") || status.equals("304")) {
            return 0;
        }
        return answer.length().orElse(-1L);
    }

    private static void sleep(long nanos) {
        long until = System.nanoTime() + nanos;
        for (long left = nanos; left > 0; left = until - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    /** Of one answer on one connection. */
    private final class Pace {
        private long next = System.nanoTime();

        void write(ByteBuffer bytes, SocketChannel client) throws IOException {
            if (bytesPerSecond > 0) {
                long now = System.nanoTime();
                sleep(next - now);
                next = Math.max(next, now - LATE_NANOS) + bytes.remaining() * 1_000_000_000L / bytesPerSecond;
            }
            while (bytes.hasRemaining()) {
                client.write(bytes);
            }
        }
    }

    /** The connection to the server; made again where the server has ended it. */
    private static final class Upstream implements AutoCloseable {
        private final InetSocketAddress address;
        private final ByteBuffer buffer = ByteBuffer.allocateDirect(PIECE).flip();
        private @Nullable SocketChannel channel;

        Upstream(URI server) {
            address = new InetSocketAddress(server.getHost(), server.getPort());
        }

        Head ask(Head request) throws IOException {
            if (channel != null) {
                try {
                    var answer = once(channel, request);
                    if (answer.isPresent()) {
                        return answer.get();
                    }
                } catch (IOException e) {
                    // It was kept too long.
                }
                close();
            }
            channel = SocketChannel.open(address);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            return once(channel, request).orElseThrow(() -> new EOFException("no answer from " + address));
        }

        private Optional<Head> once(SocketChannel to, Head request) throws IOException {
            var bytes = request.kept().bytes();
            while (bytes.hasRemaining()) {
                to.write(bytes);
            }
            return Head.read(to, buffer);
        }

        private SocketChannel channel() throws IOException {
            if (channel == null) {
                throw new EOFException("no connection to " + address);
            }
            return channel;
        }

        private void more() throws IOException {
            buffer.clear();
            int count = channel().read(buffer);
            buffer.flip();
            if (count < 0) {
                throw new EOFException(address + " ended within an answer");
            }
        }

        void forward(long bytes, Pace pace, SocketChannel client) throws IOException {
            for (long left = bytes; left > 0; ) {
                if (!buffer.hasRemaining()) {
                    more();
                }
                int count = (int) Math.min(left, buffer.remaining());
                pace.write(buffer.slice(buffer.position(), count), client);
                buffer.position(buffer.position() + count);
                left -= count;
            }
        }

        /** RFC 9112 7.1: size in hexadecimal, data, ..., 0, trailers, an empty line; as they are. */
        void forwardChunks(Pace pace, SocketChannel client) throws IOException {
            for (long size = -1; size != 0; ) {
                var line = line();
                size = Long.parseLong(line.replaceFirst("[;\\s].*", ""), 16);
                pace.write(SlowLine.line(line), client);
                if (size > 0) {
                    forward(size + 2, pace, client);
                }
            }
            for (var line = line(); ; line = line()) {
                pace.write(SlowLine.line(line), client);
                if (line.isEmpty()) {
                    return;
                }
            }
        }

        private String line() throws IOException {
            var text = new StringBuilder();
            while (true) {
                if (!buffer.hasRemaining()) {
                    more();
                }
                char c = (char) (buffer.get() & 0xFF);
                if (c == '\n') {
                    return text.substring(0, Math.max(0, text.length() - 1));
                }
                text.append(c);
            }
        }

        @Override
        public void close() throws IOException {
            if (channel != null) {
                channel.close();
                channel = null;
            }
            buffer.clear().flip();
        }
    }

    private static ByteBuffer line(String text) {
        return ByteBuffer.wrap((text + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
