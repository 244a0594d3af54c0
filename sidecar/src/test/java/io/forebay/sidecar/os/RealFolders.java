package io.forebay.sidecar.os;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Folders for tests on the file systems that this machine really has: disk (below target/) and memory (/dev/shm). */
public final class RealFolders {
    private RealFolders() {}

    private static final Path DISK = Path.of("target", "real").toAbsolutePath();
    private static final Path MEMORY = Path.of("/dev/shm");

    /** What the tests put into memory at one time, and room for others. */
    private static final long ENOUGH = 1L << 30;

    /** Parents of test folders, one per file system: disk first, memory last where there is enough of it. */
    public static Stream<Path> parents() throws IOException {
        return memoryIsEnough() ? Stream.of(disk(), MEMORY) : Stream.of(disk());
    }

    /** Where many files are made soonest: memory, or disk where there is not enough of it (containers have 64 MiB). */
    public static Path quickest() throws IOException {
        return memoryIsEnough() ? MEMORY : disk();
    }

    private static Path disk() throws IOException {
        return Files.createDirectories(DISK);
    }

    private static boolean memoryIsEnough() throws IOException {
        if (Files.isWritable(MEMORY) && Files.getFileStore(MEMORY).getUsableSpace() >= ENOUGH) {
            return true;
        }
        System.out.println("left out: tests on a memory file system, /dev/shm has less than 1 GiB for this user");
        return false;
    }

    /** A new folder; the caller removes it with {@link FileTree#delete(String)}. */
    public static String create(Path parent) throws IOException {
        return Files.createTempDirectory(parent, "forebay-test-").toString();
    }
}
