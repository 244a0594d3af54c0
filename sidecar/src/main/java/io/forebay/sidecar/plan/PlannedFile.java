package io.forebay.sidecar.plan;

import io.forebay.message.Messages.ItemInput;
import io.forebay.sidecar.spool.JsonSpool;
import io.forebay.sidecar.store.Version;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A selected input file on its way through the sort: what the plan needs of it, without parsing its JSON again.
 *
 * @param strict what identifies it in its item
 * @param loose the same without inode and change time
 * @param json of its {@link ItemInput}
 */
record PlannedFile(long size, String strict, String loose, byte[] json) {

    static PlannedFile of(ItemInput input, Version version) {
        var name = input.input() + "\0" + input.relative() + "\0" + (input.link() == null ? "" : input.link()) + "\0";
        var strict = name + Identity.pin(version, true);
        var loose = version instanceof Version.Posix ? name + Identity.pin(version, false) : strict;
        return new PlannedFile(input.size(), strict, loose, JsonSpool.json(input));
    }

    /** Whether two tellings of one key can only be of one content; the time alone may differ. */
    boolean sameContent(PlannedFile other) {
        return strict.equals(other.strict)
                || version(strict) instanceof Version.S3 a
                        && version(other.strict) instanceof Version.S3 b
                        && a.size() == b.size()
                        && !a.etag().isEmpty()
                        && a.etag().equals(b.etag());
    }

    private static @Nullable Version version(String strict) {
        var pin = strict.substring(strict.lastIndexOf('\0') + 1);
        return pin.startsWith("s3:") ? Version.parse("", pin) : null;
    }

    byte[] toBytes() {
        var s = bytes(strict);
        var l = loose.equals(strict) ? new byte[0] : bytes(loose);
        return ByteBuffer.allocate(16 + s.length + l.length + json.length)
                .putLong(size)
                .putInt(s.length)
                .putInt(l.length)
                .put(s)
                .put(l)
                .put(json)
                .array();
    }

    static PlannedFile fromBytes(byte[] bytes) {
        var in = ByteBuffer.wrap(bytes);
        long size = in.getLong();
        var s = new byte[in.getInt()];
        var l = new byte[in.getInt()];
        in.get(s);
        in.get(l);
        var json = new byte[in.remaining()];
        in.get(json);
        var strict = text(s);
        return new PlannedFile(size, strict, l.length == 0 ? strict : text(l), json);
    }

    /** UTF-16 by hand: Java's encoder and decoder replace the lone surrogates that names may hold. */
    private static byte[] bytes(String text) {
        var utf16 = new byte[text.length() * 2];
        for (int i = 0; i < text.length(); i++) {
            utf16[2 * i] = (byte) (text.charAt(i) >>> 8);
            utf16[2 * i + 1] = (byte) text.charAt(i);
        }
        return utf16;
    }

    private static String text(byte[] utf16) {
        var chars = new char[utf16.length / 2];
        for (int i = 0; i < chars.length; i++) {
            chars[i] = (char) (utf16[2 * i] << 8 | utf16[2 * i + 1] & 0xFF);
        }
        return new String(chars);
    }
}
