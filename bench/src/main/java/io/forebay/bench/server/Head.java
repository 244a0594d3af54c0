package io.forebay.bench.server;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * What comes before the body of an HTTP/1.1 message (RFC 9112).
 *
 * @param first request or status line
 * @param fields lines {@code name: value}
 */
record Head(String first, List<String> fields) {
    Head {
        fields = List.copyOf(fields);
    }

    /**
     * Reads on until the head is whole. What came behind it stays in the buffer.
     *
     * @param buffer ready to be read from, before and after; large enough for a head
     * @return absent: the other side ended the connection between two messages
     */
    static Optional<Head> read(ReadableByteChannel channel, ByteBuffer buffer) throws IOException {
        int searched = 0;
        while (true) {
            int end = end(buffer, searched);
            if (end >= 0) {
                var bytes = new byte[end];
                buffer.get(bytes);
                var lines = new String(bytes, StandardCharsets.ISO_8859_1).split("\r\n");
                return Optional.of(new Head(lines[0], List.of(lines).subList(1, lines.length)));
            }
            searched = Math.max(0, buffer.remaining() - 3);
            buffer.compact();
            if (!buffer.hasRemaining()) {
                throw new IOException("a head of more than " + buffer.capacity() + " bytes");
            }
            int count = channel.read(buffer);
            buffer.flip();
            if (count < 0) {
                if (buffer.hasRemaining()) {
                    throw new EOFException("ended within a head");
                }
                return Optional.empty();
            }
        }
    }

    /** Bytes up to and with the empty line; -1: there is none yet. */
    private static int end(ByteBuffer buffer, int from) {
        int base = buffer.position();
        for (int i = base + from; i + 3 < buffer.limit(); i++) {
            if (buffer.get(i) == '\r'
                    && buffer.get(i + 1) == '\n'
                    && buffer.get(i + 2) == '\r'
                    && buffer.get(i + 3) == '\n') {
                return i + 4 - base;
            }
        }
        return -1;
    }

    /** Its value, in lower case. */
    Optional<String> field(String name) {
        return fields.stream()
                .filter(f -> f.regionMatches(true, 0, name + ":", 0, name.length() + 1))
                .map(f -> f.substring(name.length() + 1).strip().toLowerCase(Locale.ROOT))
                .findFirst();
    }

    boolean closes() {
        return field("Connection").filter("close"::equals).isPresent();
    }

    /** Of a body that says its length; absent: it does not. */
    Optional<Long> length() {
        return field("Content-Length").map(Long::parseLong);
    }

    boolean isChunked() {
        return field("Transfer-Encoding").filter(e -> e.endsWith("chunked")).isPresent();
    }

    /** The same, with a connection that goes on. */
    Head kept() {
        var kept = new ArrayList<>(fields.stream()
                .filter(f -> !f.regionMatches(true, 0, "Connection:", 0, 11))
                .toList());
        kept.add("Connection: keep-alive");
        return new Head(first, kept);
    }

    ByteBuffer bytes() {
        return ByteBuffer.wrap(
                (first + "\r\n" + String.join("\r\n", fields) + "\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1));
    }
}
