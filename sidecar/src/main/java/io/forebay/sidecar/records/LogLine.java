package io.forebay.sidecar.records;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * One entry of a log, not parsed yet. What is needed to sort it is read from its fixed beginning, {@code
 * {"t":"<type>","id":"<32 digits>"}: entries write their members in that order. Valid only while it is delivered, except for a
 * {@link #copy}.
 */
public final class LogLine {
    private static final byte[] TYPE = "{\"t\":\"".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] ID = "\",\"id\":\"".getBytes(StandardCharsets.US_ASCII);
    private static final int ID_LENGTH = 32;

    private final byte[] bytes;
    private final int from;
    private final int to;

    /** @param from of the checksum @param to behind the JSON text */
    LogLine(byte[] bytes, int from, int to) {
        this.bytes = bytes;
        this.from = from;
        this.to = to;
    }

    /** The entry's name on disk; empty: not one that this version writes. */
    public String type() {
        int start = from + LogFormat.PREFIX + TYPE.length;
        int end = start;
        while (end < to && bytes[end] != '"') {
            end++;
        }
        return start < end ? new String(bytes, start, end - start, StandardCharsets.US_ASCII) : "";
    }

    /** The item's id; empty: the entry is not about an item. */
    public String id() {
        int start = from + LogFormat.PREFIX + TYPE.length;
        while (start < to && bytes[start] != '"') {
            start++;
        }
        int id = start + ID.length;
        if (id + ID_LENGTH >= to || !Arrays.equals(bytes, start, id, ID, 0, ID.length)) {
            return "";
        }
        return new String(bytes, id, ID_LENGTH, StandardCharsets.US_ASCII);
    }

    /** How often the text holds these ASCII characters. */
    public int count(byte[] ascii) {
        int n = 0;
        for (int i = from; i <= to - ascii.length; i++) {
            if (bytes[i] == ascii[0] && Arrays.equals(bytes, i, i + ascii.length, ascii, 0, ascii.length)) {
                n++;
            }
        }
        return n;
    }

    /** The whole entry. @throws RecordsDamagedException it is none of a known kind */
    public LogEntry parse() throws RecordsDamagedException {
        return LogFormat.parse(bytes, from, to);
    }

    /** Of a {@code completed} entry, what recovery needs. */
    public BriefCompletion parseBriefly() throws RecordsDamagedException {
        return BriefCompletion.parse(bytes, from + LogFormat.PREFIX, to);
    }

    public LogLine copy() {
        return new LogLine(Arrays.copyOfRange(bytes, from, to), 0, to - from);
    }
}
