package io.forebay.sidecar.store.s3.http;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/** A TCP server whose answers are written byte by byte in the test. */
final class RawServer implements AutoCloseable {
    /** Plays the server on one connection; returning closes it. */
    interface Script {
        void play(InputStream in, OutputStream out) throws IOException, InterruptedException;
    }

    private final ServerSocket listener;
    private final Script script;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    final CopyOnWriteArrayList<String> heads = new CopyOnWriteArrayList<>();
    final CountDownLatch closed = new CountDownLatch(1);
    volatile int accepted;

    RawServer(Script script) throws IOException {
        this(new ServerSocket(0, 100, InetAddress.getLoopbackAddress()), script);
    }

    RawServer(ServerSocket listener, Script script) {
        this.listener = listener;
        this.script = script;
        Thread.ofVirtual().start(this::accept);
    }

    /** Answers each request, whose body it reads, with the same text. */
    static RawServer answering(String answer) throws IOException {
        var server = new RawServer[1];
        server[0] = new RawServer((in, out) -> {
            for (var head = head(in); head != null; head = head(in)) {
                server[0].heads.add(head);
                in.readNBytes(length(head));
                out.write(answer.getBytes(StandardCharsets.ISO_8859_1));
                out.flush();
            }
        });
        return server[0];
    }

    static int length(String head) {
        var m = java.util.regex.Pattern.compile("(?i)content-length: (\\d+)").matcher(head);
        return m.find() ? Integer.parseInt(m.group(1)) : 0;
    }

    /** @return null at the end */
    static String head(InputStream in) throws IOException {
        var bytes = new ByteArrayOutputStream();
        while (!bytes.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
            int b = in.read();
            if (b < 0) {
                return null;
            }
            bytes.write(b);
        }
        return bytes.toString(StandardCharsets.ISO_8859_1);
    }

    private void accept() {
        while (closed.getCount() > 0) {
            try {
                var socket = listener.accept();
                accepted++;
                sockets.add(socket);
                Thread.ofVirtual().start(() -> {
                    try (socket) {
                        script.play(new BufferedInputStream(socket.getInputStream()), socket.getOutputStream());
                    } catch (IOException | InterruptedException e) {
                        // The client is gone, or the test has ended.
                    } finally {
                        sockets.remove(socket);
                    }
                });
            } catch (IOException e) {
                // Closed.
            }
        }
    }

    URI url() {
        return URI.create("http://127.0.0.1:" + listener.getLocalPort());
    }

    int port() {
        return listener.getLocalPort();
    }

    int open() {
        return sockets.size();
    }

    @Override
    public void close() throws IOException {
        closed.countDown();
        listener.close();
        for (var socket : new ArrayList<>(sockets)) {
            socket.close();
        }
    }
}
