package io.forebay.sidecar.step;

import io.forebay.api.name.NameBytes;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** The fields of one frame; every fault is a {@link ProtocolException}. @see Protocol */
final class FrameReader {
    private final ByteBuffer fields;
    final int type;

    /** @param frame type and fields, without the length */
    FrameReader(ByteBuffer frame) throws ProtocolException {
        fields = frame;
        type = u8();
    }

    int u8() throws ProtocolException {
        return take(1).get() & 0xFF;
    }

    int u16() throws ProtocolException {
        return take(2).getShort() & 0xFFFF;
    }

    long u32() throws ProtocolException {
        return take(4).getInt() & 0xFFFF_FFFFL;
    }

    long u64() throws ProtocolException {
        return take(8).getLong();
    }

    /** Milliseconds, bytes, counts: what no honest peer has more than 2^63 of. */
    long amount() throws ProtocolException {
        long value = u64();
        if (value < 0) {
            throw new ProtocolException("a number beyond 2^63");
        }
        return value;
    }

    byte[] data() throws ProtocolException {
        long length = u32();
        if (length > fields.remaining()) {
            throw new ProtocolException("a field of %d bytes where %d are left".formatted(length, fields.remaining()));
        }
        var bytes = new byte[(int) length];
        fields.get(bytes);
        return bytes;
    }

    String text() throws ProtocolException {
        var bytes = data();
        for (byte b : bytes) {
            if (b == 0) {
                throw new ProtocolException("a NUL in a text");
            }
        }
        return NameBytes.decode(bytes);
    }

    /** Bytes of an output stream, which may be any, as a text. */
    String output() throws ProtocolException {
        return NameBytes.decode(data());
    }

    List<String> list() throws ProtocolException {
        long count = u32();
        if (count > fields.remaining() / 4) {
            throw new ProtocolException("a list of %d texts in %d bytes".formatted(count, fields.remaining()));
        }
        var texts = new ArrayList<String>((int) count);
        for (long i = 0; i < count; i++) {
            texts.add(text());
        }
        return texts;
    }

    StepHost.CommandId id() throws ProtocolException {
        long item = u64();
        int generation = (int) u32();
        int attempt = (int) u32();
        return new StepHost.CommandId(item, generation, attempt, text());
    }

    /** Nothing may be left over. */
    void end() throws ProtocolException {
        if (fields.hasRemaining()) {
            throw new ProtocolException(
                    "%d bytes too many in a frame of type %02x".formatted(fields.remaining(), type));
        }
    }

    private ByteBuffer take(int length) throws ProtocolException {
        if (fields.remaining() < length) {
            throw new ProtocolException("a frame that is cut short");
        }
        return fields;
    }

    /** The peer does not speak our protocol; its connection is closed. */
    static final class ProtocolException extends Exception {
        private static final long serialVersionUID = 1L;

        ProtocolException(String message) {
            super(message);
        }
    }
}
