package io.forebay.sidecar.store.s3.http;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Header fields of one answer; names in any case, of a repeated one the first counts. */
public final class Headers {
    public static final Headers NONE = new Headers(Map.of());

    private final Map<String, String> byName;

    private Headers(Map<String, String> byName) {
        this.byName = byName;
    }

    public static Headers of(Map<String, List<String>> fields) {
        var byName = new LinkedHashMap<String, String>();
        fields.forEach((name, values) -> {
            if (name != null && !values.isEmpty()) {
                byName.putIfAbsent(name.toLowerCase(Locale.ROOT), values.getFirst());
            }
        });
        return new Headers(byName);
    }

    /** @param name in lower case */
    public @Nullable String get(String name) {
        return byName.get(name);
    }

    /** @return -1 if absent or no number of 0 or more */
    public long number(String name) {
        var text = byName.get(name);
        if (text == null || text.isEmpty() || text.length() > 18) {
            return -1;
        }
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) < '0' || text.charAt(i) > '9') {
                return -1;
            }
        }
        return Long.parseLong(text);
    }

    /** The ETag without quotes; empty if the server tells none. */
    public String etag() {
        var etag = byName.get("etag");
        return etag == null ? "" : unquoted(etag);
    }

    public static String unquoted(String etag) {
        return etag.length() >= 2 && etag.startsWith("\"") && etag.endsWith("\"")
                ? etag.substring(1, etag.length() - 1)
                : etag;
    }

    @Override
    public String toString() {
        return byName.toString();
    }
}
