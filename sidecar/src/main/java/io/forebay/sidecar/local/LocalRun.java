package io.forebay.sidecar.local;

import io.forebay.api.job.Job;
import io.forebay.message.Messages.Unexported;
import io.forebay.sidecar.buffer.BufferRoots;
import io.forebay.sidecar.coordinator.CoordinatorOptions;
import io.forebay.sidecar.coordinator.CoordinatorOptions.RunMode;
import io.forebay.sidecar.coordinator.LeftBehind;
import io.forebay.sidecar.item.ItemState;
import io.forebay.sidecar.outcome.CoordinatorException;
import io.forebay.sidecar.worker.Worker;
import io.forebay.sidecar.worker.WorkerIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * {@code forebay run}: coordinator, worker and step runners of one job in this process.
 *
 * <p>{@link #open} plans, and refuses what cannot work before a byte is written to the buffer; {@link #run} carries the job to its
 * end; {@link #close} removes the buffer, unless it holds outputs that could not be exported.
 */
public final class LocalRun implements ForegroundRun {
    private static final Duration ORDERS = Duration.ofMillis(100);
    /** Of a list of what is kept: they lie in the same few folders. */
    private static final int MOST_PLACES = 1000;

    private final Resources resources;
    private final JobRun run;
    private final WorkerSide side;
    private final Optional<Path> disk;
    private final RunRates rates;

    private LocalRun(Resources resources, JobRun run, WorkerSide side, Optional<Path> disk) {
        this.disk = disk;
        this.resources = resources;
        this.run = run;
        this.side = side;
        this.rates = new RunRates(run.beganNanos());
    }

    /**
     * @param lines told to the user while the run goes on
     * @throws RunRefused it cannot run, with the exit code that says why
     */
    public static LocalRun open(Job job, LocalOptions options, Consumer<String> lines)
            throws RunRefused, InterruptedException {
        return RunOpening.of(job, job.deadlines().run(), resources -> open(job, options, lines, resources));
    }

    private static LocalRun open(Job job, LocalOptions options, Consumer<String> lines, Resources resources)
            throws RunRefused, CoordinatorException, IOException, InterruptedException {
        var environment = System.getenv();
        var images = LocalImages.choose(job, options.images(), environment);
        var stores = resources.add(new JobStores(job.stores()));
        stores.telling(lines);
        sweep(job, options, environment, lines);
        var place = BufferPlace.of(job, BufferPlace.Wish.local(options.disk()), environment);
        var hold = BufferHold.open(place, resources);
        var scratch = Files.createDirectories(place.control().resolve("plan"));
        var mode = options.resume() ? RunMode.RESUME : options.fresh() ? RunMode.FRESH : RunMode.RUN;
        var coordinating = CoordinatorOptions.local(mode, scratch).telling(lines);
        var run = JobRun.claim(job, stores.stores(), coordinating, resources);
        elsewhere(run.coordinator().keptBefore(MOST_PLACES), place).forEach(lines);
        var earlier = EarlierLife.open(hold, resources);
        run.start(
                new KeptByPlan(
                        job,
                        stores.stores(),
                        mode,
                        options.discardKept(),
                        earlier.computed(job.steps().size()),
                        place.where(),
                        lines),
                lines);
        var me = new WorkerIdentity(
                "local", UUID.randomUUID().toString(), coordinating.me().host());
        var setup = new WorkerSide.Setup(me, new StepsBy.Children(options.runner()), images, environment);
        var side = WorkerSide.open(job, setup, hold, earlier, stores, run.coordinator(), lines, resources);
        return new LocalRun(resources, run, side, options.disk());
    }

    /** Kept by an earlier run on this machine, where this one does not look: its items would be run again without a word. */
    static List<String> elsewhere(List<String> kept, BufferPlace place) {
        return kept.stream()
                .filter(path -> place.tiers().stream().noneMatch(t -> path.startsWith(t.root() + "/")))
                .flatMap(path -> BufferRoots.rootOf(path).stream())
                .distinct()
                .filter(root -> Files.isDirectory(Path.of(root)))
                .map(root -> "an earlier run keeps outputs in " + root
                        + ", where this run does not look: it runs their items again. To publish them instead end this run, then:"
                        + " forebay resume --disk " + Path.of(root).getParent())
                .toList();
    }

    /** Before this run's own buffer is sized: what dead runs left takes memory away. */
    private static void sweep(Job job, LocalOptions options, Map<String, String> environment, Consumer<String> lines) {
        try {
            var bases = BufferPlace.bases(options.disk(), environment);
            new DeadBuffers(Instant.now(), BufferPlace.tokenOf(job))
                    .sweep(bases)
                    .forEach(lines);
        } catch (IOException e) {
            // No folder for disk buffers: told if this job needs one.
        }
    }

    /** Blocks until the job has ended: every item is done, or failed, or listed. */
    @Override
    public RunResult run() throws InterruptedException {
        var orders = Thread.ofVirtual().name("orders").start(this::passOrdersOn);
        Worker.WorkerEnd end;
        try {
            end = side.run();
        } finally {
            orders.interrupt();
        }
        var unreported = run.coordinator().outOfOffice() ? side.worker().unreported() : List.<Unexported>of();
        var summary = run.await(end.brokenBecause(), new LeftBehind(unreported, Optional.of(side.control())));
        var keptAt = !end.clean() || summary.unexported() > 0 ? Optional.of(side.where()) : Optional.<String>empty();
        side.keep(keptAt.isPresent());
        return run.result(summary, side.worker().snapshot(), keptAt, notes(keptAt.isPresent()), end.brokenBecause());
    }

    private List<String> notes(boolean kept) {
        var hint =
                disk
                        .filter(_ -> kept)
                        .map(folder -> "to find what is kept again resume with: --disk " + folder)
                        .stream();
        return Stream.of(side.notes().stream(), side.findings().stream(), hint)
                .flatMap(notes -> notes)
                .toList();
    }

    /**
     * A deadline may be shorter than the time between two renewals of leases; and a coordinator that has lost its records is the last
     * one of this worker.
     */
    private void passOrdersOn() {
        try {
            while (true) {
                run.coordinator().order().ifPresent(side.worker()::drain);
                if (run.coordinator().outOfOffice()) {
                    side.worker().orphan();
                }
                Thread.sleep(ORDERS);
            }
        } catch (InterruptedException e) {
            // The worker has ended.
        }
    }

    @Override
    public Optional<RunResult> overdue() {
        return run.overdue(side.where());
    }

    @Override
    public void cancel(boolean interrupt) {
        run.cancel(interrupt);
    }

    @Override
    public String cancelling(boolean interrupt) {
        return "cancelling; commits begun are completed, outputs that are not exported by then are listed";
    }

    @Override
    public String abandon() {
        return run.abandon(
                () -> side.worker().atRisk("ended by a second signal before the output was exported"), side.where());
    }

    @Override
    public RunProgress progress() {
        var p = run.coordinator().progress();
        var states = side.worker().states();
        var local = side.worker().snapshot();
        rates.sample(System.nanoTime(), local.bytesStaged(), local.bytesFlushed(), p.done() - p.skipped() + p.failed());
        long left = p.items() - p.done() - p.failed();
        return new RunProgress(
                p.phase(),
                p.items(),
                p.done() - p.skipped(),
                p.skipped(),
                p.failed(),
                count(states, ItemState.LEASED) + count(states, ItemState.FETCHING),
                count(states, ItemState.READY),
                count(states, ItemState.RUNNING),
                count(states, ItemState.FLUSHING) + count(states, ItemState.COMMITTING),
                local.bytesStaged(),
                rates.stageRate(),
                local.bytesFlushed(),
                rates.flushRate(),
                local.bufferUsed(),
                local.bufferSize(),
                side.worker().strandedBytes(),
                local.retries(),
                rates.secondsLeft(left),
                local.lastMessage() == null ? "" : local.lastMessage());
    }

    private static long count(Map<ItemState, Integer> states, ItemState state) {
        return states.getOrDefault(state, 0);
    }

    @Override
    public void close() {
        resources.close();
    }
}
