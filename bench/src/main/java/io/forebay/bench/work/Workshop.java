package io.forebay.bench.work;

import io.forebay.bench.peer.Programs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Folders to work in, removed at the close.
 *
 * @param memory on a memory file system
 * @param disk on a disk
 */
public record Workshop(Programs programs, Path memory, Path disk, Effort effort) implements AutoCloseable {
    private static final Path SHM = Path.of("/dev/shm");

    /** @param disk parent of the disk's folder */
    public static Workshop open(Programs programs, Path disk, Effort effort) throws IOException {
        Files.createDirectories(disk);
        var shop = new Workshop(
                programs,
                Files.createTempDirectory(SHM, "forebay-bench-"),
                Files.createTempDirectory(disk, "bench-"),
                effort);
        shop.removedAtExit();
        return shop;
    }

    /** When the run is broken off, too, its gigabytes do not stay in memory. */
    private void removedAtExit() {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try {
                close();
            } catch (IOException e) {
                System.err.println("bench: " + memory + " and " + disk + " could not be removed: " + e);
            }
        }));
    }

    /** A folder for what is said and measured meanwhile, outside all results. */
    Path scratch() throws IOException {
        return Files.createDirectories(disk.resolve("scratch"));
    }

    Referee referee() throws IOException, InterruptedException {
        return new Referee(scratch(), effort, Site.look(programs));
    }

    @Override
    public void close() throws IOException {
        Trees.delete(memory);
        Trees.delete(disk);
    }
}
