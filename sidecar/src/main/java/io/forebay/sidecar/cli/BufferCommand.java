package io.forebay.sidecar.cli;

import io.forebay.sidecar.apart.BufferProcess;
import io.forebay.sidecar.apart.BufferProcess.StepSocket;
import io.forebay.sidecar.apart.JobToken;
import io.forebay.sidecar.apart.RunnerCopy;
import io.forebay.sidecar.local.BufferPlace;
import io.forebay.sidecar.local.LocalOptions.Images;
import io.forebay.sidecar.local.RunRefused;
import io.forebay.sidecar.records.ProcessIdentity;
import io.forebay.sidecar.step.SocketPath;
import io.forebay.sidecar.worker.WorkerIdentity;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code forebay buffer}: one worker of a job that a coordinator elsewhere leads. */
@Command(
        name = "buffer",
        mixinStandardHelpOptions = true,
        footer = ForebayCommand.SEE_EXIT_CODES,
        description = {
            "One worker of a PipelineJob: a buffer on this machine and the steps beside it, led by a coordinator (forebay coordinator) over HTTP.",
            "Ends with 0 when nothing is left for it and each item it held is done, or its failure recorded. SIGTERM "
                    + "drains: what is computed is written back, the rest is given back."
        })
final class BufferCommand implements Callable<Integer> {
    /** Of a name that becomes part of folder names. */
    private static final String NAME = "[A-Za-z0-9][A-Za-z0-9._-]{0,62}";

    @Mixin
    private ApartOptions apart = new ApartOptions();

    @Option(
            names = "--coordinator",
            required = true,
            paramLabel = "URL",
            description = "http://HOST:PORT of the coordinator",
            converter = Converters.Url.class)
    private URI coordinator = URI.create("http://127.0.0.1");

    @Option(
            names = "--worker",
            paramLabel = "NAME",
            description =
                    "name of this worker's place, the same again after a restart, and no other worker's of this job (default: the node's)")
    @Nullable
    private String worker;

    @Option(names = "--node", paramLabel = "NAME", description = "the machine it runs on (default: its host name)")
    @Nullable
    private String node;

    @Option(names = "--disk", paramLabel = "FOLDER", description = RunCommand.DISK)
    @Nullable
    private Path disk;

    @Option(
            names = "--tier",
            paramLabel = "FOLDER",
            description =
                    "folder of a tier, once for each of spec.buffer.tiers and in that order; its size is taken as declared (default: private "
                            + "folders of this machine)")
    private List<Path> tiers = new ArrayList<>();

    @Option(
            names = "--control",
            paramLabel = "FOLDER",
            description = "journal, logs and socket; must live as long as the first tier (default: beside it)")
    @Nullable
    private Path control;

    @Option(
            names = "--logs",
            paramLabel = "FOLDER",
            description =
                    "what commands print is written here by their runners, who must see it under the same path (default: in --control)")
    @Nullable
    private Path logs;

    @Option(
            names = "--steps",
            paramLabel = "WHO",
            defaultValue = "local",
            description =
                    "local: this process starts a runner for each step; socket: runners that others start connect to --socket (default: ${DEFAULT-VALUE})")
    private Steps steps = Steps.LOCAL;

    @Option(
            names = "--socket",
            paramLabel = "PATH",
            description = "with --steps=socket: the Unix socket that step runners connect to")
    @Nullable
    private Path socket;

    @Option(
            names = "--step-token-file",
            paramLabel = "FILE",
            description = "with --steps=socket: what they must show (default: the job's token)")
    @Nullable
    private Path stepTokenFile;

    @Option(
            names = "--step-group",
            paramLabel = "GID",
            description =
                    "with --steps=socket: steps run as other users; files pass by this group, which this process and all runners are in (default: "
                            + "they run as the same user)")
    @Nullable
    private Integer stepGroup;

    @Option(
            names = "--install-runner",
            paramLabel = "FOLDER",
            description = "first of all copies the step runner there, as forebay-step, for the containers of the steps")
    @Nullable
    private Path installRunner;

    @Option(
            names = "--images",
            paramLabel = "MODE",
            defaultValue = "auto",
            description =
                    "with --steps=local: auto: a step's image runs under apptainer or podman where there is one, else the command runs on the "
                            + "host; require: refuse without; host: never (default: ${DEFAULT-VALUE})")
    private Images images = Images.AUTO;

    @Option(
            names = "--patience",
            paramLabel = "TIME",
            defaultValue = "10m",
            description =
                    "most time without a coordinator's answer; while a command runs it is waited for longer (default: ${DEFAULT-VALUE})",
            converter = Converters.Time.class)
    private Duration patience = Duration.ofMinutes(10);

    @Option(
            names = "--grace",
            paramLabel = "TIME",
            defaultValue = "20s",
            description = "after SIGTERM: most time for writing back what is computed (default: ${DEFAULT-VALUE})",
            converter = Converters.Time.class)
    private Duration grace = Duration.ofSeconds(20);

    @Mixin
    private Foreground.View view = new Foreground.View();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    /** Who starts the step runners. */
    enum Steps {
        LOCAL,
        SOCKET
    }

    @Override
    public Integer call() throws CliException, InterruptedException {
        installRunner();
        var err = spec.commandLine().getErr();
        var job = apart.job(err);
        var me = identity();
        if ((steps == Steps.SOCKET) != (socket != null)) {
            throw new CliException(
                    ForebayCommand.USAGE,
                    "--steps=socket and --socket PATH belong together: the one says that others start the step runners, the other where they connect to");
        }
        return Foreground.carry(
                lines -> BufferProcess.open(job, options(me), lines),
                view,
                spec.commandLine().getOut(),
                err);
    }

    /** Before anything can go wrong: a pod ends through containers that are started with the runner only. */
    private void installRunner() throws CliException {
        if (installRunner == null) {
            return;
        }
        try {
            RunnerCopy.into(installRunner, Foreground.stepRunner());
        } catch (RunRefused e) {
            throw new CliException(e.exitCode(), String.valueOf(e.getMessage()));
        }
    }

    private BufferProcess.Options options(WorkerIdentity me) throws RunRefused {
        var token = apart.token();
        var group = stepGroup == null ? OptionalInt.empty() : OptionalInt.of(stepGroup);
        var stepToken = stepTokenFile == null ? token : JobToken.read(stepTokenFile);
        return new BufferProcess.Options(
                me,
                new BufferPlace.Wish(
                        me.worker(),
                        Optional.ofNullable(disk),
                        tiers,
                        Optional.ofNullable(control),
                        Optional.ofNullable(logs)),
                Optional.ofNullable(socket)
                        .map(p -> new StepSocket(new SocketPath(p.toAbsolutePath(), group), stepToken, group)),
                Foreground.stepRunner(),
                images,
                System.getenv(),
                coordinator,
                token,
                patience,
                grace);
    }

    private WorkerIdentity identity() throws CliException {
        var machine = node == null ? ProcessIdentity.ofThisProcess().host() : node;
        var name = worker == null ? machine : worker;
        if (!name.matches(NAME)) {
            throw new CliException(
                    ForebayCommand.USAGE,
                    "--worker " + name + " is no name for a worker; use letters, digits, '.', '_' and '-', 63 at most");
        }
        return new WorkerIdentity(name, UUID.randomUUID().toString(), machine);
    }
}
