package io.forebay.sidecar.apart;

import io.forebay.api.job.Job;
import io.forebay.message.JobProgress;
import io.forebay.message.Messages.JobInfo;
import io.forebay.message.Messages.WorkerCounters;
import io.forebay.sidecar.coordinator.CoordinatorOptions;
import io.forebay.sidecar.coordinator.LeftBehind;
import io.forebay.sidecar.coordinator.Summary;
import io.forebay.sidecar.link.HttpCoordinatorServer;
import io.forebay.sidecar.local.ForegroundRun;
import io.forebay.sidecar.local.JobRun;
import io.forebay.sidecar.local.JobStores;
import io.forebay.sidecar.local.Resources;
import io.forebay.sidecar.local.RunOpening;
import io.forebay.sidecar.local.RunProgress;
import io.forebay.sidecar.local.RunRates;
import io.forebay.sidecar.local.RunRefused;
import io.forebay.sidecar.local.RunResult;
import io.forebay.sidecar.outcome.CoordinatorException;
import java.io.IOException;
import java.net.BindException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * {@code forebay coordinator}: the coordinator of a job, for workers elsewhere. Answers from the beginning on ("ask again" while it plans),
 * and until the last worker has heard that the job is over, or is silent for as long as a lease.
 */
public final class CoordinatorProcess implements ForegroundRun {
    private static final int PASSING = 75;
    private static final int REFUSED = 64;
    private static final Duration LOOK = Duration.ofMillis(100);
    private static final Duration LOOK_AT_AWAITED = Duration.ofMillis(500);

    /**
     * @param listen where workers reach it
     * @param onSigterm what SIGTERM means; SIGINT always cancels
     * @param portFile gets the port, a decimal number and a newline, as soon as it listens
     */
    public record Options(
            CoordinatorOptions coordinator,
            ListenAddress listen,
            Optional<Path> portFile,
            JobToken token,
            OnSigterm onSigterm) {}

    private final Resources resources;
    private final JobRun run;
    private final StatusPage page;
    private final Duration lease;
    private final OnSigterm onSigterm;
    private final Consumer<String> lines;
    private volatile boolean steppingDown;
    private final RunRates rates = new RunRates(System.nanoTime());

    private CoordinatorProcess(
            Resources resources, JobRun run, StatusPage page, Options options, Consumer<String> lines) {
        this.resources = resources;
        this.run = run;
        this.page = page;
        this.lease = options.coordinator().lease();
        this.onSigterm = options.onSigterm();
        this.lines = lines;
    }

    /**
     * Listens, then plans or takes over.
     *
     * @param lines told to the user
     * @throws RunRefused with the exit code that says why
     */
    public static CoordinatorProcess open(Job job, Options options, Consumer<String> lines)
            throws RunRefused, InterruptedException {
        return RunOpening.of(job, job.deadlines().run(), resources -> open(job, options, lines, resources));
    }

    private static CoordinatorProcess open(Job job, Options options, Consumer<String> lines, Resources resources)
            throws RunRefused, CoordinatorException, IOException, InterruptedException {
        var stores = resources.add(new JobStores(job.stores()));
        var run = JobRun.claim(job, stores.stores(), options.coordinator().telling(lines), resources);
        var page = new StatusPage(run.coordinator());
        var server = resources.add(serve(job, options, run, page));
        lines.accept("coordinator of " + job.name() + " listens on "
                + options.listen().url(server.port()));
        if (options.portFile().isPresent()) {
            write(options.portFile().get(), server.port());
        }
        run.start(lines);
        return new CoordinatorProcess(resources, run, page, options, lines);
    }

    private static HttpCoordinatorServer serve(Job job, Options options, JobRun run, StatusPage page)
            throws RunRefused, IOException {
        var coordinator = run.coordinator();
        var listen = options.listen();
        try {
            return new HttpCoordinatorServer(
                    listen.socketAddress(),
                    options.token().text(),
                    coordinator,
                    new HttpCoordinatorServer.Pages(
                            new JobInfo(job.name(), job.manifest()),
                            coordinator::ready,
                            page::now,
                            () -> MetricsText.of(coordinator.progress())));
        } catch (UnknownHostException e) {
            throw new RunRefused(
                    REFUSED,
                    "cannot listen on " + listen + ": no such host. Give an address of this machine by --listen");
        } catch (BindException e) {
            throw new RunRefused(
                    PASSING,
                    "cannot listen on " + listen + ": " + e.getMessage()
                            + ". Is another coordinator on that port? Give another one by --listen; with port 0 any free one is taken");
        }
    }

