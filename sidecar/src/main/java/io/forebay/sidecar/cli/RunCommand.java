package io.forebay.sidecar.cli;

import io.forebay.api.job.Job;
import io.forebay.sidecar.local.LocalOptions;
import io.forebay.sidecar.local.LocalOptions.Images;
import io.forebay.sidecar.local.LocalRun;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code forebay run}: a PipelineJob on this machine. */
@Command(
        name = "run",
        mixinStandardHelpOptions = true,
        footer = ForebayCommand.SEE_EXIT_CODES,
        description = {
            "Runs a PipelineJob on this machine, through the burst buffer.",
            "Started again it goes on where it was: items that have a completion record are not run again. Ctrl-C cancels "
                    + "in order: commits begun are completed, outputs that are not exported by then are kept and listed; Ctrl-C again "
                    + "ends at once."
        })
final class RunCommand implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "JOB", description = Manifests.DESCRIPTION)
    private String manifest = "";

    @Option(names = "--fresh", description = "ignore what earlier runs of this job recorded: every item runs again")
    private boolean fresh;

    @Option(
            names = "--discard-kept",
            description =
                    "give up outputs that an earlier run computed and kept, if no item of this run can use them; without it such a run is refused")
    private boolean discardKept;

    @Mixin
    private RunOptions options = new RunOptions();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws CliException, InterruptedException {
        return execute(spec, options, manifest, fresh, false, discardKept);
    }

    static int execute(
            CommandSpec spec, RunOptions options, String manifest, boolean fresh, boolean resume, boolean discardKept)
            throws CliException, InterruptedException {
        var out = spec.commandLine().getOut();
        var err = spec.commandLine().getErr();
        var job = Manifests.read(manifest, err);
        if (resume) {
            requireRecords(job);
        }
        var local = new LocalOptions(
                fresh, resume, discardKept, Optional.ofNullable(options.disk), options.images, Foreground.stepRunner());
        return Foreground.carry(lines -> LocalRun.open(job, local, lines), options.view, out, err);
    }

    private static void requireRecords(Job job) throws CliException, InterruptedException {
        try {
            NoRecords.require(job);
        } catch (IOException e) {
            throw new CliException(ForebayCommand.OWN_FAULT, String.valueOf(e.getMessage()));
        }
    }

    /** Of the option. */
    static final String DISK =
            "folder for the buffer's disk tiers (default: $FOREBAY_DISK, else $TMPDIR, else the user's cache folder, else /var/tmp)";

    /** Options that all commands which run items share. */
    static final class RunOptions {
        @Option(names = "--disk", paramLabel = "FOLDER", description = DISK)
        @Nullable
        Path disk;

        @Option(
                names = "--images",
                paramLabel = "MODE",
                defaultValue = "auto",
                description =
                        "auto: a step's image runs under apptainer or podman where there is one, else the command runs on the host; "
                                + "require: refuse without; host: never (default: ${DEFAULT-VALUE})")
        Images images = Images.AUTO;

        @Mixin
        Foreground.View view = new Foreground.View();
    }
}
