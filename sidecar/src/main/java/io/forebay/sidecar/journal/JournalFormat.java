package io.forebay.sidecar.journal;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The bytes of a journal, version 1. All numbers are big-endian.
 *
 * <pre>
 * file    header | frame* | zeros*
 * header  offset  0  magic      8   "FOREBAYJ"
 *                 8  version    u16 1
 *                10  zero       u16
 *                12  id         16  random, of this file
 *                28  crc32c     u32 of bytes 0 to 27
 * frame   offset  0  length     u32 bytes from offset 8 on: 25 + payload
 *                 4  crc32c     u32 of id | place of the frame in the file u64 | length u32 | bytes from offset 8 on
 *                 8  durable    u64 bytes of this file known to be durable when the frame was written
 *                16  type       u8  see {@link JournalCodec}
 *                17  item       i64
 *                25  generation i32
 *                29  attempt    i32
 *                33  payload        JSON in ASCII: begins with '{', ends with '}', holds no zero byte
 * </pre>
 *
 * <p><b>Zeros.</b> The file is written ahead with zeros, so that a tier that runs full does not stop the journal at once, and so
 * that fdatasync has no new size to record.
 *
 * <p><b>Torn tail.</b> Frames are written in batches, each made durable by one fdatasync. A batch that was not yet durable
 * may lack any of its sectors after a power cut, and its end after a kill; nobody was told that its records exist. The first
 * frame that cannot be read, at X, is torn if no whole frame behind it says {@code durable > X}, and it lacks something: the
 * file ends inside it, its last byte is zero, or all it has in some sector is zero. Recovery keeps a copy of the tail beside
 * the journal, and cuts it.
 *
 * <p><b>Damage.</b> Any other unreadable frame was durable and has changed. Recovery refuses ({@link
 * JournalException.Kind#DAMAGED}), or gives what it can still read when asked to. One thing cannot be told from a cut file:
 * a last frame whose length was changed to more than the file holds.
 *
 * <p><b>Recovery never writes to the file that it reads.</b> It writes the records of attempts that are not over to a new
 * file: 1 write tmp, 2 fsync tmp, 3 rename over the journal, 4 fsync the folder. So what the caller is told is durable,
 * even if the earlier life ended with a failed fsync (after which pages read well and are not on the disk). Compaction in a
 * running worker is the same four steps.
 *
 * <p>id and place in the checksum: a frame of another journal, or at another place, in recycled blocks is never taken for one.
 */
final class JournalFormat {
    static final int VERSION = 1;
    static final int HEADER_BYTES = 32;
    static final int ID_BYTES = 16;
    /** length and crc32c. */
    static final int PREFIX_BYTES = 8;
    /** durable, type, item, generation, attempt. */
    static final int FIXED_BYTES = 25;
    /** More than any record that fits the engine's heap; a length above it is damage, and is not allocated. */
    static final int MAX_LENGTH = 256 << 20;
    /** What disks write as a whole, at least (512-byte sectors). */
    static final int SECTOR_BYTES = 512;

    private static final long MAGIC = 0x464F52454241594AL; // "FOREBAYJ"
    private static final int ID_OFFSET = 12;
    private static final int HEADER_CRC_OFFSET = 28;

    private JournalFormat() {}

    static ByteBuffer header(byte[] id) {
        var h = ByteBuffer.allocate(HEADER_BYTES);
        h.putLong(MAGIC).putShort((short) VERSION).putShort((short) 0).put(id);
        var crc = new CRC32C();
        crc.update(h.array(), 0, HEADER_CRC_OFFSET);
        return h.putInt((int) crc.getValue()).flip();
    }

    /**
     * The id of the file that begins so.
     *
     * @param header {@link #HEADER_BYTES} bytes
     * @throws JournalException DAMAGED or NEWER
     */
    static byte[] readHeader(ByteBuffer header, String file) throws JournalException {
        var crc = new CRC32C();
        crc.update(header.slice(header.position(), HEADER_CRC_OFFSET));
        int p = header.position();
        if (header.getLong(p) != MAGIC || header.getInt(p + HEADER_CRC_OFFSET) != (int) crc.getValue()) {
            throw JournalException.damaged(file, 0, "it does not begin as a journal does");
        }
        int version = header.getShort(p + 8) & 0xFFFF;
        if (version != VERSION) {
            throw newer(file, p, "its format has version " + version + ", this program knows " + VERSION);
        }
        var id = new byte[ID_BYTES];
        header.get(p + ID_OFFSET, id);
        return id;
    }

    static JournalException newer(String file, long offset, String what) {
        return new JournalException(
                JournalException.Kind.NEWER,
                file,
                offset,
                "journal " + file + " was written by another version of Forebay: " + what
                        + ". Start that version, or start without it",
                null);
    }

    /** Bytes of a frame with this payload. */
    static long frameBytes(int payloadBytes) {
        return (long) PREFIX_BYTES + FIXED_BYTES + payloadBytes;
    }

    /** Appends a frame that will lie at {@code place} of the file. */
    static void putFrame(
            ByteBuffer out, byte[] id, long place, long durable, int type, Attempt attempt, ByteBuffer payload) {
        int start = out.position();
        int length = FIXED_BYTES + payload.remaining();
        out.putInt(length).putInt(0);
        out.putLong(durable).put((byte) type).putLong(attempt.item());
        out.putInt(attempt.generation()).putInt(attempt.attempt()).put(payload.duplicate());
        var crc = checksum(id, place, length, out.slice(start + PREFIX_BYTES, length));
        out.putInt(start + 4, (int) crc.getValue());
    }

    /** To be updated with what is missing of the body. */
    static CRC32C checksum(byte[] id, long place, int length, ByteBuffer body) {
        var crc = new CRC32C();
        crc.update(id);
        crc.update(ByteBuffer.allocate(12).putLong(place).putInt(length).flip());
        crc.update(body.duplicate());
        return crc;
    }

    /**
     * One frame as it lies in the file.
     *
     * @param place of its first byte
     * @param payload valid until the next frame is read
     */
    record Frame(long place, int length, long durable, int type, Attempt attempt, ByteBuffer payload) {
        /** Of the byte behind it. */
        long end() {
            return place + PREFIX_BYTES + length;
        }

        long bytes() {
            return PREFIX_BYTES + (long) length;
        }
    }

    /** @param body the {@code length} bytes behind the prefix, of which the checksum was found right */
    static Frame frame(long place, int length, ByteBuffer body) {
        int p = body.position();
        return new Frame(
                place,
                length,
                body.getLong(p),
                body.get(p + 8) & 0xFF,
                new Attempt(body.getLong(p + 9), body.getInt(p + 17), body.getInt(p + 21)),
                body.slice(p + FIXED_BYTES, length - FIXED_BYTES));
    }
}
