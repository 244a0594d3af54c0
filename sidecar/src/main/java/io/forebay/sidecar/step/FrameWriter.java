package io.forebay.sidecar.step;

import io.forebay.api.name.NameBytes;
import java.nio.ByteBuffer;
import java.util.Collection;

/** Builds one frame. @see Protocol */
final class FrameWriter {
    private ByteBuffer bytes = ByteBuffer.allocate(256);

    FrameWriter(int type) {
        bytes.putInt(0).put((byte) type);
    }

    private ByteBuffer room(int more) {
        if (bytes.remaining() < more) {
            if (bytes.position() + (long) more > Protocol.MAX_FRAME + 4L) {
                throw new IllegalArgumentException("more than " + Protocol.MAX_FRAME + " bytes");
            }
            var larger = ByteBuffer.allocate(Math.max(bytes.capacity() * 2, bytes.position() + more));
            bytes = larger.put(bytes.flip());
        }
        return bytes;
    }

    FrameWriter u8(int value) {
        room(1).put((byte) value);
        return this;
    }

    FrameWriter u16(int value) {
        room(2).putShort((short) value);
        return this;
    }

    FrameWriter u32(long value) {
        room(4).putInt((int) value);
        return this;
    }

    FrameWriter u64(long value) {
        room(8).putLong(value);
        return this;
    }

    FrameWriter data(byte[] data) {
        room(4 + data.length).putInt(data.length).put(data);
        return this;
    }

    /** @throws IllegalArgumentException for a NUL, or a text that stands for no bytes */
    FrameWriter text(String text) {
        if (text.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("a NUL in \"" + text.replace("\0", "\\0") + "\"");
        }
        return data(NameBytes.encode(text));
    }

    FrameWriter list(Collection<String> texts) {
        u32(texts.size());
        texts.forEach(this::text);
        return this;
    }

    FrameWriter id(StepHost.CommandId id) {
        return u64(id.item()).u32(id.generation()).u32(id.attempt()).text(id.step());
    }

    /** The frame, whole, to be read. @throws IllegalArgumentException if it is longer than frames may be */
    ByteBuffer frame() {
        bytes.putInt(0, bytes.position() - 4);
        return bytes.flip();
    }
}
