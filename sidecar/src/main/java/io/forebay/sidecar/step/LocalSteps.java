package io.forebay.sidecar.step;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * The steps of a run on one machine: a server and one runner process per step; commands started by this process itself where there is
 * no step runner.
 */
public final class LocalSteps implements StepHost {
    private final StepHost host;
    private final List<RunnerProcess> runners;

    /**
     * @param program forebay-step; absent: it could not be built
     * @param folder of this buffer, private, the same after a restart: socket, locks and messages of the runners are kept there
     * @param token of this run, the same after a restart: runners of an earlier life are then taken over
     * @param slots of each step
     * @param fences see {@link StepServer.Options}
     * @param output what commands write, for the display
     * @param notes hears what the user should know, a sentence at a time
     */
    public record Plan(
            Optional<Path> program,
            Path folder,
            String token,
            Map<String, Integer> slots,
            List<String> fences,
            Duration grace,
            StepServer.Output output,
            Consumer<String> notes) {}

    private LocalSteps(StepHost host, List<RunnerProcess> runners) {
        this.host = host;
        this.runners = runners;
    }

    public static LocalSteps open(Plan plan, Listener listener) throws IOException {
        var program = plan.program().filter(Files::isExecutable);
        if (program.isEmpty()) {
            var mark = plan.folder().toAbsolutePath().toString();
            return new LocalSteps(
                    new InProcessRunner(mark, plan.slots(), listener, plan.grace(), plan.output(), plan.notes()),
                    List.of());
        }
        var socket = new SocketPath(plan.folder().toAbsolutePath().resolve("steps.sock"));
        var options = StepServer.Options.of(socket, plan.token())
                .withFences(plan.fences())
                .withGrace(plan.grace())
                .withOutput(plan.output())
                .withNotes(plan.notes());
        var server = StepServer.open(options, listener);
        var runners = new ArrayList<RunnerProcess>();
        plan.slots().forEach((step, slots) -> {
            var lock = socket.path().resolveSibling("step-" + step + ".lock");
            runners.add(RunnerProcess.start(
                    new RunnerProcess.Options(program.get(), step, slots, socket, plan.token(), lock, true),
                    plan.notes()));
        });
        return new LocalSteps(server, List.copyOf(runners));
    }

    @Override
    public void submit(Command command) {
        host.submit(command);
    }

    @Override
    public void recover(List<CommandId> ids) {
        host.recover(ids);
    }

    @Override
    public void stop(CommandId id, Duration grace) {
        host.stop(id, grace);
    }

    @Override
    public CompletableFuture<Boolean> isUnwritten(CommandId id, String path) {
        return host.isUnwritten(id, path);
    }

    @Override
    public CompletableFuture<Void> handOver(CommandId id, List<String> folders, String modesFile) {
        return host.handOver(id, folders, modesFile);
    }

    @Override
    public CompletableFuture<Void> clean(CommandId id, List<String> folders) {
        return host.clean(id, folders);
    }

    @Override
    public void acknowledge(CommandId id) {
        host.acknowledge(id);
    }

    @Override
    public void close() {
        host.close();
        runners.forEach(RunnerProcess::close);
    }
}
