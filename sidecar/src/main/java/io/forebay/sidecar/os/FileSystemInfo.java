package io.forebay.sidecar.os;

/**
 * What statfs(2) tells of a file system.
 *
 * @param type magic number, see {@link #isLustre} and the others
 * @param sizeBytes in all
 * @param freeBytes that this user may still write
 * @param freeInodes files that can still be made; -1: the file system does not count them
 * @param maxNameBytes longest name of one component
 */
public record FileSystemInfo(long type, long sizeBytes, long freeBytes, long freeInodes, int maxNameBytes) {
    private static final long TMPFS = 0x01021994L;
    private static final long LUSTRE = 0x0BD00BD0L;
    private static final long NFS = 0x6969L;
    private static final long EXT4 = 0xEF53L;
    private static final long XFS = 0x58465342L;

    public boolean isTmpfs() {
        return type == TMPFS;
    }

    public boolean isLustre() {
        return type == LUSTRE;
    }

    public boolean isNfs() {
        return type == NFS;
    }

    /**
     * Whether what {@link PosixIo#seekData} tells of a file can be relied upon also while it has unwritten pages. Others are not known to be
     * wrong, but some were for years (OpenZFS told holes where dirty data was).
     */
    public boolean tellsHolesRightly() {
        return type == EXT4 || type == XFS || type == TMPFS;
    }
}
