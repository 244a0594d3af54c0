package io.forebay.rig;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * The whole product on one machine, as a user has it: a folder with inputs, a manifest, and the {@code forebay} command as a
 * process of its own. Tests look at exit code, output, destination, and what is left over.
 */
public final class JobRig implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    private final Path home;
    private final String name;
    private final Map<String, String> environment = new LinkedHashMap<>();
    private final List<Process> started = new ArrayList<>();
    private List<String> prefix = List.of();
    private String heap = "96m";
    private String boot = "";

    /** @param home empty folder of the test's */
    public JobRig(Path home) {
        this.home = home.toAbsolutePath();
        this.name = "rig-" + Long.toString(System.nanoTime(), 36);
        try {
            Files.createDirectories(inputs());
            Files.createDirectories(home.resolve("disk"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        environment.put("FOREBAY_DISK", home.resolve("disk").toAbsolutePath().toString());
    }

    /** What a command printed and how it ended. */
    public record Result(int exit, String out, String err) {
        public String all() {
            return out + err;
        }
    }

    public String name() {
        return name;
    }

    public Path home() {
        return home;
    }

    public Path inputs() {
        return home.resolve("in");
    }

    public Path results() {
        return home.resolve("results");
    }

    public Path records() {
        return results().resolve(".forebay").resolve(name);
    }

    public JobRig environment(String key, String value) {
        environment.put(key, value);
        return this;
    }

    /** What is started from now on takes the machine for one that was restarted. @param life another one than before */
    public JobRig restarted(String life) {
        boot = life;
        return this;
    }

    public JobRig heap(String size) {
        heap = size;
        return this;
    }

    /** The engine, and what it starts, see a /dev/shm of their own. @param options of mount -t tmpfs */
    public JobRig sharedMemory(String options) {
        prefix = List.of(
                "unshare",
                "--mount",
                "sh",
                "-c",
                "mount -t tmpfs -o " + options + " shm /dev/shm && exec \"$@\"",
                "sh");
        return this;
    }

    /** At most so many descriptors for the engine and what it starts. */
    public JobRig descriptors(int most) {
        prefix = List.of("sh", "-c", "ulimit -n " + most + " && exec \"$@\"", "sh");
        return this;
    }

    /** Command line that what is started from now on is started by; none: directly. */
    JobRig startedBy(String... program) {
        prefix = List.of(program);
        return this;
    }

    public JobRig input(String relative, String content) {
        return input(relative, content.getBytes(StandardCharsets.UTF_8));
    }

    public JobRig input(String relative, byte[] content) {
        try {
            var file = inputs().resolve(relative);
            Files.createDirectories(file.getParent());
            Files.write(file, content);
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Writes job.yaml: one input {@code in} from {@link #inputs}, one item per file, one step of {@code sh}, one output to {@link #results}.
     *
     * @param script of {@code sh -c}
     * @param spec further lines of spec, with two spaces in front; may replace {@code outputs:} and so on
     */
    public Path job(String script, String... spec) {
        var lines = new ArrayList<String>();
        lines.add("apiVersion: forebay.io/v1alpha1");
        lines.add("kind: PipelineJob");
        lines.add("metadata: {name: " + name + "}");
        lines.add("spec:");
        var extra = String.join("\n", spec);
        if (!extra.contains("  inputs:")) {
            lines.add("  inputs:");
            lines.add("  - {name: in, source: \"file://" + inputs() + "/\"}");
            lines.add("  forEach: {input: in}");
        }
        if (!extra.contains("  steps:")) {
            lines.add("  steps:");
            lines.add("  - name: work");
            lines.add("    command:");
            lines.add("    - sh");
            lines.add("    - -c");
            lines.add("    - |");
            script.lines().forEach(l -> lines.add("      " + l));
        }
        if (!extra.contains("  outputs:")) {
            lines.add("  outputs:");
            lines.add("  - {name: out, path: \"**\", to: \"file://" + results() + "/\"}");
        }
        if (!extra.contains("  buffer:")) {
            lines.add("  buffer: {tiers: [{medium: Memory, size: 256Mi}]}");
        }
        if (!extra.contains("  workers:")) {
            lines.add("  workers: {slots: 4}");
        }
        lines.addAll(Arrays.asList(spec));
        return manifest(String.join("\n", lines) + "\n");
    }

    public Path manifest(String yaml) {
        try {
            return Files.writeString(home.resolve("job.yaml"), yaml);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@code forebay run job.yaml}, to its end. */
    public Result run(String... options) throws IOException, InterruptedException {
        return command(with("run", options));
    }

    private String[] with(String command, String... options) {
        var all = new ArrayList<String>(List.of(command));
        all.addAll(List.of(options));
        all.add(home.resolve("job.yaml").toString());
        return all.toArray(String[]::new);
    }

    /** {@code forebay ARGS}, to its end. */
    public Result command(String... args) throws IOException, InterruptedException {
        return await(start(args));
    }

    public Result await(Process process) throws IOException, InterruptedException {
        if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError(
                    "forebay did not end within " + PATIENCE + ":\n" + read(process, ".out") + read(process, ".err"));
        }
        return new Result(process.exitValue(), read(process, ".out"), read(process, ".err"));
    }

    private String read(Process process, String suffix) throws IOException {
        return Files.readString(home.resolve("log-" + started.indexOf(process) + suffix));
    }

    /** {@code forebay run job.yaml}, in the background. */
    public Process startRun(String... options) throws IOException {
        return start(with("run", options));
    }

    public Process start(String... args) throws IOException {
        var argv = new ArrayList<>(prefix);
        argv.addAll(java());
        argv.addAll(List.of(args));
        var builder = new ProcessBuilder(argv).directory(home.toFile());
        builder.environment().putAll(environment);
        builder.redirectOutput(home.resolve("log-" + started.size() + ".out").toFile());
        builder.redirectError(home.resolve("log-" + started.size() + ".err").toFile());
        var process = builder.start();
        started.add(process);
        return process;
    }

    /** The command line up to the arguments of {@code forebay}. */
    public List<String> java() {
        var argv = new ArrayList<>(EngineUnderTest.command());
        argv.add("-Xmx" + heap);
        if (!boot.isEmpty()) {
            argv.add("-Dforebay.boot=" + boot);
        }
        StepRunnerBinary.path().ifPresent(path -> argv.add("-Dforebay.runner=" + path));
        argv.add("io.forebay.sidecar.Main");
        return argv;
    }

    /** All files below the results folder but the records: relative name to content. */
    public Map<String, String> published() throws IOException {
        var found = new TreeMap<String, String>();
        if (!Files.isDirectory(results())) {
            return found;
        }
        try (var walk = Files.walk(results())) {
            for (var path : walk.filter(Files::isRegularFile).toList()) {
                var relative = results().relativize(path).toString();
                if (!relative.startsWith(".forebay/") && !relative.contains("/.forebay/")) {
                    found.put(relative, Files.readString(path, StandardCharsets.ISO_8859_1));
                }
            }
        }
        return found;
    }

    /** Temporary names of ours below the results folder. */
    public List<String> leftovers() throws IOException {
        if (!Files.isDirectory(results())) {
            return List.of();
        }
        try (var walk = Files.walk(results())) {
            return walk.map(p -> results().relativize(p).toString())
                    .filter(p -> p.startsWith(".fb-") || p.contains("/.fb-"))
                    .toList();
        }
    }

    /** Kills whatever still runs. */
    @Override
    public void close() {
        for (var process : started) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }
}
