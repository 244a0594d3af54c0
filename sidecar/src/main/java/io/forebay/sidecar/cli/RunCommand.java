package io.forebay.sidecar.cli;

import io.forebay.api.job.Job;
import io.forebay.sidecar.local.LocalOptions;
import io.forebay.sidecar.local.LocalOptions.Images;
import io.forebay.sidecar.local.LocalRun;
import io.forebay.sidecar.local.RunRefused;
import java.io.IOException;
import java.io.PrintWriter;
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
        description =
                "Runs a PipelineJob on this machine, through the burst buffer. Started again after a kill it goes on where it was.")
final class RunCommand implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "JOB", description = "manifest, YAML or JSON")
    private Path manifest = Path.of("");

    @Option(names = "--fresh", description = "ignore what earlier runs of this job recorded: every item runs again")
    private boolean fresh;

    @Mixin
    private RunOptions options = new RunOptions();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws CliException, InterruptedException {
        return execute(spec, options, manifest, fresh, false);
    }

    static int execute(CommandSpec spec, RunOptions options, Path manifest, boolean fresh, boolean resume)
            throws CliException, InterruptedException {
        var out = spec.commandLine().getOut();
        var err = spec.commandLine().getErr();
        var job = Manifests.read(manifest, err);
        if (resume) {
            requireRecords(job);
        }
        var local = new LocalOptions(fresh, resume, Optional.ofNullable(options.disk), options.images, runner());
        try (var view = options.view(out, err);
                var signals = Signals.catching(view::line)) {
            return carry(job, local, options, view, signals, out);
        } catch (RunRefused e) {
            throw new CliException(e.exitCode(), String.valueOf(e.getMessage()));
        } catch (IOException e) {
            throw new CliException(ForebayCommand.OWN_FAULT, String.valueOf(e.getMessage()));
        }
    }

    private static void requireRecords(Job job) throws CliException, InterruptedException {
        try {
            NoRecords.require(job);
        } catch (IOException e) {
            throw new CliException(ForebayCommand.OWN_FAULT, String.valueOf(e.getMessage()));
        }
    }

    private static int carry(
            Job job, LocalOptions local, RunOptions options, ProgressView view, Signals signals, PrintWriter out)
            throws RunRefused, IOException, InterruptedException {
        LocalRun opened;
        try {
            opened = LocalRun.open(job, local, view::line);
        } catch (InterruptedException | RunRefused e) {
            if (signals.exitCode() != 0) {
                return signals.exitCode();
            }
            throw e;
        }
        try (var run = opened) {
            signals.cancels(run);
            var result = RunWatch.follow(run, view);
            view.close();
            print(options, result.value(), out);
            if (result.forced()) {
                Signals.halt(result.value().exitCode());
            }
            return result.value().exitCode();
        }
    }

    private static void print(RunOptions options, LocalRun.Result result, PrintWriter out) {
        if (options.json()) {
            out.println(result.json());
        } else {
            result.lines().forEach(out::println);
        }
        out.flush();
    }

    /** Built beside the engine; the launcher tells where. */
    private static Optional<Path> runner() {
        @Nullable String path = System.getProperty("forebay.runner");
        return path == null || path.isEmpty() ? Optional.empty() : Optional.of(Path.of(path));
    }

    /** Options that all commands which run items share. */
    static final class RunOptions {
        @Option(
                names = "--disk",
                paramLabel = "FOLDER",
                description = "where disk tiers lie (default: $FOREBAY_DISK, $TMPDIR, the user's cache)")
        @Nullable
        Path disk;

        @Option(
                names = "--images",
                defaultValue = "auto",
                description =
                        "auto: a step's image runs under apptainer or podman where there is one, else the command runs on the host; "
                                + "require: refuse without; host: never (default: ${DEFAULT-VALUE})")
        Images images = Images.AUTO;

        @Option(
                names = "--progress",
                defaultValue = "auto",
                description =
                        "auto, terminal, plain or none (default: ${DEFAULT-VALUE}: live on a terminal, lines elsewhere)")
        String progress = "auto";

        @Option(
                names = "-o",
                paramLabel = "FORMAT",
                defaultValue = "text",
                description = "summary as text or json (default: ${DEFAULT-VALUE})")
        String output = "text";

        boolean json() {
            return output.equals("json");
        }

        ProgressView view(PrintWriter out, PrintWriter err) throws CliException {
            if (!json() && !output.equals("text")) {
                throw new CliException(ForebayCommand.USAGE, "-o " + output + " is not known; use text or json");
            }
            // With JSON the standard output is the summary's alone.
            var lines = json() ? err : out;
            return switch (progress) {
                case "none" -> new ProgressView.Silent();
                case "plain" -> new PlainProgress(lines);
                case "terminal" -> terminal(lines);
                case "auto" ->
                    System.console() != null && System.console().isTerminal() && !json()
                            ? terminal(lines)
                            : new PlainProgress(lines);
                default ->
                    throw new CliException(
                            ForebayCommand.USAGE,
                            "--progress " + progress + " is not known; use auto, terminal, plain or none");
            };
        }

        private static ProgressView terminal(PrintWriter lines) {
            try {
                return TerminalProgress.open();
            } catch (IOException e) {
                return new PlainProgress(lines);
            }
        }
    }
}
