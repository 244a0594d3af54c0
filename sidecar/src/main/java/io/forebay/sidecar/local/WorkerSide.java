package io.forebay.sidecar.local;

import io.forebay.api.job.Job;
import io.forebay.sidecar.buffer.BufferOptions;
import io.forebay.sidecar.buffer.TieredBuffer;
import io.forebay.sidecar.link.CoordinatorLink;
import io.forebay.sidecar.os.Posix;
import io.forebay.sidecar.worker.StepCalls;
import io.forebay.sidecar.worker.StepEnvironment;
import io.forebay.sidecar.worker.Worker;
import io.forebay.sidecar.worker.Worker.WorkerEnd;
import io.forebay.sidecar.worker.WorkerAssembly;
import io.forebay.sidecar.worker.WorkerIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.Consumer;

/** The worker's side of a job: buffer, journal and step runners, put together, wherever its coordinator is. */
public final class WorkerSide {
    /** Of a folder in which all of a group may make files, which get that group. */
    private static final int SHARED = 02770;

    private final BufferHold hold;
    private final WorkerAssembly.Assembled assembled;
    private final List<String> notes;

    private WorkerSide(BufferHold hold, WorkerAssembly.Assembled assembled, List<String> notes) {
        this.hold = hold;
        this.assembled = assembled;
        this.notes = List.copyOf(notes);
    }

    /**
     * What the process that it lives in decides.
     *
     * @param images how a step's image is taken
     * @param environment of this process: the commands' own is made of it if this process starts them
     */
    public record Setup(WorkerIdentity me, StepsBy steps, LocalImages images, Map<String, String> environment) {
        public Setup {
            environment = Map.copyOf(environment);
        }

        /** Elsewhere the platform enforces limits. */
        private boolean watchesMemory(Job job) {
            return switch (steps) {
                case StepsBy.Children _ ->
                    job.steps().stream().anyMatch(step -> step.memoryLimit().isPresent());
                case StepsBy.Peers _ -> false;
            };
        }

        private OptionalInt group() {
            return switch (steps) {
                case StepsBy.Children _ -> OptionalInt.empty();
                case StepsBy.Peers peers -> peers.group();
            };
        }

        /** A group gets one of its own: the folder given may be a mount of somebody else's. */
        private Path logs(BufferPlace place) throws IOException {
            if (group().isEmpty()) {
                return Files.createDirectories(place.logs());
            }
            var shared = Files.createDirectories(place.logs().resolve("steps"));
            Posix.fchownat(null, shared.toString(), -1, group().getAsInt());
            Posix.fchmodat(null, shared.toString(), SHARED);
            return shared;
        }

        private Map<String, String> ofCommands() {
            return switch (steps) {
                case StepsBy.Children _ -> ShellEnvironment.of(environment);
                case StepsBy.Peers _ -> Map.of();
            };
        }
    }

    /**
     * Takes up what an earlier life of the same worker left.
     *
     * @param lines told to the user while it works
     * @param resources what is opened is added to it; it is closed by the caller
     */
    public static WorkerSide open(
            Job job,
            Setup setup,
            BufferPlace place,
            JobStores stores,
            CoordinatorLink coordinator,
            Consumer<String> lines,
            Resources resources)
            throws IOException, InterruptedException {
        var hold = BufferHold.open(place, resources);
        var earlier = EarlierLife.open(hold, resources);
        return open(job, setup, hold, earlier, stores, coordinator, lines, resources);
    }

    /** As above, in a control folder that is open already, and with its journal. */
    static WorkerSide open(
            Job job,
            Setup setup,
            BufferHold hold,
            EarlierLife earlier,
            JobStores stores,
            CoordinatorLink coordinator,
            Consumer<String> lines,
            Resources resources)
            throws IOException, InterruptedException {
        var place = hold.place();
        var notes = new ArrayList<String>();
        setup.images().note().ifPresent(notes::add);
        notes.addAll(place.notes());
        if (setup.watchesMemory(job)) {
            notes.add(
                    "limits.memory of steps is watched, not enforced, on this machine: a command that used more is told");
        }
        var buffer = TieredBuffer.open(place.tiers(), growth(job).withGroup(setup.group()));
        resources.add(() -> buffer.close(hold.keep()));
        notes.addAll(buffer.remarks());
        var recovered = earlier.recovered();
        if (recovered.damaged()) {
            notes.add("the journal of an earlier run was damaged (" + recovered.lostBytes()
                    + " bytes); what it told is verified by checksum");
        }
        var logs = setup.logs(place);
        var calls = new StepCalls();
        var fences = place.fences(setup.environment());
        var steps = resources.add(StepRunners.open(job, place.control(), setup.steps(), fences, calls, lines));
        var assembled = new WorkerAssembly(
                        setup.me(),
                        job,
                        stores.stores(),
                        stores.engine(),
                        stores.counters(),
                        buffer,
                        recovered.journal(),
                        coordinator,
                        steps.host(),
                        calls,
                        new StepEnvironment(
                                setup.ofCommands(),
                                !fences.isEmpty(),
                                logs.toString(),
                                setup.group().isPresent(),
                                setup.images().runner()),
                        new WholeLogs(job, stores.stores(), lines),
                        place.jobToken(),
                        lines)
                .assemble(earlier.records());
        Destinations.remember(job, stores.stores());
        hold.keep(true);
        return new WorkerSide(hold, assembled, notes);
    }

    private static BufferOptions growth(Job job) {
        var work = job.buffer().itemWork();
        var outputs = job.buffer().itemOutputs();
        return work.isPresent() || outputs.isPresent()
                ? BufferOptions.DEFAULT.withDeclaredGrowth(
                        work.map(b -> b.value()).orElse(0L)
                                + outputs.map(b -> b.value()).orElse(0L))
                : BufferOptions.DEFAULT;
    }

    public Worker worker() {
        return assembled.worker();
    }

    /** Blocks until everything that it held has ended. */
    public WorkerEnd run() throws InterruptedException {
        return assembled.worker().run(assembled.recovered());
    }

    /** What the user should know about this worker. */
    public List<String> notes() {
        return notes;
    }

    /** What the user should know, in the end, about what the steps left. */
    public List<String> findings() {
        return assembled.special().words().stream()
                .map(words -> "outputs select what steps left: " + words)
                .toList();
    }

    /** Where data lie that are not exported, for people. */
    public String where() {
        return hold.place().where();
    }

    /** Folder of this machine that is kept whenever the buffer is. */
    Path control() {
        return hold.place().control();
    }

    /** @param keep whether the buffer is kept when this process ends */
    public void keep(boolean keep) {
        hold.keep(keep);
    }
}
