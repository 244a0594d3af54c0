package io.forebay.sidecar.step;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** Builds forebay-step with this machine's C compiler, once, into target/. Tests that need it are skipped where there is none. */
final class RunnerProgram {
    private static final int NO_COMPILER = 3;
    private static final Path SOURCE = Path.of("src/runner");
    private static final Map<String, Path> BUILT = new HashMap<>();

    private RunnerProgram() {}

    static Path program() {
        return build("static");
    }

    /** With the address and undefined-behaviour sanitizers. */
    static Path sanitized() {
        return build("sanitize");
    }

    private static synchronized Path build(String mode) {
        var known = BUILT.get(mode);
        if (known != null) {
            return known;
        }
        try {
            var out = Path.of("target/runner-" + mode).toAbsolutePath();
            var log = Path.of("target/runner-" + mode + ".log");
            Files.createDirectories(out.getParent());
            int code = new ProcessBuilder("sh", SOURCE.resolve("build.sh").toString(), out.toString(), mode)
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start()
                    .waitFor();
            var said = Files.readString(log);
            if (code == NO_COMPILER || (code != 0 && mode.equals("sanitize"))) {
                System.out.println("left out: the step runner (" + mode + ") cannot be built here: " + said);
            }
            assumeTrue(code != NO_COMPILER, "no C compiler");
            assumeTrue(code == 0 || !mode.equals("sanitize"), "no sanitizers");
            if (code != 0) {
                throw new AssertionError("build.sh " + mode + " ended with " + code + ": " + said);
            }
            BUILT.put(mode, out);
            return out;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
