package io.forebay.rig;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A line to a server of this machine that can be cut, mended, and led to another server. */
final class Cable implements AutoCloseable {
    private final ServerSocket listening = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private volatile int to;
    private volatile boolean cut;

    Cable(int toPort) throws IOException {
        to = toPort;
        Thread.ofVirtual().name("cable").start(this::accept);
    }

    URI end() {
        return URI.create("http://127.0.0.1:" + listening.getLocalPort());
    }

    /** What is under way is lost, and nothing gets through. */
    void cut() throws IOException {
        cut = true;
        for (var socket : open) {
            socket.close();
        }
    }

    void mend() {
        cut = false;
    }

    void leadTo(int port) {
        to = port;
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                var client = listening.accept();
                if (cut) {
                    client.close();
                } else {
                    Thread.ofVirtual().start(() -> join(client));
                }
            } catch (IOException e) {
                // Closed, or the client has gone.
            }
        }
    }

    private void join(Socket client) {
        try (client;
                var server = new Socket(InetAddress.getLoopbackAddress(), to)) {
            open.add(client);
            open.add(server);
            var back = Thread.ofVirtual().start(() -> copy(server, client));
            copy(client, server);
            back.join();
            open.remove(client);
            open.remove(server);
        } catch (IOException e) {
            // One side has gone.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void copy(Socket from, Socket to) {
        try {
            from.getInputStream().transferTo(to.getOutputStream());
            to.shutdownOutput();
        } catch (IOException e) {
            // Cut, or one side has gone.
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
        cut();
    }
}
