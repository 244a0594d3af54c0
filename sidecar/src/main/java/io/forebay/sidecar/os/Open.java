package io.forebay.sidecar.os;

import java.util.Locale;

/** Flags of open(2). O_CLOEXEC is always added and has no name here. */
public final class Open {
    private Open() {}

    /** O_DIRECTORY, O_NOFOLLOW and O_DIRECT differ between the architectures; the others here do not. */
    private static final boolean ARM = isArm(System.getProperty("os.arch", ""));

    public static final int RDONLY = 0;
    public static final int WRONLY = 1;
    public static final int RDWR = 2;
    public static final int CREAT = 0100;
    public static final int EXCL = 0200;
    public static final int TRUNC = 01000;
    public static final int APPEND = 02000;
    public static final int NONBLOCK = 04000;
    public static final int DIRECTORY = ARM ? 040000 : 0200000;
    public static final int NOFOLLOW = ARM ? 0100000 : 0400000;
    public static final int DIRECT = ARM ? 0200000 : 040000;
    public static final int NOATIME = 01000000;
    public static final int PATH = 010000000;
    static final int CLOEXEC = 02000000;

    static boolean isArm(String arch) {
        return arch.toLowerCase(Locale.ROOT).equals("aarch64");
    }
}