    /** Appears whole. */
    private static void write(Path file, int port) throws RunRefused {
        var whole = file.toAbsolutePath();
        var temporary = whole.resolveSibling(
                "." + whole.getFileName() + "." + ProcessHandle.current().pid());
        try {
            Files.writeString(temporary, port + "\n", StandardCharsets.US_ASCII);
            Files.move(temporary, whole, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new RunRefused(REFUSED, "cannot write the port file " + file + ": " + e);
        }
    }

    @Override
    public RunResult run() throws InterruptedException {
        var telling = Thread.ofVirtual().name("awaited").start(this::tellWhomItAwaits);
        Summary summary;
        try {
            summary = run.await(null, LeftBehind.NOTHING);
            if (run.coordinator().hasSteppedDown()) {
                return run.steppedDown("%d of %d items are done, workers go on and publish nothing meanwhile"
                        .formatted(summary.done(), summary.items()));
            }
            page.ended(run.end(summary, null));
            awaitWorkers();
        } finally {
            telling.interrupt();
        }
        if (steppingDown && run.coordinator().expectsWorkers()) {
            return run.steppedDown("the job has ended, and not all workers have heard of it");
        }
        return run.result(summary, traffic(run.coordinator().progress()), Optional.empty(), List.of(), null);
    }

    /** They ask until they are told that nothing is left, and then say that they leave; one that has died is silent. */
    private void awaitWorkers() throws InterruptedException {
        var most = lease.multipliedBy(3);
        long end = System.nanoTime() + most.toNanos();
        bound = Instant.now().plus(most);
        while (run.coordinator().expectsWorkers() && System.nanoTime() - end < 0 && !steppingDown) {
            Thread.sleep(LOOK);
        }
    }

    /** Until then at most workers are waited for that have to hear of the end. */
    private volatile Instant bound = Instant.MAX;

    private void tellWhomItAwaits() {
        var words = new AwaitedLines();
        try {
            while (true) {
                words.of(run.coordinator().awaited(), bound, Instant.now()).forEach(lines);
                Thread.sleep(LOOK_AT_AWAITED);
            }
        } catch (InterruptedException e) {
            // The end is there.
        }
    }

    private static WorkerCounters traffic(JobProgress p) {
        return new WorkerCounters(
                p.bytesStaged(), p.filesStaged(), p.bytesFlushed(), p.filesFlushed(), p.retries(), 0, 0, 0, null);
    }

    @Override
    public RunProgress progress() {
        var p = run.coordinator().progress();
        rates.sample(System.nanoTime(), p.bytesStaged(), p.bytesFlushed(), p.done() - p.skipped() + p.failed());
        page.rates(new JobProgress.Rates(rates.stageRate(), rates.flushRate(), rates.itemsPerMinute()));
        return new RunProgress(
                p.phase(),
                p.items(),
                p.done() - p.skipped(),
                p.skipped(),
                p.failed(),
                0,
                0,
                p.running(),
                0,
                p.bytesStaged(),
                rates.stageRate(),
                p.bytesFlushed(),
                rates.flushRate(),
                p.bufferUsed(),
                p.bufferSize(),
                0,
                p.retries(),
                rates.secondsLeft(p.items() - p.done() - p.failed()),
                p.lastMessage() == null ? "" : p.lastMessage());
    }

    @Override
    public Optional<RunResult> overdue() {
        return run.overdue(KEPT);
    }

    private static final String KEPT = "the workers' buffers";

    @Override
    public void cancel(boolean interrupt) {
        if (stepsDown(interrupt)) {
            steppingDown = true;
            run.stepDown();
        } else {
            run.cancel(interrupt);
        }
    }

    private boolean stepsDown(boolean interrupt) {
        return switch (onSigterm) {
            case CANCEL -> false;
            case STEP_DOWN -> !interrupt;
        };
    }

    @Override
    public String cancelling(boolean interrupt) {
        return stepsDown(interrupt)
                ? "stepping down; the job is not cancelled: started again, the coordinator goes on"
                : "cancelling; workers complete commits begun, outputs that are not exported by then are listed";
    }

    @Override
    public String abandon() {
        if (steppingDown) {
            return "what was decided is in the records; started again, the coordinator goes on";
        }
        return run.abandon(List::of, KEPT);
    }

    @Override
    public void close() {
        resources.close();
    }
}
