package io.forebay.sidecar.store.s3;

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
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** An HTTP proxy: forwards requests with an absolute URL, one a connection, and opens tunnels. */
final class TestProxy implements AutoCloseable {
    private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final CopyOnWriteArrayList<String> requestLines = new CopyOnWriteArrayList<>();
    private final CopyOnWriteArrayList<String> authorizations = new CopyOnWriteArrayList<>();
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

    TestProxy() throws IOException {
        Thread.ofVirtual().start(() -> {
            while (!listener.isClosed()) {
                try {
                    var client = listener.accept();
                    sockets.add(client);
                    Thread.ofVirtual().start(() -> serve(client));
                } catch (IOException e) {
                    // Closed.
                }
            }
        });
    }

    int port() {
        return listener.getLocalPort();
    }

    List<String> requestLines() {
        return requestLines;
    }

    List<String> authorizations() {
        return authorizations;
    }

    private void serve(Socket client) {
        try (client) {
            var head = head(client.getInputStream());
            var line = head.substring(0, head.indexOf('\r'));
            requestLines.add(line);
            head.lines()
                    .filter(l -> l.toLowerCase(java.util.Locale.ROOT).startsWith("proxy-authorization: "))
                    .forEach(l -> authorizations.add(l.substring(21)));
            var words = line.split(" ");
            boolean tunnel = words[0].equals("CONNECT");
            var target = URI.create(tunnel ? "http://" + words[1] : words[1]);
            try (var server = new Socket(target.getHost(), target.getPort())) {
                sockets.add(server);
                if (tunnel) {
                    client.getOutputStream()
                            .write("HTTP/1.1 200 Connection established\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                } else {
                    var path = target.getRawPath() + (target.getRawQuery() == null ? "" : "?" + target.getRawQuery());
                    // Each request over its own connection, as simple proxies do.
                    var changed = head.replace(words[1], path).replaceFirst("\r\n", "\r\nConnection: close\r\n");
                    server.getOutputStream().write(changed.getBytes(StandardCharsets.ISO_8859_1));
                }
                var up = Thread.ofVirtual().start(() -> copy(client, server));
                if (tunnel) {
                    copy(server, client);
                } else {
                    answerOnce(server.getInputStream(), client.getOutputStream());
                }
                up.interrupt();
            }
        } catch (IOException e) {
            // One side is gone.
        }
    }

    /** Head and the body of its Content-Length. */
    private static void answerOnce(InputStream in, OutputStream out) throws IOException {
        var head = head(in);
        out.write(head.replaceFirst("\r\n", "\r\nConnection: close\r\n").getBytes(StandardCharsets.ISO_8859_1));
        var m = java.util.regex.Pattern.compile("(?i)content-length: (\\d+)").matcher(head);
        if (m.find() && !head.isEmpty()) {
            out.write(in.readNBytes(Integer.parseInt(m.group(1))));
        }
        out.flush();
    }

    private static void copy(Socket from, Socket to) {
        try {
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException e) {
            // One side is gone.
        }
    }

    private static String head(InputStream in) throws IOException {
        var bytes = new ByteArrayOutputStream();
        while (!bytes.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
            int b = in.read();
            if (b < 0) {
                throw new IOException("end");
            }
            bytes.write(b);
        }
        return bytes.toString(StandardCharsets.ISO_8859_1);
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (var socket : new ArrayList<>(sockets)) {
            socket.close();
        }
    }
}
