package io.forebay.sidecar.os;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * What statx(2) tells of a file.
 *
 * @param mode type and permission bits, as in st_mode
 * @param size bytes; of a symbolic link the length of its target
 * @param blocks allocated, in units of 512 bytes
 * @param device major and minor number, as in st_dev
 * @param mtimeNanos since 1970 UTC; times beyond the year 2262 read as that year
 * @param ctimeNanos likewise
 */
public record Stat(
        int mode,
        long size,
        long blocks,
        long uid,
        long gid,
        long nlink,
        long inode,
        long device,
        long mtimeNanos,
        long ctimeNanos) {

    private static final int S_IFMT = 0170000;
    private static final long NANOS = 1_000_000_000L;

    /** What kind of file it is. */
    public enum Type {
        FILE,
        FOLDER,
        SYMLINK,
        FIFO,
        SOCKET,
        DEVICE,
        OTHER;

        static Type ofMode(int mode) {
            return switch (mode & S_IFMT) {
                case 0100000 -> FILE;
                case 0040000 -> FOLDER;
                case 0120000 -> SYMLINK;
                case 0010000 -> FIFO;
                case 0140000 -> SOCKET;
                case 0060000, 0020000 -> DEVICE;
                default -> OTHER;
            };
        }
    }

    public Type type() {
        return Type.ofMode(mode);
    }

    public boolean isFile() {
        return type() == Type.FILE;
    }

    public boolean isFolder() {
        return type() == Type.FOLDER;
    }

    public boolean isSymlink() {
        return type() == Type.SYMLINK;
    }

    /** Permission bits, set-id and sticky bits included: what chmod(2) takes. */
    public int permissions() {
        return mode & 07777;
    }

    public long allocatedBytes() {
        return blocks * 512;
    }

    /** Whether both are the same file (not: the same content). */
    public boolean sameFile(Stat other) {
        return inode == other.inode && device == other.device;
    }

    /** Reads a struct statx (its layout is the same on every architecture). */
    static Stat of(MemorySegment statx) {
        return new Stat(
                Short.toUnsignedInt(statx.get(ValueLayout.JAVA_SHORT, 28)),
                statx.get(ValueLayout.JAVA_LONG, 40),
                statx.get(ValueLayout.JAVA_LONG, 48),
                unsigned(statx, 20),
                unsigned(statx, 24),
                unsigned(statx, 16),
                statx.get(ValueLayout.JAVA_LONG, 32),
                device(unsigned(statx, 136), unsigned(statx, 140)),
                nanos(statx, 112),
                nanos(statx, 96));
    }

    private static long unsigned(MemorySegment s, long offset) {
        return Integer.toUnsignedLong(s.get(ValueLayout.JAVA_INT, offset));
    }

    /** As makedev(3) of glibc. */
    private static long device(long major, long minor) {
        return ((major & 0xfffff000L) << 32)
                | ((major & 0xfffL) << 8)
                | ((minor & 0xffffff00L) << 12)
                | (minor & 0xffL);
    }

    private static long nanos(MemorySegment s, long offset) {
        long seconds = s.get(ValueLayout.JAVA_LONG, offset);
        long limit = Long.MAX_VALUE / NANOS - 1;
        long bounded = Math.clamp(seconds, -limit, limit);
        return bounded * NANOS + unsigned(s, offset + 8);
    }
}
