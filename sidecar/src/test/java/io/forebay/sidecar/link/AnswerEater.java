package io.forebay.sidecar.link;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;

/** A line to a server that can lose the answer: it passes the question on, waits for the answer, and hangs up. */
final class AnswerEater implements AutoCloseable {
    private final ServerSocket listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final int to;
    private volatile boolean eating;

    AnswerEater(int to) throws IOException {
        this.to = to;
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return listening.getLocalPort();
    }

    /** The next connection loses its answer. */
    void eatNext() {
        eating = true;
    }

    private void accept() {
        try {
            while (true) {
                var client = listening.accept();
                boolean eat = eating;
                eating = false;
                Thread.ofVirtual().start(() -> pass(client, eat));
            }
        } catch (SocketException e) {
            // Closed.
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private void pass(Socket client, boolean eat) {
        try (client;
                var server = new Socket(InetAddress.getLoopbackAddress(), to)) {
            var there = Thread.ofVirtual().start(() -> copy(client, server, false));
            copy(server, client, eat);
            client.close();
            there.join();
        } catch (IOException e) {
            // One side hung up.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void copy(Socket from, Socket to, boolean eat) {
        try {
            var buffer = new byte[8192];
            while (true) {
                int n = from.getInputStream().read(buffer);
                if (n < 0 || eat) {
                    return;
                }
                to.getOutputStream().write(buffer, 0, n);
                to.getOutputStream().flush();
            }
        } catch (IOException e) {
            // One side hung up.
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
    }
}
