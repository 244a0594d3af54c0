package io.forebay.api.name;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/**
 * File names are bytes; everything above the system calls handles them as {@code String}.
 *
 * <p>Valid UTF-8 maps to its characters. Each byte that is not part of valid UTF-8 maps to the lone surrogate
 * U+DC80..U+DCFF (0xDC00 + byte), as Python does (PEP 383, "surrogateescape"), so that every name survives the round
 * trip bytes, String, JSON, String, bytes. Stateless.
 */
public final class NameBytes {
    private NameBytes() {}

    /** The text of a name; never fails, loses nothing. */
    public static String decode(byte[] bytes) {
        var strict = StandardCharsets.UTF_8
                .newDecoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT);
        var in = ByteBuffer.wrap(bytes);
        var out = CharBuffer.allocate(bytes.length);
        while (true) {
            var result = strict.decode(in, out, true);
            if (!result.isError()) {
                return out.flip().toString();
            }
            // One byte at a time: the next byte may start a valid sequence.
            out.put((char) (0xDC00 + (in.get() & 0xFF)));
            strict.reset();
        }
    }

    /**
     * The bytes of a name.
     *
     * @throws IllegalArgumentException for a surrogate that stands for no byte (such a text was never a name)
     */
    public static byte[] encode(String name) {
        if (isAscii(name)) {
            return name.getBytes(StandardCharsets.ISO_8859_1);
        }
        var strict = StandardCharsets.UTF_8
                .newEncoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT);
        var in = CharBuffer.wrap(name);
        var out = ByteBuffer.allocate(name.length() * 3);
        while (true) {
            var result = strict.encode(in, out, true);
            if (!result.isError()) {
                var bytes = new byte[out.flip().remaining()];
                out.get(bytes);
                return bytes;
            }
            char escaped = in.get();
            if (escaped < 0xDC80 || escaped > 0xDCFF) {
                throw new IllegalArgumentException("not a name: lone surrogate U+%04X".formatted((int) escaped));
            }
            out.put((byte) (escaped - 0xDC00));
            strict.reset();
        }
    }

    /** Whether the name is valid UTF-8 (S3 keys must be). */
    public static boolean isUtf8(String name) {
        if (isAscii(name)) {
            return true;
        }
        try {
            StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(name));
            return true;
        } catch (CharacterCodingException e) {
            return false;
        }
    }

    /** As nearly all names are: then no coder is needed, which costs more than all else that is done to a name. */
    private static boolean isAscii(String name) {
        for (int i = 0; i < name.length(); i++) {
            if (name.charAt(i) >= 0x80) {
                return false;
            }
        }
        return true;
    }
}
