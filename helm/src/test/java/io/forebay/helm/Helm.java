package io.forebay.helm;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The {@code helm} command of this machine, with nothing of its user's settings. */
record Helm(Path program, Path home) {
    /** @param output standard output and errors, as they came */
    record Result(int exit, String output) {}

    /** The test is left out, and says why, where there is no Helm. */
    static Helm assumed(Path home) {
        var found = found();
        assumeTrue(
                found.isPresent(),
                "no helm in PATH nor in " + cache() + "/kubernetes/*/bin (.ci/run builds it there where there is Go)");
        return new Helm(found.orElseThrow(), home);
    }

    Result run(String... words) {
        var line = new ArrayList<>(List.of(program.toString()));
        line.addAll(List.of(words));
        try {
            var builder = new ProcessBuilder(line).redirectErrorStream(true);
            builder.environment().keySet().removeIf(name -> name.startsWith("HELM_") || name.startsWith("KUBE"));
            builder.environment().put("HOME", home.toString());
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

    private static Optional<Path> found() {
        var path = Optional.ofNullable(System.getenv("PATH")).orElse("");
        return Stream.concat(Stream.of(path.split(File.pathSeparator)).map(Path::of), cached())
                .map(folder -> folder.resolve("helm"))
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
