package io.forebay.bench.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;

/** What counts as the time of one run, and as its memory. Used by one thread, for one run after the other. */
public interface Stopwatch {
    /** Right before the process is started. */
    void start();

    /** Seconds until now, which is right after its end; greater than 0. */
    double stop();

    /** What counts as its memory, KiB. @param peakKib most that any of its processes had */
    default long memoryKib(long peakKib) throws IOException {
        return peakKib;
    }

    /** The whole process, its start included. */
    static Stopwatch whole() {
        return new Stopwatch() {
            private long began;

            @Override
            public void start() {
                began = System.nanoTime();
            }

            @Override
            public double stop() {
                return (System.nanoTime() - began) / 1e9;
            }
        };
    }

    /** From the birth of a file that the process makes until its end: a transfer without the start of what does it. */
    static Stopwatch sinceBirthOf(Path file) {
        return new Stopwatch() {
            @Override
            public void start() {}

            @Override
            public double stop() {
                var now = Instant.now();
                try {
                    var born = Files.readAttributes(file, BasicFileAttributes.class)
                            .creationTime()
                            .toInstant();
                    return Math.max(1e-9, Duration.between(born, now).toNanos() / 1e9);
                } catch (IOException e) {
                    return 1e-9; // It left no such file: whoever looks at the result says so.
                }
            }
        };
    }
}
