package io.forebay.sidecar.store.s3.http;

import io.forebay.sidecar.store.s3.http.ProxyChoice.Proxy;
import java.io.IOException;
import java.net.ConnectException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/** Opens connections to one origin, directly or through a proxy. Thread-safe. */
final class Dialer {
    /** TLS handshake, or the proxy's answer to CONNECT. */
    private static final Duration HANDSHAKE = Duration.ofSeconds(10);

    /** Of one name: so many are tried, that a dead service is told within 15 s. */
    private static final int MOST_ADDRESSES = 3;

    private final Origin origin;
    private final Optional<Proxy> proxy;
    private final Optional<SSLContext> tls;
    private final Duration timeout;

    Dialer(Origin origin, Optional<Proxy> proxy, Optional<SSLContext> tls, Duration timeout) {
        if (origin.tls() && tls.isEmpty()) {
            throw new IllegalArgumentException(origin + " needs certificates to believe");
        }
        this.origin = origin;
        this.proxy = proxy;
        this.tls = tls;
        this.timeout = timeout;
    }

    /**
     * @param watched gets each connection as soon as it can hang
     * @param unwatched gets those that are replaced by what is built upon them, or that failed
     * @param memory for the connection
     */
    Connection dial(Consumer<Connection> watched, Consumer<Connection> unwatched, Supplier<ByteBuffer> memory)
            throws IOException {
        var channel = proxy.isPresent()
                ? connect(proxy.get().host(), proxy.get().port())
                : connect(origin.host(), origin.port());
        var plain = new Connection(channel, new Wire.Plain(channel), memory.get());
        boolean done = false;
        watched.accept(plain);
        try {
            plain.begin(HANDSHAKE, HttpPool.UNBOUNDED);
            if (!origin.tls()) {
                done = true;
                return plain;
            }
            if (proxy.isPresent()) {
                tunnel(plain, proxy.get());
            }
            var secure = plain.handshaken(() -> handshake(channel));
            watched.accept(secure);
            unwatched.accept(plain);
            done = true;
            return secure;
        } finally {
            if (!done) {
                unwatched.accept(plain);
                plain.close();
            }
        }
    }

    private SocketChannel connect(String host, int port) throws IOException {
        @Nullable IOException first = null;
        for (var address : addresses(host)) {
            var channel = SocketChannel.open();
            try {
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                channel.socket().connect(new InetSocketAddress(address, port), (int) timeout.toMillis());
                return channel;
            } catch (IOException e) {
                channel.close();
                if (Thread.currentThread().isInterrupted()) {
                    throw e;
                }
                if (first == null) {
                    first = e;
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        var failure = new ConnectException(
                "no connection to " + host + ":" + port + (first == null ? "" : ": " + first.getMessage()));
        if (first != null) {
            failure.initCause(first);
        }
        throw failure;
    }

    /** In random order, so that load spreads over the servers behind one name; IPv4 first, since IPv6 is often announced in vain. */
    private static List<InetAddress> addresses(String host) throws IOException {
        var four = new ArrayList<InetAddress>();
        var six = new ArrayList<InetAddress>();
        for (var address : InetAddress.getAllByName(host)) {
            (address instanceof Inet4Address ? four : six).add(address);
        }
        Collections.shuffle(four);
        Collections.shuffle(six);
        four.addAll(six);
        return four.subList(0, Math.min(four.size(), MOST_ADDRESSES));
    }

    private void tunnel(Connection connection, Proxy proxy) throws IOException {
        var request = "CONNECT " + origin.hostAndPort() + " HTTP/1.1\r\nHost: " + origin.hostAndPort() + "\r\n"
                + authorization(proxy)
                        .map(a -> "Proxy-Authorization: " + a + "\r\n")
                        .orElse("") + "\r\n";
        connection.write(ByteBuffer.wrap(request.getBytes(StandardCharsets.ISO_8859_1)));
        var answer = ResponseHead.read(connection);
        if (answer.status() != 200) {
            throw new ConnectException(
                    "the proxy " + proxy + " answers " + answer.status() + " to CONNECT " + origin.hostAndPort());
        }
    }

    static Optional<String> authorization(Proxy proxy) {
        if (proxy.user() == null) {
            return Optional.empty();
        }
        var text = proxy.user() + ":" + (proxy.password() == null ? "" : proxy.password());
        return Optional.of("Basic " + Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8)));
    }

    private Wire handshake(SocketChannel channel) throws IOException {
        var socket = (SSLSocket)
                tls.orElseThrow().getSocketFactory().createSocket(channel.socket(), origin.host(), origin.port(), true);
        var parameters = socket.getSSLParameters();
        // Without this any valid certificate would do, for whatever name.
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        return new Wire.Tls(socket);
    }
}
