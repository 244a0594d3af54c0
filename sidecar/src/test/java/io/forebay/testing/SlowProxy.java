package io.forebay.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Puts distance between a client and any TCP server: each direction delays bytes by half the round trip and lets a connection
 * have a bounded bandwidth, whatever the number of connections. Delay does not limit bandwidth: bytes under way queue.
 */
public final class SlowProxy implements AutoCloseable {
    private static final int PIECE = 16 * 1024;
    /** Bytes under way in one direction: so many pieces, as much as a long fat line holds. */
    private static final int IN_FLIGHT = 1024;

    private final ServerSocket listener;
    private final URI server;
    private volatile Duration latency;
    private volatile long bytesPerSecond;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /** Connections that are open now, and most at once. */
    public final AtomicInteger connections = new AtomicInteger();

    public final AtomicInteger peakConnections = new AtomicInteger();

    /** Bytes that came from the server. */
    public final AtomicLong bytesDown = new AtomicLong();

    /** Bytes that went to the server. */
    public final AtomicLong bytesUp = new AtomicLong();

    /** @param latency of a round trip @param bytesPerSecond of each connection and direction; 0: no limit */
    public SlowProxy(URI server, Duration latency, long bytesPerSecond) throws IOException {
        this.server = server;
        this.latency = latency;
        this.bytesPerSecond = bytesPerSecond;
        this.listener = new ServerSocket(0, 500, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().name("slow-proxy").start(this::accept);
    }

    public URI endpoint() {
        return URI.create(server.getScheme() + "://127.0.0.1:" + listener.getLocalPort());
    }

    /** From now on, also for connections that are open. */
    public void latency(Duration roundTrip) {
        latency = roundTrip;
    }

    public void bandwidth(long bytesPerSecondPerConnection) {
        bytesPerSecond = bytesPerSecondPerConnection;
    }

    private void accept() {
        while (!closed) {
            try {
                var client = listener.accept();
                sockets.add(client);
                Thread.ofVirtual().name("slow-proxy-dial").start(() -> join(client));
            } catch (IOException e) {
                // Closed.
            }
        }
    }

    private void join(Socket client) {
        try {
            var upstream = new Socket(server.getHost(), server.getPort());
            sockets.add(upstream);
            client.setTcpNoDelay(true);
            upstream.setTcpNoDelay(true);
            peakConnections.accumulateAndGet(connections.incrementAndGet(), Math::max);
            var open = new AtomicInteger(2);
            carry(client, upstream, bytesUp, open);
            carry(upstream, client, bytesDown, open);
        } catch (IOException e) {
            close(client);
        }
    }

    /** @param dueNanos when it arrives @param length -1: the end */
    private record Piece(long dueNanos, byte[] bytes, int length) {}

    private void carry(Socket from, Socket to, AtomicLong total, AtomicInteger open) {
        BlockingQueue<Piece> line = new ArrayBlockingQueue<>(IN_FLIGHT);
        Thread.ofVirtual().name("slow-proxy-in").start(() -> {
            try {
                take(from.getInputStream(), line);
            } catch (IOException e) {
                // Told to the other end as an end.
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            end(line);
        });
        Thread.ofVirtual().name("slow-proxy-out").start(() -> {
            try {
                give(line, to.getOutputStream(), total);
            } catch (IOException e) {
                close(from);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            try {
                to.shutdownOutput();
            } catch (IOException e) {
                close(to);
            }
            if (open.decrementAndGet() == 0) {
                connections.decrementAndGet();
                close(from);
                close(to);
            }
        });
    }

    private void end(BlockingQueue<Piece> line) {
        try {
            line.put(new Piece(due(), new byte[0], -1));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private long due() {
        return System.nanoTime() + latency.toNanos() / 2;
    }

    private void take(InputStream in, BlockingQueue<Piece> line) throws IOException, InterruptedException {
        long paidUntil = System.nanoTime();
        while (true) {
            var bytes = new byte[PIECE];
            int n = in.read(bytes);
            if (n < 0) {
                return;
            }
            long rate = bytesPerSecond;
            if (rate > 0) {
                paidUntil = Math.max(paidUntil, System.nanoTime()) + n * 1_000_000_000L / rate;
                parkUntil(paidUntil);
            }
            line.put(new Piece(due(), bytes, n));
        }
    }

    private static void give(BlockingQueue<Piece> line, OutputStream out, AtomicLong total)
            throws IOException, InterruptedException {
        for (var piece = line.take(); piece.length >= 0; piece = line.take()) {
            parkUntil(piece.dueNanos);
            total.addAndGet(piece.length);
            out.write(piece.bytes, 0, piece.length);
        }
    }

    private static void parkUntil(long nanos) {
        for (long left = nanos - System.nanoTime(); left > 0; left = nanos - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    /** All connections break, as when a line is cut; new ones work. */
    public void cut() {
        for (var socket : new ArrayList<>(sockets)) {
            close(socket);
        }
    }

    private void close(Socket socket) {
        sockets.remove(socket);
        try {
            socket.close();
        } catch (IOException e) {
            // It is gone anyway.
        }
    }

    @Override
    public void close() throws IOException {
        closed = true;
        listener.close();
        cut();
    }
}
