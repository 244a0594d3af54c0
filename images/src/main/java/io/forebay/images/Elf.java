package io.forebay.images;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What the dynamic loader reads of a program or a library. Read here and not asked of {@code ldd}, which can only answer for
 * programs that run on this machine.
 *
 * @param machine {@code e_machine}
 * @param interpreter the path of the dynamic loader; only programs name one
 * @param needed names of libraries, without a folder, in the file's order
 */
record Elf(int machine, Optional<String> interpreter, List<String> needed) {
    private static final int HEADER_BYTES = 64;
    private static final int MAGIC = 0x464c457f;
    private static final byte CLASS_64 = 2;
    private static final byte DATA_LITTLE = 1;
    private static final int PT_LOAD = 1;
    private static final int PT_DYNAMIC = 2;
    private static final int PT_INTERP = 3;
    private static final long DT_NULL = 0;
    private static final long DT_NEEDED = 1;
    private static final long DT_STRTAB = 5;

    Elf {
        needed = List.copyOf(needed);
    }

    /** Empty: the file is no 64-bit little-endian ELF file. */
    static Optional<Elf> read(Path file) throws IOException {
        try (var channel = FileChannel.open(file)) {
            if (channel.size() < HEADER_BYTES || channel.size() > Integer.MAX_VALUE) {
                return Optional.empty();
            }
            var bytes = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size())
                    .order(LITTLE_ENDIAN);
            if (bytes.getInt(0) != MAGIC || bytes.get(4) != CLASS_64 || bytes.get(5) != DATA_LITTLE) {
                return Optional.empty();
            }
            return Optional.of(parse(bytes));
        } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
            throw new IOException(file + " is an ELF file that is damaged or cut off", e);
        }
    }

    private static Elf parse(ByteBuffer bytes) {
        var segments = segments(bytes);
        Optional<String> interpreter = Optional.empty();
        List<String> needed = List.of();
        for (var segment : segments) {
            if (segment.type == PT_INTERP) {
                interpreter = Optional.of(text(bytes, segment.offset));
            } else if (segment.type == PT_DYNAMIC) {
                needed = needed(bytes, segment, segments);
            }
        }
        return new Elf(Short.toUnsignedInt(bytes.getShort(18)), interpreter, needed);
    }

    private record Segment(int type, int offset, long address, long size) {}

    private static List<Segment> segments(ByteBuffer bytes) {
        var segments = new ArrayList<Segment>();
        var count = Short.toUnsignedInt(bytes.getShort(56));
        var entryBytes = Short.toUnsignedInt(bytes.getShort(54));
        for (int i = 0; i < count; i++) {
            var at = Math.toIntExact(bytes.getLong(32)) + i * entryBytes;
            segments.add(new Segment(
                    bytes.getInt(at),
                    Math.toIntExact(bytes.getLong(at + 8)),
                    bytes.getLong(at + 16),
                    bytes.getLong(at + 32)));
        }
        return segments;
    }

    private static List<String> needed(ByteBuffer bytes, Segment dynamic, List<Segment> segments) {
        var names = new ArrayList<Integer>();
        var strings = 0;
        for (var at = dynamic.offset; at < dynamic.offset + dynamic.size; at += 16) {
            var tag = bytes.getLong(at);
            var value = bytes.getLong(at + 8);
            if (tag == DT_NULL) {
                break;
            } else if (tag == DT_NEEDED) {
                names.add(Math.toIntExact(value));
            } else if (tag == DT_STRTAB) {
                strings = fileOffset(value, segments);
            }
        }
        var table = strings;
        return names.stream().map(name -> text(bytes, table + name)).toList();
    }

    /** Where in the file the byte lies that is loaded to an address. */
    private static int fileOffset(long address, List<Segment> segments) {
        for (var segment : segments) {
            if (segment.type == PT_LOAD && address >= segment.address && address < segment.address + segment.size) {
                return Math.toIntExact(address - segment.address + segment.offset);
            }
        }
        throw new IllegalArgumentException("no segment holds address " + address);
    }

    private static String text(ByteBuffer bytes, int at) {
        var end = at;
        while (bytes.get(end) != 0) {
            end++;
        }
        var text = new byte[end - at];
        bytes.get(at, text);
        return new String(text, StandardCharsets.UTF_8);
    }
}
