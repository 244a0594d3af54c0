package io.forebay.bench.work;

import io.forebay.bench.peer.Programs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Folders to work in, removed at the close.
 *
 * @param memory on a memory file system
 * @param disk on a disk
 * @param most time for one contest
 */
public record Workshop(Programs programs, Path memory, Path disk, Duration most) implements AutoCloseable {
    private static final Path SHM = Path.of("/dev/shm");

    /** @param disk parent of the disk's folder */
    public static Workshop open(Programs programs, Path disk, Duration most) throws IOException {
        Files.createDirectories(disk);
        return new Workshop(
                programs,
                Files.createTempDirectory(SHM, "forebay-bench-"),
                Files.createTempDirectory(disk, "bench-"),
                most);
    }

    Referee referee() throws IOException {
        return new Referee(Files.createDirectories(disk.resolve("scratch")), most);
    }

    @Override
    public void close() throws IOException {
        Trees.delete(memory);
        Trees.delete(disk);
    }
}
