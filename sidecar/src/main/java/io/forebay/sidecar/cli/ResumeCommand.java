package io.forebay.sidecar.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code forebay resume}: finishes what an earlier run left. */
@Command(
        name = "resume",
        mixinStandardHelpOptions = true,
        footer = ForebayCommand.SEE_EXIT_CODES,
        description = {
            "Finishes the last run of a job: publishes outputs that are intact in the buffer, runs only items that are not done.",
            "With nothing left to do it runs nothing and exits 0. Unlike run it does not look for new input files."
        })
final class ResumeCommand implements Callable<Integer> {
    @Parameters(
            index = "0",
            paramLabel = "JOB",
            description = "the manifest of that run; - reads it from standard input")
    private String manifest = "";

    @Mixin
    private RunCommand.RunOptions options = new RunCommand.RunOptions();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws CliException, InterruptedException {
        return RunCommand.execute(spec, options, manifest, false, true, false);
    }
}
