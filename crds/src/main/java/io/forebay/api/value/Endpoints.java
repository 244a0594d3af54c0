package io.forebay.api.value;

import java.net.URI;
import java.net.URISyntaxException;
import org.jspecify.annotations.Nullable;

/** The addresses of S3 servers. */
public final class Endpoints {
    private Endpoints() {}

    /** @throws IllegalArgumentException naming the text and what would be right */
    public static URI parse(String text) {
        try {
            var uri = new URI(text);
            if (uri.getHost() != null && ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))) {
                return uri;
            }
        } catch (URISyntaxException e) {
            throw none(text, e);
        }
        throw none(text, null);
    }

    private static IllegalArgumentException none(String text, @Nullable Exception cause) {
        return new IllegalArgumentException(
                "'" + text + "' is no endpoint; write http://host:port or https://host:port", cause);
    }
}
