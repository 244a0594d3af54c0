package io.forebay.helm;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Programs of this machine: those in PATH, then those that e2e/cluster/build made. */
final class Programs {
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

    private Programs() {}

    /** The test is left out, and says why, where it is not there. */
    static Path assumed(String name) {
        var found = found(name);
        assumeTrue(
                found.isPresent(),
                "no " + name + " in PATH nor in " + cache() + "/kubernetes/*/bin (.ci/run installs or builds it)");
        return found.orElseThrow();
    }

    /**
     * Runs a program to its end, with nothing of its user's settings.
     *
     * @param environment beside that of this process
     */
    static Result run(List<String> line, Map<String, String> environment) {
        try {
            var builder = new ProcessBuilder(line).redirectErrorStream(true);
            builder.environment().keySet().removeIf(name -> name.startsWith("HELM_") || name.startsWith("KUBE"));
            builder.environment().putAll(environment);
            var process = builder.start();
            process.getOutputStream().close();
            var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return new Result(process.waitFor(), output);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static Optional<Path> found(String name) {
        var path = Optional.ofNullable(System.getenv("PATH")).orElse("");
        return Stream.concat(Stream.of(path.split(File.pathSeparator)).map(Path::of), cached())
                .map(folder -> folder.resolve(name))
                .filter(Files::isExecutable)
                .findFirst();
    }

    private static Stream<Path> cached() {
        var versions = cache().resolve("kubernetes");
        if (!Files.isDirectory(versions)) {
            return Stream.empty();
        }
        try (var folders = Files.list(versions)) {
            return folders.sorted().map(folder -> folder.resolve("bin")).toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path cache() {
        return Optional.ofNullable(System.getenv("FOREBAY_CACHE"))
                .map(Path::of)
                .orElseGet(() -> Path.of(System.getProperty("user.home"), ".cache", "forebay"));
    }
}
