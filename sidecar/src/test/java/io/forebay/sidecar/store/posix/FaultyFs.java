package io.forebay.sidecar.store.posix;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A mounted file system that fails, hangs and dawdles on request: src/test/fuse/faultyfs.c, where its commands are explained. */
public final class FaultyFs implements AutoCloseable {
    private static final Path SOURCE = Path.of("src", "test", "fuse", "faultyfs.c");
    private static final Path PROGRAM = Path.of("target", "faultyfs").toAbsolutePath();

    private final Process process;
    private final BufferedReader answers;
    private final BufferedWriter commands;
    private final Path backing;
    private final Path mount;

    private FaultyFs(Process process, Path backing, Path mount) {
        this.process = process;
        this.answers = process.inputReader(StandardCharsets.UTF_8);
        this.commands = process.outputWriter(StandardCharsets.UTF_8);
        this.backing = backing;
        this.mount = mount;
    }

    /** Why it cannot be had on this machine; empty: it can. */
    public static Optional<String> missing() throws IOException, InterruptedException {
        if (!Files.isReadable(Path.of("/dev/fuse")) || !Files.isWritable(Path.of("/dev/fuse"))) {
            return Optional.of("no access to /dev/fuse");
        }
        return build();
    }

    private static synchronized Optional<String> build() throws IOException, InterruptedException {
        if (Files.exists(PROGRAM)
                && Files.getLastModifiedTime(PROGRAM).compareTo(Files.getLastModifiedTime(SOURCE)) > 0) {
            return Optional.empty();
        }
        Files.createDirectories(PROGRAM.getParent());
        var flags = output(List.of("pkg-config", "--cflags", "--libs", "fuse3"));
        if (flags.isEmpty()) {
            return Optional.of("pkg-config knows no fuse3 (Debian: libfuse3-dev pkg-config)");
        }
        var part = PROGRAM.resolveSibling("faultyfs." + ProcessHandle.current().pid());
        var gcc = new ArrayList<>(
                List.of("cc", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-o", part.toString(), SOURCE.toString()));
        gcc.addAll(List.of(flags.get().strip().split("\\s+")));
        if (output(gcc).isEmpty()) {
            return Optional.of("faultyfs.c cannot be compiled here: " + String.join(" ", gcc));
        }
        Files.move(part, PROGRAM, java.nio.file.StandardCopyOption.ATOMIC_MOVE);
        return Optional.empty();
    }

    /** What a program printed; empty: it failed or is not there. */
    private static Optional<String> output(List<String> command) throws IOException, InterruptedException {
        Process p;
        try {
            p = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
        } catch (IOException e) {
            return Optional.empty();
        }
        var text = new String(p.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return p.waitFor() == 0 ? Optional.of(text) : Optional.empty();
    }

    /** @param parent where its two folders are made and removed again */
    public static FaultyFs mount(Path parent) throws IOException, InterruptedException {
        var backing = Files.createTempDirectory(parent, "backing-");
        var mount = Files.createTempDirectory(parent, "mount-");
        var process = new ProcessBuilder(PROGRAM.toString(), backing.toString(), mount.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        var fs = new FaultyFs(process, backing, mount);
        if (!"ready".equals(fs.answers.readLine())) {
            process.destroyForcibly().waitFor();
            throw new IOException("faultyfs did not mount");
        }
        return fs;
    }

    public Path root() {
        return mount;
    }

    /** The same files, without faults. */
    public Path backing() {
        return backing;
    }

    /** @return what was answered after "ok" */
    public synchronized String tell(String command) throws IOException {
        commands.write(command + "\n");
        commands.flush();
        var answer = answers.readLine();
        if (answer == null || !answer.startsWith("ok")) {
            throw new IOException("faultyfs: " + answer);
        }
        return answer.substring(2).strip();
    }

    public long count(String operation) throws IOException {
        return Long.parseLong(tell("count " + operation));
    }

    @Override
    public void close() throws IOException, InterruptedException {
        commands.close();
        if (!process.waitFor(10, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
            new ProcessBuilder("fusermount3", "-u", "-z", mount.toString())
                    .start()
                    .waitFor();
        }
        Files.delete(mount);
        try (var left = Files.walk(backing)) {
            for (var p : left.sorted(java.util.Comparator.reverseOrder()).toList()) {
                Files.delete(p);
            }
        }
    }
}
