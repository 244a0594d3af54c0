package io.forebay.sidecar.store.s3.http;

import java.net.InetAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Which proxy the environment names: HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY, in either case, as curl and Go read them. */
public final class ProxyChoice {
    private ProxyChoice() {}

    /** @param user absent: no Proxy-Authorization */
    public record Proxy(
            String host,
            int port,
            @Nullable String user,
            @Nullable String password) {
        /** For messages; without the password. */
        @Override
        public String toString() {
            return "http://" + (user == null ? "" : user + "@") + host + ":" + port;
        }
    }

    /**
     * @param variable gives the value of an environment variable, null if it is not set
     * @return empty: the server is reached directly
     * @throws IllegalArgumentException the variable is no proxy URL; the message names it
     */
    public static Optional<Proxy> of(Origin origin, Function<String, @Nullable String> variable) {
        var exempt = either(variable, "NO_PROXY");
        if (exempt != null && isExempt(origin, exempt)) {
            return Optional.empty();
        }
        var name = origin.tls() ? "HTTPS_PROXY" : "HTTP_PROXY";
        var text = either(variable, name);
        if (text == null) {
            name = "ALL_PROXY";
            text = either(variable, name);
        }
        return text == null ? Optional.empty() : Optional.of(parse(name, text));
    }

    private static @Nullable String either(Function<String, @Nullable String> variable, String name) {
        var lower = variable.apply(name.toLowerCase(Locale.ROOT));
        var value = lower == null || lower.isEmpty() ? variable.apply(name) : lower;
        return value == null || value.isEmpty() ? null : value;
    }

    private static Proxy parse(String name, String text) {
        try {
            var uri = URI.create(text.contains("://") ? text : "http://" + text);
            var host = uri.getHost();
            if (host == null || !"http".equalsIgnoreCase(uri.getScheme())) {
                throw new IllegalArgumentException("write http://host:port");
            }
            var info = uri.getRawUserInfo();
            int colon = info == null ? -1 : info.indexOf(':');
            var user = info == null ? null : decoded(colon < 0 ? info : info.substring(0, colon));
            var password = info == null || colon < 0 ? null : decoded(info.substring(colon + 1));
            return new Proxy(host, uri.getPort() == -1 ? 80 : uri.getPort(), user, password);
        } catch (IllegalArgumentException e) {
            // The text may hold a password: it is not repeated.
            throw new IllegalArgumentException(
                    "the environment variable " + name + " names no usable proxy; write http://host:port", e);
        }
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    private static boolean isExempt(Origin origin, String list) {
        for (var entry : list.split("[,\\s]+")) {
            if (!entry.isEmpty() && matches(origin, entry.toLowerCase(Locale.ROOT))) {
                return true;
            }
        }
        return false;
    }

    private static boolean matches(Origin origin, String entry) {
        var host = origin.host().toLowerCase(Locale.ROOT);
        if (entry.equals("*")) {
            return true;
        }
        if (entry.contains("/")) {
            return inNetwork(host, entry);
        }
        var name = entry;
        int colon = entry.lastIndexOf(':');
        if (colon > 0 && entry.indexOf(':') == colon) {
            if (!entry.substring(colon + 1).equals(Integer.toString(origin.port()))) {
                return false;
            }
            name = entry.substring(0, colon);
        }
        var suffix = name.startsWith("*.") ? name.substring(1) : name;
        return suffix.startsWith(".")
                ? host.endsWith(suffix) || host.equals(suffix.substring(1))
                : host.equals(suffix) || host.endsWith("." + suffix);
    }

    /** For hosts that are addresses; names are not looked up. */
    private static boolean inNetwork(String host, String network) {
        if (!host.matches("[0-9.]+") && host.indexOf(':') < 0) {
            return false;
        }
        try {
            int slash = network.indexOf('/');
            var base = InetAddress.getByName(network.substring(0, slash)).getAddress();
            var address = InetAddress.getByName(host).getAddress();
            int bits = Integer.parseInt(network.substring(slash + 1));
            if (base.length != address.length || bits < 0 || bits > base.length * 8) {
                return false;
            }
            for (int i = 0; i < bits; i++) {
                int mask = 0x80 >> (i % 8);
                if ((base[i / 8] & mask) != (address[i / 8] & mask)) {
                    return false;
                }
            }
            return true;
        } catch (UnknownHostException | NumberFormatException e) {
            return false;
        }
    }
}
