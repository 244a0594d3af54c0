package io.forebay.rig;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/** What an engine's process takes while it runs: asked of the kernel some 50 times a second, from outside. */
final class EngineWatch {
    private static final long PERIOD_NANOS = 20_000_000;

    private EngineWatch() {}

    /**
     * @param residentKib most resident memory that it ever had (VmHWM)
     * @param descriptors most that were open in any sample
     * @param other most that the test's own measure gave in any sample
     * @param samples how often it was looked at
     */
    record Peak(long residentKib, int descriptors, long other, int samples) {
        long residentMib() {
            return residentKib >> 10;
        }
    }

    /** Until the process has ended. */
    static Peak until(Process process, LongSupplier other) {
        long resident = 0;
        int descriptors = 0;
        long most = 0;
        int samples = 0;
        var proc = Path.of("/proc", Long.toString(process.pid()));
        while (process.isAlive()) {
            resident = Math.max(resident, resident(proc));
            descriptors = Math.max(descriptors, descriptors(proc));
            most = Math.max(most, other.getAsLong());
            samples++;
            LockSupport.parkNanos(PERIOD_NANOS);
        }
        return new Peak(resident, descriptors, most, samples);
    }

    private static long resident(Path proc) {
        try (var lines = Files.lines(proc.resolve("status"))) {
            return lines.filter(l -> l.startsWith("VmHWM:"))
                    .mapToLong(l -> Long.parseLong(l.replaceAll("\\D", "")))
                    .findFirst()
                    .orElse(0);
        } catch (IOException | java.io.UncheckedIOException e) {
            return 0; // it has just ended
        }
    }

    private static int descriptors(Path proc) {
        int count = 0;
        try (DirectoryStream<Path> open = Files.newDirectoryStream(proc.resolve("fd"))) {
            for (var ignored : open) {
                count++;
            }
        } catch (IOException | java.nio.file.DirectoryIteratorException e) {
            return count;
        }
        return count;
    }

    /** Bytes that the files below a folder occupy. Files that go meanwhile do not count. */
    static long allocated(Path folder) {
        long bytes = 0;
        try (DirectoryStream<Path> names = Files.newDirectoryStream(folder)) {
            for (var path : names) {
                if (Files.isDirectory(path, java.nio.file.LinkOption.NOFOLLOW_LINKS)) {
                    bytes += allocated(path);
                } else {
                    bytes += blocks(path);
                }
            }
        } catch (IOException | java.nio.file.DirectoryIteratorException e) {
            return bytes;
        }
        return bytes;
    }

    static long blocks(Path file) {
        try {
            return io.forebay.sidecar.os.Posix.lstat(file.toString()).blocks() * 512;
        } catch (io.forebay.sidecar.os.PosixException e) {
            return 0;
        }
    }
}
