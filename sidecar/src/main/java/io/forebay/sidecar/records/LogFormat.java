package io.forebay.sidecar.records;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.forebay.message.MessageJson;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The lines of a log.
 *
 * <pre>
 * line:   crc32c of the JSON text, 8 hexadecimal digits | space | JSON text, ASCII, without line breaks | \n
 * batch:  one line {"batch":n,"bytes":b} | b bytes: the lines of the entries
 * </pre>
 *
 * Batches are numbered from 1 in each log. A log is a file to which batches are appended (POSIX), or objects (S3), see
 * {@link LogObjects}: one for each batch, many of which are merged into one, in order, from time to time. See {@link LogScanner}
 * for what recovery cuts and what it refuses.
 */
final class LogFormat {
    private static final HexFormat HEX = HexFormat.of();
    /** CRC and space. */
    static final int PREFIX = 9;

    private static final Pattern HEADER = Pattern.compile("\\{\"batch\":(\\d{1,18}),\"bytes\":(\\d{1,18})}");
    /** With both numbers as long as can be. */
    private static final int LONGEST_HEADER = 80;

    /**
     * The first line of a batch.
     *
     * @param batch its number
     * @param bytes of the lines that follow
     * @param end where these begin
     */
    record Header(long batch, long bytes, int end) {}

    private LogFormat() {}

    static byte[] line(LogEntry entry) {
        try {
            return line(MessageJson.MAPPER.writeValueAsBytes(entry));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("cannot be written as JSON: " + entry.getClass(), e);
        }
    }

    static byte[] header(long batch, int bytes) {
        return line(("{\"batch\":" + batch + ",\"bytes\":" + bytes + "}").getBytes(StandardCharsets.US_ASCII));
    }

    private static byte[] line(byte[] json) {
        var line = new byte[PREFIX + json.length + 1];
        long crc = crc(json, 0, json.length);
        for (int i = 0; i < 8; i++) {
            line[i] = (byte) HEX.toLowHexDigit((int) (crc >>> (28 - 4 * i)));
        }
        line[8] = ' ';
        System.arraycopy(json, 0, line, PREFIX, json.length);
        line[line.length - 1] = '\n';
        return line;
    }

    /** Whether bytes [from, to) are a whole line without its line break, with the right checksum. */
    static boolean isValid(byte[] bytes, int from, int to) {
        if (to - from < PREFIX + 2 || bytes[from + 8] != ' ' || bytes[from + PREFIX] != '{' || bytes[to - 1] != '}') {
            return false;
        }
        long stated = 0;
        for (int i = from; i < from + 8; i++) {
            if (!HexFormat.isHexDigit(bytes[i]) || bytes[i] >= 'A' && bytes[i] <= 'F') {
                return false;
            }
            stated = stated << 4 | HexFormat.fromHexDigit(bytes[i]);
        }
        return stated == crc(bytes, from + PREFIX, to - from - PREFIX);
    }

    private static long crc(byte[] bytes, int from, int length) {
        var crc = new CRC32C();
        crc.update(bytes, from, length);
        return crc.getValue();
    }

    /** The header in bytes [from, to), a line without its line break; null: it is none. */
    static @Nullable Header header(byte[] bytes, int from, int to) {
        if (to - from > LONGEST_HEADER || !isValid(bytes, from, to)) {
            return null;
        }
        var m = HEADER.matcher(new String(bytes, from + PREFIX, to - from - PREFIX, StandardCharsets.US_ASCII));
        return m.matches() ? new Header(Long.parseLong(m.group(1)), Long.parseLong(m.group(2)), to + 1) : null;
    }

    /** The header that begins there; null: none does. */
    static @Nullable Header headerAt(byte[] bytes, int from) {
        for (int to = from; to < bytes.length && to - from <= LONGEST_HEADER; to++) {
            if (bytes[to] == '\n') {
                return header(bytes, from, to);
            }
        }
        return null;
    }

    /** Reads the JSON text of a valid line. @throws RecordsDamagedException it is no entry of a known kind */
    static LogEntry parse(byte[] bytes, int from, int to) throws RecordsDamagedException {
        try {
            return MessageJson.MAPPER.readValue(bytes, from + PREFIX, to - from - PREFIX, LogEntry.class);
        } catch (java.io.IOException e) {
            throw new RecordsDamagedException(
                    "entry not understood (written by a newer version?): "
                            + new String(bytes, from, Math.min(to - from, 200), StandardCharsets.US_ASCII),
                    e);
        }
    }
}
