package io.forebay.bench.measure;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A program with its arguments, run to its end.
 *
 * @param environment in addition to ours
 */
public record Command(List<String> argv, Map<String, String> environment) {
    private static final long MOST_MINUTES = 4;

    public Command {
        argv = List.copyOf(argv);
        environment = Map.copyOf(environment);
    }

    /** It failed, or did not end. */
    public static final class CommandFailed extends Exception {
        private static final long serialVersionUID = 1L;

        CommandFailed(String message) {
            super(message);
        }
    }

    /** As {@link #timed(Path, Stopwatch)}, with the time of the whole process. */
    public Sample timed(Path scratch) throws IOException, InterruptedException, CommandFailed {
        return timed(scratch, Stopwatch.whole());
    }

    /**
     * Runs it below GNU time, which waits for it as its shell would.
     *
     * @param scratch folder for its output
     */
    public Sample timed(Path scratch, Stopwatch watch) throws IOException, InterruptedException, CommandFailed {
        var cost = scratch.resolve("cost");
        var said = said(scratch);
        var all = new ArrayList<>(List.of("/usr/bin/time", "-o", cost.toString(), "-f", "%U %S %M"));
        all.addAll(argv);
        var builder = new ProcessBuilder(all).redirectErrorStream(true).redirectOutput(said.toFile());
        builder.environment().putAll(environment);
        watch.start();
        var process = builder.start();
        process.getOutputStream().close();
        if (!process.waitFor(MOST_MINUTES, TimeUnit.MINUTES)) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
            throw new CommandFailed(argv.getFirst() + " did not end within " + MOST_MINUTES + " minutes");
        }
        double seconds = watch.stop();
        if (process.exitValue() != 0) {
            var text = Files.readString(said, StandardCharsets.ISO_8859_1);
            throw new CommandFailed("%s ended with %d: %s"
                    .formatted(
                            String.join(" ", argv),
                            process.exitValue(),
                            text.substring(Math.max(0, text.length() - 2000))));
        }
        var lines = Files.readAllLines(cost);
        var figures = lines.getLast().strip().split(" ");
        return new Sample(
                seconds,
                Double.parseDouble(figures[0]) + Double.parseDouble(figures[1]),
                watch.memoryKib(Long.parseLong(figures[2])));
    }

    /** Where the output of the last command lies that was timed there. */
    public static Path said(Path scratch) {
        return scratch.resolve("said");
    }

    /** What it prints, with its error output; for versions. */
    public String output() throws IOException, InterruptedException {
        var builder = new ProcessBuilder(argv).redirectErrorStream(true);
        builder.environment().putAll(environment);
        var process = builder.start();
        process.getOutputStream().close();
        var text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return text.strip();
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%s", String.join(" ", argv));
    }
}
