package io.forebay.sidecar.store.s3.http;

import java.net.URI;

/**
 * A server as requests name it.
 *
 * @param host name or address; an IPv6 one without brackets
 * @param port 1 to 65535
 */
public record Origin(boolean tls, String host, int port) {
    private static final int HTTP = 80;
    private static final int HTTPS = 443;

    public Origin {
        if (host.isEmpty() || port < 1 || port > 65_535) {
            throw new IllegalArgumentException("no origin: '" + host + "' port " + port);
        }
    }

    /** @throws IllegalArgumentException if it is no http or https URL with a host */
    public static Origin of(URI url) {
        var host = url.getHost();
        boolean tls = "https".equalsIgnoreCase(url.getScheme());
        if (host == null || !(tls || "http".equalsIgnoreCase(url.getScheme()))) {
            throw new IllegalArgumentException("'" + url + "' is no http or https URL with a host name");
        }
        var bare = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
        return new Origin(tls, bare, url.getPort() != -1 ? url.getPort() : tls ? HTTPS : HTTP);
    }

    /** As in the Host field: without the scheme's own port. */
    public String authority() {
        return port == (tls ? HTTPS : HTTP) ? bracketed() : bracketed() + ":" + port;
    }

    /** With the port in any case, as CONNECT wants it. */
    public String hostAndPort() {
        return bracketed() + ":" + port;
    }

    private String bracketed() {
        return host.indexOf(':') >= 0 ? "[" + host + "]" : host;
    }

    @Override
    public String toString() {
        return (tls ? "https://" : "http://") + authority();
    }
}
