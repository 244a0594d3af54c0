package io.forebay.rig;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** The step runner, built once per test run with the machine's C compiler; where there is none, tests run on the in-process runner. */
public final class StepRunnerBinary {
    private static final Optional<Path> PATH = build();

    private StepRunnerBinary() {}

    public static Optional<Path> path() {
        return PATH;
    }

    private static Optional<Path> build() {
        try {
            var out = Path.of("target", "runner-under-test").toAbsolutePath();
            Files.createDirectories(out);
            var binary = out.resolve("forebay-step");
            var log = out.resolve("build.log");
            var process = new ProcessBuilder(
                            "sh",
                            Path.of("src", "runner", "build.sh")
                                    .toAbsolutePath()
                                    .toString(),
                            binary.toString())
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            if (process.waitFor(60, TimeUnit.SECONDS) && process.exitValue() == 0 && Files.isExecutable(binary)) {
                return Optional.of(binary);
            }
            System.err.println("no step runner for the tests, the in-process runner is used: " + Files.readString(log));
            return Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
