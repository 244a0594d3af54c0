package io.forebay.bench.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.URI;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Accepts connections at a free port of this machine, each served by a thread of its own. Closing it ends them all. */
final class HttpListener implements AutoCloseable {
    private static final int BACKLOG = 1024;

    /** Serves one connection until either side ends it. */
    @FunctionalInterface
    interface Service {
        void serve(SocketChannel client) throws IOException, InterruptedException;
    }

    private final ServerSocketChannel listener;
    private final Set<SocketChannel> clients = ConcurrentHashMap.newKeySet();
    private final URI endpoint;

    HttpListener(String name, Service service) throws IOException {
        listener =
                ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), BACKLOG);
        endpoint = URI.create("http://127.0.0.1:" + ((InetSocketAddress) listener.getLocalAddress()).getPort());
        Thread.ofPlatform().daemon().name(name).start(() -> accept(name, service));
    }

    URI endpoint() {
        return endpoint;
    }

    private void accept(String name, Service service) {
        try {
            while (true) {
                var client = listener.accept();
                client.setOption(StandardSocketOptions.TCP_NODELAY, true);
                clients.add(client);
                Thread.ofPlatform().daemon().name(name + "-client").start(() -> serve(client, service));
            }
        } catch (ClosedChannelException e) {
            // The end.
        } catch (IOException e) {
            System.err.println("bench: " + name + " takes no more connections: " + e);
        }
    }

    private void serve(SocketChannel client, Service service) {
        try (client) {
            service.serve(client);
        } catch (IOException | InterruptedException e) {
            // A client that goes, or the end: whoever waits for the answer sees it.
        } finally {
            clients.remove(client);
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (var client : clients) {
            client.close();
        }
    }
}
