package io.forebay.rig;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;

/**
 * An estimate of how long something would have taken had nobody else used this machine. The processor time that others got meanwhile, over
 * all processors, is taken off, as if we had wanted all of it; what is left is never less than our own processor time, spread over all processors.
 */
final class Machine {
    /** USER_HZ, the same on all Linux machines. */
    private static final double TICKS = 100;

    private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();

    private final long began = System.nanoTime();
    private final double busy = busy();
    private final double ours = ours();

    private Machine() {}

    /** Begins now. */
    static Machine watch() {
        return new Machine();
    }

    /**
     * All in seconds.
     *
     * @param wall by the clock
     * @param ours processor time of this test and of all processes that it started and that have ended
     * @param others processor time of everybody else
     */
    record Spent(double wall, double ours, double others) {
        /** By the clock of a machine that does nothing else. */
        double alone() {
            return Math.max(wall - Math.max(0, others) / PROCESSORS, Math.min(wall, ours / PROCESSORS));
        }

        /** Which share of the processors others left, 0 to 1. */
        double left() {
            return Math.clamp(1 - others / (PROCESSORS * wall), 0, 1);
        }

        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "%.2f s (%.2f s by the clock; processors: ours %.2f s, others %.2f s)",
                    alone(),
                    wall,
                    ours,
                    others);
        }
    }

    Spent spent() {
        double mine = ours() - ours;
        return new Spent((System.nanoTime() - began) / 1e9, mine, busy() - busy - mine);
    }

    /** Without what was waited: idle and iowait are the 4th and 5th; guests are counted within user. */
    private static double busy() {
        var f = fields("/proc/stat");
        long sum = 0;
        for (int i : new int[] {1, 2, 3, 6, 7, 8}) {
            sum += Long.parseLong(f[i]);
        }
        return sum / TICKS;
    }

    /** proc_pid_stat(5): utime, stime, cutime, cstime are the 14th to the 17th; the second is in parentheses and may hold blanks. */
    private static double ours() {
        var line = String.join(" ", fields("/proc/self/stat"));
        var f = line.substring(line.lastIndexOf(')') + 2).split(" ");
        return Arrays.stream(f, 11, 15).mapToLong(Long::parseLong).sum() / TICKS;
    }

    private static String[] fields(String file) {
        try {
            return Files.readAllLines(Path.of(file)).getFirst().split(" +");
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
