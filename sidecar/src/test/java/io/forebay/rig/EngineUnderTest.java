package io.forebay.rig;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;

/**
 * How tests start the engine: from jars and with an AOT cache, as users do (tools/build.sh, tools/train.sh), since hundreds of starts
 * are most of what the whole-command tests cost. Made once per test run; without a cache everything works, slower.
 */
final class EngineUnderTest {
    private static final List<String> OPTIONS = List.of(
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Xlog:disable",
            "-Xlog:all=error:stderr",
            "--enable-native-access=ALL-UNNAMED",
            "-Dstdout.encoding=UTF-8",
            "-Dstderr.encoding=UTF-8");
    private static final String JOB = """
            apiVersion: forebay.io/v1alpha1
            kind: PipelineJob
            metadata: {name: training}
            spec:
              inputs:
              - {name: files, source: 'file://%1$s/in/'}
              forEach: {input: files}
              steps:
              - {name: copy, command: [sh, -c, 'cp "$FOREBAY_INPUT" "$FOREBAY_OUT/"']}
              outputs:
              - {name: result, path: '*', to: 'file://%1$s/out/'}
              buffer: {tiers: [{medium: Disk, size: 64Mi}]}
              workers: {max: 1, slots: 1}
            """;
    private static final List<String> COMMAND = build();

    private EngineUnderTest() {}

    /** The command line up to options of one's own and the main class. */
    static List<String> command() {
        return COMMAND;
    }

    private static List<String> build() {
        try {
            var folder = ofThisProcess(Path.of("target", "engine-under-test").toAbsolutePath());
            var command = new ArrayList<String>();
            command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            command.addAll(OPTIONS);
            command.addAll(List.of("-cp", classPath(folder)));
            var cache = folder.resolve("engine.aot");
            train(command, cache);
            if (Files.exists(cache)) {
                command.add(1, "-XX:AOTCache=" + cache);
            }
            return List.copyOf(command);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Another test run beside this one has its own; what ended runs left is removed. */
    private static Path ofThisProcess(Path all) throws IOException {
        Files.createDirectories(all);
        try (var folders = Files.newDirectoryStream(all)) {
            for (var folder : folders) {
                long pid = Long.parseLong(folder.getFileName().toString());
                if (ProcessHandle.of(pid).isEmpty()) {
                    remove(folder);
                }
            }
        }
        var mine = all.resolve(Long.toString(ProcessHandle.current().pid()));
        remove(mine);
        return Files.createDirectory(mine);
    }

    private static void remove(Path folder) throws IOException {
        if (Files.notExists(folder)) {
            return;
        }
        try (var walk = Files.walk(folder)) {
            for (var path : walk.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }

    /** The engine's own classes as jars, since a cache knows no folders; nothing of the tests' own. */
    private static String classPath(Path folder) throws IOException {
        var jars = new ArrayList<String>();
        for (var entry : System.getProperty("java.class.path").split(":")) {
            var path = Path.of(entry);
            if (path.endsWith("test-classes")) {
                continue;
            }
            jars.add(Files.isDirectory(path) ? jar(path, Files.createTempFile(folder, "classes", ".jar")) : entry);
        }
        return String.join(":", jars);
    }

    private static String jar(Path classes, Path jar) throws IOException {
        try (var out = new JarOutputStream(Files.newOutputStream(jar));
                var walk = Files.walk(classes)) {
            out.setLevel(0);
            for (var file : walk.filter(Files::isRegularFile).sorted().toList()) {
                out.putNextEntry(new JarEntry(classes.relativize(file).toString()));
                Files.copy(file, out);
            }
        }
        return jar.toString();
    }

    private static void train(List<String> command, Path cache) throws IOException {
        var home = cache.resolveSibling("home");
        Files.createDirectories(home.resolve("in"));
        Files.writeString(home.resolve("in/a"), "a\n");
        Files.writeString(home.resolve("job.yaml"), JOB.formatted(home));
        var argv = new ArrayList<>(command);
        argv.addAll(List.of(
                "-XX:AOTCacheOutput=" + cache,
                "-Xmx96m",
                "io.forebay.sidecar.Main",
                "run",
                home.resolve("job.yaml").toString()));
        var log = cache.resolveSibling("training.log");
        var builder = new ProcessBuilder(argv).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().put("FOREBAY_DISK", home.toString());
        var process = builder.start();
        try {
            if (!process.waitFor(120, TimeUnit.SECONDS) || process.exitValue() != 0 || Files.notExists(cache)) {
                System.err.println("no AOT cache for the tests, starts are slower: " + Files.readString(log));
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        } finally {
            process.destroyForcibly();
        }
    }
}
