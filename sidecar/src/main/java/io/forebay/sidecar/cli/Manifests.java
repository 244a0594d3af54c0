package io.forebay.sidecar.cli;

import io.forebay.api.job.Job;
import io.forebay.api.job.JobReader;
import io.forebay.api.manifest.Problem;
import io.forebay.api.name.Printable;
import java.io.PrintWriter;

/** Reads the manifest that a command names. */
final class Manifests {
    /** Of the parameter, for the usage text. */
    static final String DESCRIPTION = "manifest, YAML or JSON; - reads it from standard input";

    private Manifests() {}

    /** A problem as each command tells it: file, field, what is wrong, line. */
    static String line(String file, Problem problem) {
        var line = problem.line() > 0 ? " (line " + problem.line() + ")" : "";
        return Printable.name(file + ": " + problem + line);
    }

    /** @throws CliException 64 after each problem was printed on a line of its own */
    static Job read(String file, PrintWriter err) throws CliException {
        ManifestFile read;
        try {
            read = ManifestFile.read(file, System.in);
        } catch (ManifestFile.Refused e) {
            throw new CliException(ForebayCommand.USAGE, file + ": " + e.getMessage());
        }
        return switch (JobReader.read(read.text(), read.folder())) {
            case JobReader.Valid valid -> valid.job();
            case JobReader.Invalid invalid -> {
                invalid.problems().forEach(p -> err.println(line(file, p)));
                throw new CliException(
                        ForebayCommand.USAGE,
                        file + " is refused (" + invalid.problems().size() + " problem"
                                + (invalid.problems().size() == 1 ? "" : "s") + "); nothing was started.");
            }
        };
    }
}
