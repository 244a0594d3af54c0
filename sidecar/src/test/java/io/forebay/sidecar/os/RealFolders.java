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

    /** Parents of test folders, one per file system. */
    public static Stream<Path> parents() throws IOException {
        Files.createDirectories(DISK);
        return Files.isWritable(MEMORY) ? Stream.of(DISK, MEMORY) : Stream.of(DISK);
    }

    /** A new folder; the caller removes it with {@link FileTree#delete(String)}. */
    public static String create(Path parent) throws IOException {
        return Files.createTempDirectory(parent, "forebay-test-").toString();
    }
}
