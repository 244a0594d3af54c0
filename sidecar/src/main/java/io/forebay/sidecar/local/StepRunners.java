package io.forebay.sidecar.local;

import io.forebay.api.job.Job;
import io.forebay.api.job.Job.Step;
import io.forebay.sidecar.step.InProcessRunner;
import io.forebay.sidecar.step.RunnerProcess;
import io.forebay.sidecar.step.SocketPath;
import io.forebay.sidecar.step.StepHost;
import io.forebay.sidecar.step.StepServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** The step host of a worker, with the runners that this process keeps, if it does. */
final class StepRunners implements AutoCloseable {
    private static final Duration GRACE = Duration.ofSeconds(10);
    private static final int TOKEN_BYTES = 16;

    private final StepHost host;
    private final List<RunnerProcess> runners;
    private final Runnable lastWords;

    private StepRunners(StepHost host, List<RunnerProcess> runners, Runnable lastWords) {
        this.host = host;
        this.lastWords = lastWords;
        this.runners = runners;
    }

    /**
     * @param control folder of the worker that a restart finds again: socket, token and locks
     * @param fences folders that commands see nothing of but their own; empty: they are not confined
     * @param lines of commands, and what the user should know
     */
    static StepRunners open(
            Job job, Path control, StepsBy by, List<String> fences, StepHost.Listener listener, Consumer<String> lines)
            throws IOException {
        return switch (by) {
            case StepsBy.Children children -> children(job, control, children, fences, listener, lines);
            case StepsBy.Peers peers ->
                new StepRunners(
                        StepServer.open(
                                StepServer.Options.of(peers.socket(), peers.token())
                                        .withFences(fences)
                                        .withGrace(GRACE)
                                        .withNotes(lines)
                                        .withGate(peers.gate()),
                                listener),
                        List.of(),
                        () -> {});
        };
    }

    /** A runner process per step, or, where there is no runner, this process itself. */
    private static StepRunners children(
            Job job,
            Path control,
            StepsBy.Children by,
            List<String> fences,
            StepHost.Listener listener,
            Consumer<String> lines)
            throws IOException {
        int slots = job.workers().slots();
        var logs = job.records().resolve(job.name() + "/logs/").toString();
        var output = new ShownOutput(lines, logs, System::nanoTime);
        var program = by.program();
        if (program.isEmpty() || !Files.isExecutable(program.get())) {
            var perStep = job.steps().stream().collect(Collectors.toMap(Step::name, s -> slots));
            return new StepRunners(
                    new InProcessRunner(control.toString(), perStep, listener, GRACE, output, lines),
                    List.of(),
                    output::close);
        }
        var token = token(control.resolve("token"));
        var socket = new SocketPath(control.resolve("steps.sock"));
        var server = StepServer.open(
                StepServer.Options.of(socket, token)
                        .withFences(fences)
                        .withGrace(GRACE)
                        .withOutput(output)
                        .withNotes(lines),
                listener);
        var runners = new ArrayList<RunnerProcess>();
        for (var step : job.steps()) {
            var lock = control.resolve("runner-" + step.name() + ".lock");
            runners.add(RunnerProcess.start(
                    new RunnerProcess.Options(program.get(), step.name(), slots, socket, token, lock, true), lines));
        }
        return new StepRunners(server, runners, output::close);
    }

    /** The same for all lives of the run: runners that outlived a killed engine show it to the next. */
    private static String token(Path file) throws IOException {
        if (Files.exists(file)) {
            return Files.readString(file, StandardCharsets.US_ASCII);
        }
        var bytes = new byte[TOKEN_BYTES];
        new SecureRandom().nextBytes(bytes);
        var text = HexFormat.of().formatHex(bytes);
        Files.writeString(file, text, StandardCharsets.US_ASCII, StandardOpenOption.CREATE, StandardOpenOption.DSYNC);
        return text;
    }

    StepHost host() {
        return host;
    }

    @Override
    public void close() {
        try {
            host.close();
        } finally {
            runners.forEach(RunnerProcess::close);
            lastWords.run();
        }
    }
}
