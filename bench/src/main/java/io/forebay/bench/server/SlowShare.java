package io.forebay.bench.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** A slow shared file system ({@code bench/programs/slowfs.c}), mounted. Closing it unmounts it. */
public final class SlowShare implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 20;

    private final Process process;
    private final Path mountPoint;

    private SlowShare(Process process, Path mountPoint) {
        this.process = process;
        this.mountPoint = mountPoint;
        Runtime.getRuntime().addShutdownHook(new Thread(this::unmount));
    }

    /**
     * Reads and writes share one pipe.
     *
     * @param backing folder where its files lie
     * @param mountPoint empty folder
     * @param readRate bytes per second, as {@code writeRate}
     * @param latencyMicros of each operation but reading and writing
     */
    public static SlowShare mount(
            Path program, Path backing, Path mountPoint, double readRate, double writeRate, int latencyMicros)
            throws IOException, InterruptedException {
        Files.createDirectories(backing);
        Files.createDirectories(mountPoint);
        var before = Files.getFileStore(mountPoint);
        var process = new ProcessBuilder(List.of(
                        program.toString(),
                        backing.toString(),
                        mountPoint.toString(),
                        String.format(Locale.ROOT, "%.0f", readRate),
                        String.format(Locale.ROOT, "%.0f", writeRate),
                        Integer.toString(latencyMicros)))
                .redirectErrorStream(true)
                .redirectOutput(backing.resolveSibling("slowfs.log").toFile())
                .start();
        var share = new SlowShare(process, mountPoint);
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (Files.getFileStore(mountPoint).equals(before)) {
            if (!process.isAlive() || System.nanoTime() > until) {
                share.close();
                throw new IOException(program + " could not be mounted at " + mountPoint + ": "
                        + Files.readString(backing.resolveSibling("slowfs.log")));
            }
            Thread.sleep(50);
        }
        return share;
    }

    public Path folder() {
        return mountPoint;
    }

    private void unmount() {
        if (process.isAlive()) {
            try {
                new ProcessBuilder("fusermount3", "-u", mountPoint.toString())
                        .start()
                        .waitFor();
            } catch (IOException e) {
                System.err.println("bench: " + mountPoint + " stays mounted: " + e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public void close() throws InterruptedException {
        unmount();
        if (!process.waitFor(5, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
        }
    }
}
