package io.forebay.sidecar.store.s3;

import io.forebay.api.name.NameBytes;
import io.forebay.sidecar.store.s3.Lookups.Listed;
import io.forebay.sidecar.store.s3.Lookups.Page;
import io.forebay.sidecar.store.s3.http.Headers;
import java.net.ProtocolException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/**
 * Reads a ListBucketResult (Amazon S3 API Reference, ListObjectsV2, "Response Syntax"). Elements that are not needed are passed over,
 * as are namespaces. One document each.
 */
final class ListDocument implements XmlElements.Sink {
    private static final String ROOT = "ListBucketResult";

    private final List<Listed> objects = new ArrayList<>();
    private String truncated = "";
    private String nextToken = "";
    private boolean encoded;

    private String key = "";
    private String size = "";
    private String etag = "";
    private String modified = "";

    private ListDocument() {}

    /** @throws ProtocolException it is no such document, or not well-formed */
    static Page parse(byte[] document) throws ProtocolException {
        var reader = new ListDocument();
        XmlElements.read(document, reader);
        if (!reader.truncated.equals("true") && !reader.truncated.equals("false")) {
            throw new ProtocolException("it has no IsTruncated");
        }
        if (reader.encoded) {
            reader.decode();
        }
        return new Page(reader.objects, reader.truncated.equals("true"), reader.nextToken);
    }

    @Override
    public void started(int depth, String name) throws ProtocolException {
        if (depth == 1 && !name.equals(ROOT)) {
            throw new ProtocolException("it is a " + name + ", not a " + ROOT);
        }
    }

    @Override
    public void ended(int depth, String parent, String name, String text) throws ProtocolException {
        if (depth == 2) {
            switch (name) {
                case "IsTruncated" -> truncated = text.strip();
                case "NextContinuationToken" -> nextToken = text;
                // Told after the keys by some servers: they are decoded at the end.
                case "EncodingType" -> encoded = text.strip().equals("url");
                case "Contents" -> add();
                default -> {}
            }
        } else if (depth == 3 && parent.equals("Contents")) {
            switch (name) {
                case "Key" -> key = text;
                case "Size" -> size = text.strip();
                case "ETag" -> etag = text.strip();
                case "LastModified" -> modified = text.strip();
                default -> {}
            }
        }
    }

    private void add() throws ProtocolException {
        if (key.isEmpty()) {
            throw new ProtocolException("an object in it has no Key");
        }
        objects.add(new Listed(key, number(size), Headers.unquoted(etag), millis(modified)));
        key = "";
        size = "";
        etag = "";
        modified = "";
    }

    private static long number(String text) throws ProtocolException {
        try {
            long number = Long.parseLong(text);
            if (number >= 0) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Said below.
        }
        throw new ProtocolException("an object in it has the Size '" + text + "'");
    }

    private static long millis(String text) throws ProtocolException {
        if (text.isEmpty()) {
            return -1;
        }
        try {
            return Instant.parse(text).getEpochSecond() * 1000;
        } catch (DateTimeException e) {
            throw new ProtocolException("an object in it has the LastModified '" + text + "'");
        }
    }

    private void decode() throws ProtocolException {
        try {
            objects.replaceAll(ListDocument::decoded);
        } catch (IllegalArgumentException e) {
            throw new ProtocolException("a Key in it is not encoded as its EncodingType says: " + e.getMessage());
        }
    }

    private static Listed decoded(Listed listed) {
        return listed.key().indexOf('%') < 0 && listed.key().indexOf('+') < 0
                ? listed
                : new Listed(decoded(listed.key()), listed.size(), listed.etag(), listed.lastModifiedMillis());
    }

    /** Not by {@link java.net.URLDecoder}, which makes the same of all bytes that are not UTF-8. */
    private static String decoded(String key) {
        var in = NameBytes.encode(key);
        var out = new byte[in.length];
        int length = 0;
        for (int i = 0; i < in.length; i++) {
            if (in[i] != '%') {
                out[length++] = in[i] == '+' ? (byte) ' ' : in[i];
                continue;
            }
            if (i + 2 >= in.length) {
                throw new IllegalArgumentException("it ends within an escape");
            }
            out[length++] = (byte) (HexFormat.fromHexDigit(in[i + 1]) << 4 | HexFormat.fromHexDigit(in[i + 2]));
            i += 2;
        }
        var text = new String(out, 0, length, StandardCharsets.UTF_8);
        return text.indexOf('\uFFFD') < 0 ? text : NameBytes.decode(Arrays.copyOf(out, length));
    }
}
