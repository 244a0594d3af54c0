package io.forebay.launch;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs programs of the checkout, as a user's shell would: an environment of its own, both output streams kept apart. */
public final class Shell {
    private static final long LIMIT_MINUTES = 8;

    /** What a program said and how it ended. */
    public record Ended(int exit, String out, String err) {}

    private Shell() {}

    /** The checkout's folder, whatever module the tests were started in. */
    public static Path checkout() {
        var folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve("tools/build.sh"))) {
            folder = folder.getParent();
        }
        return folder;
    }

    /** The JDK that runs the tests. */
    public static Path jdk() {
        return Path.of(System.getProperty("java.home"));
    }

    /** @param environment the whole of it */
    public static Ended run(Path folder, Map<String, String> environment, String... command)
            throws IOException, InterruptedException {
        return run(folder, environment, List.of(command));
    }

    public static Ended run(Path folder, Map<String, String> environment, List<String> command)
            throws IOException, InterruptedException {
        var out = Files.createTempFile("shell", ".out");
        var err = Files.createTempFile("shell", ".err");
        try {
            var process = start(folder, environment, command, out, err);
            if (!process.waitFor(LIMIT_MINUTES, TimeUnit.MINUTES)) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly().waitFor();
                throw new IOException(command + " did not end in " + LIMIT_MINUTES + " minutes");
            }
            return new Ended(process.exitValue(), read(out), read(err));
        } finally {
            Files.delete(out);
            Files.delete(err);
        }
    }

    static Process start(Path folder, Map<String, String> environment, List<String> command, Path out, Path err)
            throws IOException {
        var builder = new ProcessBuilder(new ArrayList<>(command))
                .directory(folder.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().clear();
        builder.environment().putAll(environment);
        var process = builder.start();
        process.getOutputStream().close();
        return process;
    }

    private static String read(Path file) throws IOException {
        return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
    }
}
