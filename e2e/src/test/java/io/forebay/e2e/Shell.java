package io.forebay.e2e;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Programs of the checkout and of its cache. */
final class Shell {
    /** @param output standard output and errors, as they came */
    record Result(int exit, String output) {
        /** @throws AssertionError with what was said */
        String good() {
            if (exit != 0) {
                throw new AssertionError("exit code " + exit + ": " + output);
            }
            return output;
        }
    }

    private Shell() {}

    /** The folder with {@code pom.xml}, {@code e2e/}, {@code helm/}. */
    static Path checkout() {
        var here = Path.of("").toAbsolutePath();
        return Files.isDirectory(here.resolve("cluster")) ? here.getParent() : here;
    }

    static Path cache() {
        return Optional.ofNullable(System.getenv("FOREBAY_CACHE"))
                .map(Path::of)
                .orElseGet(() -> Path.of(System.getProperty("user.home"), ".cache", "forebay"));
    }

    /** To its end, in the checkout. */
    static Result run(Map<String, String> environment, List<String> line) {
        try {
            var builder =
                    new ProcessBuilder(line).directory(checkout().toFile()).redirectErrorStream(true);
            builder.environment().putAll(environment);
            var process = builder.start();
            process.getOutputStream().close();
            var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return new Result(process.waitFor(), output);
        } catch (IOException e) {
            return new Result(127, line.getFirst() + ": " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    static Result run(String... line) {
        return run(Map.of(), List.of(line));
    }
}
