package io.forebay.sidecar.apart;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/** Where a coordinator listens: {@code HOST:PORT}, {@code [IPv6]:PORT}, or {@code :PORT} for all addresses. Port 0: any free one. */
public record ListenAddress(String host, int port) {
    private static final int MOST = 65535;

    public ListenAddress {
        if (port < 0 || port > MOST) {
            throw new IllegalArgumentException("port " + port + " is none: 0 (any free one) to " + MOST);
        }
    }

    /** @throws IllegalArgumentException naming the text and what would be right */
    public static ListenAddress parse(String text) {
        int colon = text.lastIndexOf(':');
        var host = colon < 0 ? "" : text.substring(0, colon);
        boolean bracketed = host.startsWith("[") && host.endsWith("]");
        if (colon < 0 || host.contains(":") && !bracketed) {
            throw bad(text);
        }
        try {
            return new ListenAddress(
                    bracketed ? host.substring(1, host.length() - 1) : host,
                    Integer.parseInt(text.substring(colon + 1)));
        } catch (NumberFormatException e) {
            throw bad(text);
        }
    }

    private static IllegalArgumentException bad(String text) {
        return new IllegalArgumentException("'" + text
                + "' is no address to listen on; write HOST:PORT, for example 127.0.0.1:0, or :8080 for all addresses");
    }

    InetSocketAddress socketAddress() throws UnknownHostException {
        return host.isEmpty() ? new InetSocketAddress(port) : new InetSocketAddress(InetAddress.getByName(host), port);
    }

    /** As URLs write it; this machine's name is not known here, so "all addresses" is told as the loopback one. */
    String url(int chosenPort) {
        var name = host.isEmpty() ? "127.0.0.1" : host.contains(":") ? "[" + host + "]" : host;
        return "http://" + name + ":" + chosenPort;
    }

    @Override
    public String toString() {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }
}
