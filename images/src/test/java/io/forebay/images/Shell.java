package io.forebay.images;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs programs, both output streams kept apart. */
final class Shell {
    private static final long LIMIT_MINUTES = 9;

    record Ended(int exit, String out, String err) {}

    private Shell() {}

    /** The checkout's folder, whatever module the tests were started in. */
    static Path checkout() {
        var folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve("images/build"))) {
            folder = folder.getParent();
        }
        return folder;
    }

    static Ended run(Path folder, List<String> command) throws IOException, InterruptedException {
        var out = Files.createTempFile(folder, "shell", ".out");
        var err = Files.createTempFile(folder, "shell", ".err");
        var builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().put("FOREBAY_JAVA_HOME", Host.jdk("").toString());
        var process = builder.start();
        process.getOutputStream().close();
        if (!process.waitFor(LIMIT_MINUTES, TimeUnit.MINUTES)) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly().waitFor();
            throw new IOException(command + " did not end in " + LIMIT_MINUTES + " minutes");
        }
        var ended = new Ended(process.exitValue(), Files.readString(out), Files.readString(err));
        Files.delete(out);
        Files.delete(err);
        return ended;
    }
}
