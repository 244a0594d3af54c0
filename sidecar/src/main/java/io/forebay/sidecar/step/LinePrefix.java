package io.forebay.sidecar.step;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Puts {@code [label] } before each line of a stream. Lines longer than {@value #LONGEST} bytes are cut into several. Not thread-safe. */
final class LinePrefix {
    static final int LONGEST = 4000;
    private static final int MAX_LABEL = 120;

    private final byte[] prefix;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();

    LinePrefix(String label) {
        var printable = new StringBuilder("[");
        label.codePoints()
                .limit(MAX_LABEL)
                .forEach(c -> printable.appendCodePoint(
                        c < ' ' || c == 0x7F || Character.getType(c) == Character.SURROGATE ? '?' : c));
        prefix = printable.append("] ").toString().getBytes(StandardCharsets.UTF_8);
    }

    /** The whole lines that these bytes complete, with their prefixes; empty: none yet. */
    byte[] add(byte[] bytes, int length) {
        var out = new ByteArrayOutputStream();
        for (int i = 0; i < length; i++) {
            if (bytes[i] == '\n' || line.size() == LONGEST) {
                out.writeBytes(rest());
            }
            if (bytes[i] != '\n') {
                line.write(bytes[i]);
            }
        }
        return out.toByteArray();
    }

    /** Ends the unfinished line. */
    byte[] rest() {
        var out = new ByteArrayOutputStream();
        out.writeBytes(prefix);
        out.writeBytes(line.toByteArray());
        out.write('\n');
        line.reset();
        return out.toByteArray();
    }

    boolean unfinished() {
        return line.size() > 0;
    }
}
