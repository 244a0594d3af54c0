package io.forebay.sidecar.store.s3.http;

import java.io.IOException;
import java.net.ProtocolException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Status line and header fields of an answer (RFC 9112).
 *
 * @param keepAlive the connection may be used again after the body
 * @param framing where the body ends
 */
record ResponseHead(int status, Headers headers, boolean keepAlive, Framing framing) {
    /** Amazon sends at most a few KiB, of which 2 KiB are user metadata. */
    private static final int MAX_HEAD = 64 * 1024;

    /** Servers send one or two; each begins the silence that is waited for anew. */
    private static final int MOST_INTERIM = 10;

    private static final Pattern STATUS = Pattern.compile("[1-9]\\d\\d");
    private static final Pattern LENGTH = Pattern.compile("\\d{1,18}");

    /** Where a body ends. */
    sealed interface Framing {
        /** @param bytes 0 or more */
        record Length(long bytes) implements Framing {}

        record Chunked() implements Framing {}

        record UntilClose() implements Framing {}
    }

    /** Reads the next final answer; interim ones (1xx) are skipped, up to {@link #MOST_INTERIM}. */
    static ResponseHead read(Connection connection) throws IOException {
        for (int interim = 0; interim <= MOST_INTERIM; interim++) {
            var head = readOne(connection);
            if (head.status >= 200) {
                return head;
            }
        }
        throw new ProtocolException("more than " + MOST_INTERIM + " interim answers (1xx) and no final one");
    }

    private static ResponseHead readOne(Connection connection) throws IOException {
        var lines = new Lines(connection);
        var statusLine = lines.next();
        int status = status(statusLine);
        Map<String, List<String>> fields = new LinkedHashMap<>();
        String name = "";
        for (var line = lines.next(); !line.isEmpty(); line = lines.next()) {
            int colon = line.indexOf(':');
            if ((line.startsWith(" ") || line.startsWith("\t")) && !name.isEmpty()) {
                var values = fields.computeIfAbsent(name, n -> new ArrayList<>(List.of("")));
                values.set(values.size() - 1, values.getLast() + " " + line.strip());
            } else if (colon > 0) {
                name = line.substring(0, colon).strip().toLowerCase(Locale.ROOT);
                fields.computeIfAbsent(name, n -> new ArrayList<>())
                        .add(line.substring(colon + 1).strip());
            } else {
                throw new ProtocolException("not a header field: '" + abbreviated(line) + "'");
            }
        }
        return of(status, statusLine.startsWith("HTTP/1.1"), fields);
    }

    private static int status(String line) throws ProtocolException {
        var parts = line.split(" ", 3);
        if (parts.length >= 2
                && (parts[0].equals("HTTP/1.1") || parts[0].equals("HTTP/1.0"))
                && STATUS.matcher(parts[1]).matches()) {
            return Integer.parseInt(parts[1]);
        }
        throw new ProtocolException("no HTTP answer, but '" + abbreviated(line) + "'");
    }

    private static String abbreviated(String line) {
        return line.length() <= 80 ? line : line.substring(0, 80) + "...";
    }

    private static ResponseHead of(int status, boolean version11, Map<String, List<String>> fields)
            throws ProtocolException {
        var headers = Headers.of(fields);
        var connection =
                String.join(",", fields.getOrDefault("connection", List.of())).toLowerCase(Locale.ROOT);
        boolean keepAlive = version11 ? !connection.contains("close") : connection.contains("keep-alive");
        var framing = framing(status, fields);
        boolean both = fields.containsKey("transfer-encoding") && fields.containsKey("content-length");
        return new ResponseHead(
                status, headers, keepAlive && !both && !(framing instanceof Framing.UntilClose), framing);
    }

    private static Framing framing(int status, Map<String, List<String>> fields) throws ProtocolException {
        if (status < 200 || status == 204 || status == 304) {
            return new Framing.Length(0);
        }
        var encodings = fields.getOrDefault("transfer-encoding", List.of());
        if (!encodings.isEmpty()) {
            if (!encodings.getLast().toLowerCase(Locale.ROOT).endsWith("chunked")) {
                throw new ProtocolException("unknown Transfer-Encoding " + encodings);
            }
            return new Framing.Chunked();
        }
        var lengths = fields.getOrDefault("content-length", List.of());
        if (lengths.isEmpty()) {
            return new Framing.UntilClose();
        }
        var length = lengths.getFirst();
        for (var other : lengths) {
            if (!other.equals(length)) {
                throw new ProtocolException("not a Content-Length: " + lengths);
            }
        }
        if (!LENGTH.matcher(length).matches()) {
            throw new ProtocolException("not a Content-Length: " + lengths);
        }
        return new Framing.Length(Long.parseLong(length));
    }

    /** Lines up to a bounded total. */
    private static final class Lines {
        private final Connection connection;
        private int total;

        Lines(Connection connection) {
            this.connection = connection;
        }

        String next() throws IOException {
            return line(connection, MAX_HEAD - total, this);
        }
    }

    /** Ended by LF or CR LF, without it. */
    static String line(Connection connection, int most) throws IOException {
        return line(connection, most, null);
    }

    private static String line(Connection connection, int most, @org.jspecify.annotations.Nullable Lines counter)
            throws IOException {
        var line = connection.readLine(most);
        if (line == null) {
            throw new ProtocolException("header longer than " + MAX_HEAD + " bytes");
        }
        if (counter != null) {
            counter.total += line.length() + 1;
        }
        return line.endsWith("\r") ? line.substring(0, line.length() - 1) : line;
    }
}
