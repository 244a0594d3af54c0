package io.forebay.bench.server;

import java.io.IOException;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * An S3 server with so many objects in {@link S3Server#BUCKET}, of which it can tell nothing but the list (ListObjectsV2): pages come from
 * memory, a copied template in which only the numbers are written, so that a client's own speed is what is measured. Keys are
 * {@code in/object-0000000.dat} and so on. Signatures are not looked at.
 */
public final class ObjectLister implements AutoCloseable {
    /** Folder of all keys. */
    public static final String PREFIX = "in/";

    private static final String STEM = PREFIX + "object-";
    private static final String END = ".dat";
    private static final int DIGITS = 7;
    private static final int MOST_KEYS = 1000;

    private final int objects;
    private final byte[] entries;
    private final int entryBytes;
    private final int digitsAt;
    private final HttpListener listener;

    public ObjectLister(int objects) throws IOException {
        var entry = "<Contents><Key>" + key(0)
                + "</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><ETag>&quot;0cc175b9c0f1b6a831c399e269772661&quot;</ETag>"
                + "<Size>10240</Size><StorageClass>STANDARD</StorageClass></Contents>";
        this.objects = objects;
        this.entryBytes = entry.length();
        this.digitsAt = entry.indexOf(STEM) + STEM.length();
        this.entries = entry.repeat(MOST_KEYS).getBytes(StandardCharsets.US_ASCII);
        this.listener = new HttpListener("object-lister", this::serve);
    }

    private static String key(int number) {
        return STEM + String.format("%0" + DIGITS + "d", number) + END;
    }

    public URI endpoint() {
        return listener.endpoint();
    }

    private void serve(SocketChannel client) throws IOException {
        var requests = ByteBuffer.allocate(64 << 10).flip();
        while (true) {
            var request = Head.read(client, requests);
            if (request.isEmpty()) {
                return;
            }
            var words = request.get().first().split(" ");
            var target = URI.create(words[1]);
            var query = query(target);
            boolean list = words[0].equals("GET")
                    && target.getPath().replaceFirst("/$", "").equals("/" + S3Server.BUCKET)
                    && query.getOrDefault("list-type", "").equals("2");
            if (list) {
                send(client, 200, page(query));
            } else {
                boolean bucket = words[0].equals("HEAD") && target.getPath().startsWith("/" + S3Server.BUCKET);
                send(client, bucket ? 200 : 404, bucket ? new byte[0] : notFound());
            }
        }
    }

    private static byte[] notFound() {
        return "<Error><Code>NoSuchKey</Code><Message>only lists</Message></Error>".getBytes(StandardCharsets.US_ASCII);
    }

    private static Map<String, String> query(URI target) {
        var all = new HashMap<String, String>();
        var text = target.getRawQuery();
        for (var part : (text == null ? "" : text).split("&")) {
            int equals = part.indexOf('=');
            all.put(
                    equals < 0 ? part : part.substring(0, equals),
                    equals < 0 ? "" : URLDecoder.decode(part.substring(equals + 1), StandardCharsets.UTF_8));
        }
        return all;
    }

    /** Every key lies in {@link #PREFIX}; another prefix has none, but "" with a delimiter, which nobody asks here. */
    private byte[] page(Map<String, String> query) {
        int first = number(query.getOrDefault("continuation-token", query.getOrDefault("start-after", "")));
        int most = Math.min(MOST_KEYS, Integer.parseInt(query.getOrDefault("max-keys", "1000")));
        var prefix = query.getOrDefault("prefix", "");
        int count = PREFIX.startsWith(prefix) ? Math.clamp(objects - first, 0, most) : 0;
        boolean more = first + count < objects && count > 0;
        var head =
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
                        + "<Name>" + S3Server.BUCKET + "</Name><Prefix>" + prefix + "</Prefix><KeyCount>" + count
                        + "</KeyCount><MaxKeys>" + most + "</MaxKeys><IsTruncated>" + more + "</IsTruncated>"
                        + (more ? "<NextContinuationToken>" + key(first + count - 1) + "</NextContinuationToken>" : "");
        var tail = "</ListBucketResult>";
        var page = ByteBuffer.allocate(head.length() + count * entryBytes + tail.length());
        page.put(head.getBytes(StandardCharsets.US_ASCII));
        for (int i = 0; i < count; i++) {
            int at = page.position() + digitsAt;
            page.put(entries, 0, entryBytes);
            int number = first + i;
            for (int d = DIGITS - 1; d >= 0; d--, number /= 10) {
                page.put(at + d, (byte) ('0' + number % 10));
            }
        }
        return page.put(tail.getBytes(StandardCharsets.US_ASCII)).array();
    }

    /** Of the key after this one. */
    private static int number(String after) {
        return after.startsWith(STEM)
                ? Integer.parseInt(after.substring(STEM.length(), STEM.length() + DIGITS)) + 1
                : 0;
    }

    private static void send(SocketChannel client, int status, byte[] body) throws IOException {
        var head =
                "HTTP/1.1 %d Here\r\nContent-Type: application/xml\r\nContent-Length: %d\r\nx-amz-bucket-region: us-east-1\r\n\r\n"
                        .formatted(status, body.length);
        var parts = new ByteBuffer[] {ByteBuffer.wrap(head.getBytes(StandardCharsets.US_ASCII)), ByteBuffer.wrap(body)};
        while (parts[1].hasRemaining() || parts[0].hasRemaining()) {
            client.write(parts);
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
