package io.forebay.sidecar.cli;

import io.forebay.api.job.Job;
import io.forebay.api.job.JobReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Reads the manifest that a command names. */
final class Manifests {
    private Manifests() {}

    /** @throws CliException 64 after each problem was printed on a line of its own */
    static Job read(Path file, PrintWriter err) throws CliException {
        return switch (JobReader.read(
                bytes(file), file.toAbsolutePath().normalize().getParent())) {
            case JobReader.Valid valid -> valid.job();
            case JobReader.Invalid invalid -> {
                invalid.problems().forEach(p -> err.println(file + ": " + p));
                throw new CliException(
                        ForebayCommand.USAGE,
                        file + " is refused (" + invalid.problems().size() + " problem"
                                + (invalid.problems().size() == 1 ? "" : "s") + "); nothing was started.");
            }
        };
    }

    private static byte[] bytes(Path file) throws CliException {
        if (Files.isDirectory(file)) {
            throw new CliException(ForebayCommand.USAGE, file + " is a folder; name the manifest in it");
        }
        try {
            return Files.readAllBytes(file);
        } catch (NoSuchFileException e) {
            throw new CliException(ForebayCommand.USAGE, "no such file: " + file);
        } catch (IOException e) {
            throw new CliException(ForebayCommand.USAGE, "cannot read " + file + ": " + e.getMessage());
        }
    }
}
