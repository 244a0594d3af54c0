package io.forebay.sidecar.cli;

import io.forebay.api.job.Job;
import io.forebay.sidecar.apart.CoordinatorProcess;
import io.forebay.sidecar.apart.ListenAddress;
import io.forebay.sidecar.apart.OnSigterm;
import io.forebay.sidecar.coordinator.CoordinatorOptions;
import io.forebay.sidecar.coordinator.CoordinatorOptions.RunMode;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code forebay coordinator}: plans a job and leads its workers, which are elsewhere. */
@Command(
        name = "coordinator",
        mixinStandardHelpOptions = true,
        footer = ForebayCommand.SEE_EXIT_CODES,
        description = {
            "Plans a PipelineJob and leads its workers (forebay buffer), which reach it over HTTP.",
            "Ends when every item has ended and the workers have heard so. Killed and started again it takes over where it "
                    + "was."
        })
final class CoordinatorCommand implements Callable<Integer> {
    @Mixin
    private ApartOptions apart = new ApartOptions();

    @Option(
            names = "--listen",
            paramLabel = "HOST:PORT",
            defaultValue = "127.0.0.1:0",
            description =
                    "where workers reach it; :PORT is all addresses, port 0 any free one (default: ${DEFAULT-VALUE})",
            converter = Converters.Address.class)
    private ListenAddress listen = new ListenAddress("127.0.0.1", 0);

    @Option(names = "--port-file", paramLabel = "FILE", description = "gets the port that was chosen, in decimal")
    @Nullable
    private Path portFile;

    @ArgGroup(exclusive = true)
    @Nullable
    private Mode mode;

    @Option(
            names = "--single",
            description = "the platform guarantees that no other coordinator of this job runs: none is waited for")
    private boolean single;

    @Option(
            names = "--scratch",
            paramLabel = "FOLDER",
            description = "for the plan's index (default: a temporary folder, removed at the end)")
    @Nullable
    private Path scratch;

    @Option(
            names = "--lease",
            paramLabel = "TIME",
            defaultValue = "30s",
            description = "how long a silent worker keeps its items (default: ${DEFAULT-VALUE})",
            converter = Converters.Time.class)
    private Duration lease = CoordinatorOptions.LEASE;

    @Option(
            names = "--on-sigterm",
            paramLabel = "WHAT",
            defaultValue = "cancel",
            description =
                    "cancel: the job ends, as after SIGINT; step-down: this process alone ends, with 75, and one that is started again goes on: "
                            + "for platforms that move it (default: ${DEFAULT-VALUE})",
            converter = Converters.Sigterm.class)
    private OnSigterm onSigterm = OnSigterm.CANCEL;

    @Mixin
    private Foreground.View view = new Foreground.View();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    /** What becomes of earlier runs; none of them: as forebay run. */
    static final class Mode {
        @Option(names = "--fresh", description = "ignore what earlier runs of this job recorded: every item runs again")
        boolean fresh;

        @Option(names = "--resume", description = "go on with the last plan, as forebay resume")
        boolean resume;

        @Option(
                names = "--run-id",
                paramLabel = "TEXT",
                description =
                        "names this run: started again with the same text it takes over, and a run that has ended is only told again")
        @Nullable
        String runId;
    }

    @Option(
            names = "--termination-message",
            paramLabel = "FILE",
            description =
                    "how it ends, as JSON of at most 2 KiB, is written there in place: /dev/termination-log in a pod")
    @Nullable
    private Path terminationMessage;

    @Override
    public Integer call() throws CliException, InterruptedException {
        if (terminationMessage == null) {
            return carry(EndListener.NOBODY);
        }
        var message = new TerminationMessage(
                terminationMessage, onSigterm, spec.commandLine().getErr());
        try {
            return carry(message);
        } catch (CliException e) {
            message.refused(e);
            throw e;
        } catch (InterruptedException | RuntimeException | Error e) {
            message.fault(e);
            throw e;
        }
    }

    private int carry(EndListener listener) throws CliException, InterruptedException {
        var job = apart.job(spec.commandLine().getErr());
        var lasting = scratch;
        if (lasting != null) {
            return carry(job, lasting, listener);
        }
        try (var temporary = new Scratch()) {
            return carry(job, temporary.folder(), listener);
        } catch (IOException e) {
            throw new CliException(ForebayCommand.OWN_FAULT, "cannot remove the temporary folder: " + e.getMessage());
        }
    }

    private int carry(Job job, Path folder, EndListener listener) throws CliException, InterruptedException {
        return Foreground.carry(
                lines -> {
                    var options = new CoordinatorProcess.Options(
                            coordinator(folder), listen, Optional.ofNullable(portFile), apart.token(), onSigterm);
                    return CoordinatorProcess.open(job, options, lines);
                },
                view,
                spec.commandLine().getOut(),
                spec.commandLine().getErr(),
                listener);
    }

    private CoordinatorOptions coordinator(Path folder) {
        var chosen = mode;
        var runId = chosen == null ? null : chosen.runId;
        var runMode = runId != null
                ? RunMode.CONTINUE
                : chosen != null && chosen.fresh
                        ? RunMode.FRESH
                        : chosen != null && chosen.resume ? RunMode.RESUME : RunMode.RUN;
        return CoordinatorOptions.remote(runMode, runId == null ? "" : runId, folder, single)
                .withLease(lease);
    }
}
