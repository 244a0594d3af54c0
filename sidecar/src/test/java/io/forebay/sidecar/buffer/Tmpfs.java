package io.forebay.sidecar.buffer;

import io.forebay.sidecar.os.PosixProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;

/** A small memory file system of its own, which really runs full. Needs root. */
final class Tmpfs implements AutoCloseable {
    private final Path folder;

    private Tmpfs(Path folder) {
        this.folder = folder;
    }

    /** Skips the test, saying why, where none can be mounted. */
    static Tmpfs mount(Path folder, int mebibytes) throws IOException, InterruptedException {
        Assumptions.assumeTrue(PosixProcess.euid() == 0, "left out: only root may mount a tmpfs");
        Files.createDirectories(folder);
        var problem = run(
                "mount", "-t", "tmpfs", "-o", "size=" + mebibytes + "m,mode=0700", "forebay-test", folder.toString());
        Assumptions.assumeTrue(problem.isEmpty(), "left out: no tmpfs can be mounted here: " + problem);
        return new Tmpfs(folder);
    }

    /** @return what it said; empty: it went well */
    private static String run(String... command) throws IOException, InterruptedException {
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return process.waitFor() == 0 ? "" : said.isBlank() ? "it failed" : said.strip();
    }

    Path folder() {
        return folder;
    }

    @Override
    public void close() throws IOException, InterruptedException {
        var problem = run("umount", "-l", folder.toString());
        if (!problem.isEmpty()) {
            throw new IOException("umount " + folder + ": " + problem);
        }
    }
}
