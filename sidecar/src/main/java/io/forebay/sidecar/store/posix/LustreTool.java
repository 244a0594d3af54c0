package io.forebay.sidecar.store.posix;

import io.forebay.sidecar.os.Fd;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What Lustre knows beyond POSIX, through its command {@code lfs}: stripes of new files, data versions. Where there is no such command, or it
 * refuses, files are written and pinned as everywhere else. Files are named to it through /proc/PID/fd, so that it gets them below
 * the folder that was checked, and plain ASCII. Blocks; to be called on the pool. Thread-safe.
 */
final class LustreTool {
    /** From here on striping pays: below, one server's bandwidth is not what a file waits for. */
    static final long STRIPED = 1L << 30;

    /** Below, starting a process costs more than it protects: size, times and inode pin the file. */
    static final long VERSIONED = 64L << 20;

    private static final long GIB = 1L << 30;
    private static final long SECONDS = 30;

    /** The command; null: not Lustre, or not installed. */
    private final @Nullable Path lfs;

    private LustreTool(@Nullable Path lfs) {
        this.lfs = lfs;
    }

    /** For file systems that are not Lustre. */
    static LustreTool none() {
        return new LustreTool(null);
    }

    /** @param searchPath as in PATH */
    static LustreTool find(String searchPath) {
        for (var folder : searchPath.split(File.pathSeparator)) {
            if (!folder.isEmpty() && Files.isExecutable(Path.of(folder, "lfs"))) {
                return new LustreTool(Path.of(folder, "lfs"));
            }
        }
        return none();
    }

    /** Over how many servers a file of this size is laid: few, as each costs every stat a question to one more server. */
    static int stripeCount(long size) {
        if (size < STRIPED) {
            return 1;
        }
        if (size < 10 * GIB) {
            return 4;
        }
        return size < 100 * GIB ? 8 : 16;
    }

    /** Whether {@link #stripe} is to be tried for a file of this size. */
    boolean stripes(long size) {
        return lfs != null && size >= STRIPED;
    }

    /** Makes a new, empty, striped file, where that is worth it and possible. @return false: nothing was made */
    boolean stripe(Fd folder, String name, long size) {
        return stripes(size)
                && run("setstripe", "-c", Integer.toString(stripeCount(size)), "-S", "4M", path(folder) + "/" + name)
                        != null;
    }

    /** Whether {@link #dataVersion} of a file of this size can have an answer. */
    boolean asksFor(long size) {
        return lfs != null && size >= VERSIONED;
    }

    /** Changes with every change of the file's bytes, whatever its times say; {@link Pins#NO_DATA_VERSION} where it is not to be had. */
    long dataVersion(Fd file, long size) {
        if (!asksFor(size)) {
            return Pins.NO_DATA_VERSION;
        }
        var answer = run("data_version", path(file));
        try {
            return answer == null ? Pins.NO_DATA_VERSION : Long.parseUnsignedLong(answer.strip()) & Long.MAX_VALUE;
        } catch (NumberFormatException e) {
            return Pins.NO_DATA_VERSION;
        }
    }

    private static String path(Fd fd) {
        return "/proc/" + ProcessHandle.current().pid() + "/fd/" + fd.number();
    }

    /** @return what it printed; null: it failed, or did not end in time */
    private @Nullable String run(String... args) {
        var command = new ArrayList<>(List.of(String.valueOf(lfs)));
        command.addAll(List.of(args));
        Process process = null;
        try {
            process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                    .start();
            // At most a line: it cannot fill the pipe and wait for us.
            if (!process.waitFor(SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
                return null;
            }
            return new String(process.getInputStream().readNBytes(1000), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        } finally {
            if (process != null) {
                process.destroyForcibly();
            }
        }
    }
}
