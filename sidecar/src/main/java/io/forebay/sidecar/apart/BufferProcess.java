package io.forebay.sidecar.apart;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.forebay.api.job.Job;
import io.forebay.api.value.Bytes;
import io.forebay.message.MessageJson;
import io.forebay.message.Messages.WorkerCounters;
import io.forebay.sidecar.item.ItemState;
import io.forebay.sidecar.link.HttpCoordinatorLink;
import io.forebay.sidecar.local.BufferPlace;
import io.forebay.sidecar.local.DeadWorkers;
import io.forebay.sidecar.local.ForegroundRun;
import io.forebay.sidecar.local.JobStores;
import io.forebay.sidecar.local.LocalImages;
import io.forebay.sidecar.local.LocalOptions.Images;
import io.forebay.sidecar.local.Resources;
import io.forebay.sidecar.local.RunOpening;
import io.forebay.sidecar.local.RunProgress;
import io.forebay.sidecar.local.RunRefused;
import io.forebay.sidecar.local.RunResult;
import io.forebay.sidecar.local.StepsBy;
import io.forebay.sidecar.local.WorkerSide;
import io.forebay.sidecar.step.CommitGate;
import io.forebay.sidecar.step.SocketPath;
import io.forebay.sidecar.worker.Worker.WorkerEnd;
import io.forebay.sidecar.worker.WorkerIdentity;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * {@code forebay buffer}: one worker of a job whose coordinator is elsewhere. Stays until the coordinator has nothing more for it and
 * everything that it held has ended. A coordinator that is away is waited for, while commands run as long as they like, else for a
 * bounded time.
 */
public final class BufferProcess implements ForegroundRun {
    private static final int DURABLE = 0;
    private static final int OWN_FAULT = 70;
    private static final int PASSING = 75;
    private static final int INTERRUPTED = 130;
    private static final int TERMINATED = 143;
    private static final Duration LOOK = Duration.ofMillis(500);
    /** After that the user hears that the coordinator is away. */
    private static final Duration NOTICEABLE = Duration.ofSeconds(5);
    /** After the time for publishing: reports, and the end of what was stopped. */
    private static final Duration OVERDUE = Duration.ofSeconds(15);

    /** Most time for {@code forebay-step commit} to fetch the exit code. */
    private static final Duration LAST_ANSWER = Duration.ofSeconds(10);

    /**
     * Where step runners that others start connect to.
     *
     * @param token what they must show
     * @param group that this process and all of them are in, if they run as other users; absent: they run as the same one
     */
    public record StepSocket(SocketPath path, JobToken token, OptionalInt group) {}

    /**
     * @param steps absent: this process starts the runners itself
     * @param runner forebay-step, for that
     * @param coordinator for example {@code http://127.0.0.1:8080}
     * @param patience most time without a coordinator's answer
     * @param grace most time for publishing after a signal
     */
    public record Options(
            WorkerIdentity me,
            BufferPlace.Wish buffer,
            Optional<StepSocket> steps,
            Optional<Path> runner,
            Images images,
            Map<String, String> environment,
            URI coordinator,
            JobToken token,
            Duration patience,
            Duration grace) {
        public Options {
            environment = Map.copyOf(environment);
        }

        private StepsBy stepsBy(CommitGate gate) {
            return steps.<StepsBy>map(s -> new StepsBy.Peers(s.path(), s.token().text(), s.group(), gate))
                    .orElseGet(() -> new StepsBy.Children(runner));
        }
    }

    private final Job job;
    private final Options options;
    private final Resources resources;
    private final WorkerSide side;
    private final Contact contact;
    private final CommitGate gate;
    private final Consumer<String> lines;
    private final long began = System.nanoTime();
    /** The exit code that the first signal asks for; 0: none. */
    private volatile int signalled;

    private volatile long signalledAtNanos;
    /** Why the coordinator is given up; absent: it is not. */
    private volatile @Nullable String alone;

    private BufferProcess(
            Job job,
            Options options,
            Resources resources,
            WorkerSide side,
            Contact contact,
            CommitGate gate,
            Consumer<String> lines) {
        this.job = job;
        this.options = options;
        this.resources = resources;
        this.side = side;
        this.contact = contact;
        this.gate = gate;
        this.lines = lines;
    }

    /**
     * Greets the coordinator, then opens the buffer and takes up what an earlier life left in it.
     *
     * @param lines told to the user
     * @throws RunRefused with the exit code that says why
     */
    public static BufferProcess open(Job job, Options options, Consumer<String> lines)
            throws RunRefused, InterruptedException {
        return RunOpening.of(job, Optional.empty(), resources -> {
            var contact = new Contact();
            var link = new HttpCoordinatorLink(
                    options.coordinator(), options.token().text(), contact);
            new Greeting(job, options.coordinator(), link).exchange(options.patience(), lines);
            var stores = resources.add(new JobStores(job.stores()));
            stores.telling(lines);
            DeadWorkers.sweep(job, options.buffer(), options.environment(), stores.stores(), lines);
            var place = BufferPlace.of(job, options.buffer(), options.environment());
            var podEnds = new CompletableFuture<Void>();
            var gate = new CommitGate(() -> podEnds.complete(null));
            var setup = new WorkerSide.Setup(
                    options.me(),
                    options.stepsBy(gate),
                    LocalImages.choose(job, options.images(), options.environment()),
                    options.environment());
            var side = WorkerSide.open(job, setup, place, stores, link, lines, resources);
            side.notes().forEach(n -> lines.accept("note: " + n));
            lines.accept(
                    "worker " + options.me().worker() + " of " + job.name() + " works for " + options.coordinator());
            var process = new BufferProcess(job, options, resources, side, contact, gate, lines);
            podEnds.thenRun(() -> process.cancel(false));
            return process;
        });
    }

    @Override
    public RunResult run() throws InterruptedException {
        var result = work();
        if (result.exitCode() == DURABLE) {
            EndedFile.of(options.environment()).ifPresent(this::tellSuccess);
        }
        gate.answer(result.exitCode());
        if (options.steps().isPresent()) {
            awaitDelivery();
        }
        return result;
    }

    private void tellSuccess(EndedFile file) {
        try {
            file.success();
        } catch (IOException e) {
            // Who asks on the socket is told nevertheless; for the others this end counts as a failure.
            lines.accept("note: cannot write to " + file + " that all is durable: " + e);
        }
    }

    private void awaitDelivery() throws InterruptedException {
        try {
            gate.delivered().get(LAST_ANSWER.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            // Nobody asks; the exit code of this process says the same.
            return;
        }
    }

    private RunResult work() throws InterruptedException {
        var worker = Thread.currentThread();
        var watch = Thread.ofVirtual().name("contact").start(() -> watch(worker));
        try {
            var end = side.run();
            side.keep(!end.clean());
            return result(end, null);
        } catch (InterruptedException e) {
            var why = alone;
            if (why == null) {
                throw e;
            }
            return result(new WorkerEnd(false, null), why);
        } finally {
            watch.interrupt();
        }
    }

    /** Gives up a coordinator that is away for too long, unless a command runs: its work would be lost. */
    private void watch(Thread worker) {
        try {
            boolean told = false;
            while (true) {
                Thread.sleep(LOOK);
                boolean away = contact.silence().compareTo(NOTICEABLE) > 0
                        && !contact.problem().isEmpty();
                if (away != told) {
                    told = away;
                    lines.accept(
                            away
                                    ? "going on without the coordinator, publishing nothing: " + contact.problem()
                                    : "the coordinator answers again");
                }
                boolean computing = side.worker().states().containsKey(ItemState.RUNNING);
                if (contact.silence().compareTo(options.patience()) > 0 && !computing) {
                    alone = "the coordinator has not answered for "
                            + contact.silence().toSeconds() + " s: " + contact.problem();
                    worker.interrupt();
                    return;
                }
            }
        } catch (InterruptedException e) {
            // The worker has ended.
        }
    }

    private RunResult result(WorkerEnd end, @Nullable String away) {
        var traffic = side.worker().snapshot();
        var me = options.me().worker();
        var lines = new ArrayList<String>();
        int code = DURABLE;
        var cause = "";
        if (end.brokenBecause() != null) {
            code = OWN_FAULT;
            cause = end.brokenBecause();
            lines.add("a fault of Forebay's own (exit 70): " + cause);
        } else if (away != null) {
            code = PASSING;
            cause = away;
            lines.add("worker " + me + " ends without its coordinator (exit 75): " + away
                    + ". Nothing is lost: start it again when the coordinator is there");
        } else if (signalled != 0) {
            code = signalled;
            cause = "told to end";
        }
        side.findings().forEach(n -> lines.add("note: " + n));
        if (!end.clean()) {
            lines.add("what is not exported is kept in " + side.where() + "; the same command takes it up again");
        }
        lines.add("worker %s of %s: %s in %.1f s; in %s, out %s%s"
                .formatted(
                        me,
                        job.name(),
                        code == DURABLE ? "nothing is left for it" : "ended (exit " + code + ")",
                        (System.nanoTime() - began) / 1e9,
                        Bytes.of(traffic.bytesStaged()).human(),
                        Bytes.of(traffic.bytesFlushed()).human(),
                        traffic.retries() > 0 ? ", " + traffic.retries() + " retries" : ""));
        return new RunResult(code, lines, json(code, cause, end.clean(), traffic), Optional.empty());
    }

    private String json(int code, String cause, boolean clean, WorkerCounters traffic) {
        var out = new LinkedHashMap<String, Object>();
        out.put("job", job.name());
        out.put("worker", options.me().worker());
        out.put("exitCode", code);
        out.put("cause", cause);
        out.put("keptAt", clean ? null : side.where());
        out.put("bytesStaged", traffic.bytesStaged());
        out.put("bytesFlushed", traffic.bytesFlushed());
        out.put("retries", traffic.retries());
        try {
            return MessageJson.MAPPER.writeValueAsString(out);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a map of texts and numbers is always JSON", e);
        }
    }

    /** What one worker does; the whole job is the coordinator's to show. */
    @Override
    public RunProgress progress() {
        var states = side.worker().states();
        var local = side.worker().snapshot();
        return new RunProgress(
                signalled == 0 ? "Running" : "Draining",
                0,
                0,
                0,
                0,
                states.getOrDefault(ItemState.LEASED, 0) + states.getOrDefault(ItemState.FETCHING, 0),
                states.getOrDefault(ItemState.READY, 0),
                states.getOrDefault(ItemState.RUNNING, 0),
                states.getOrDefault(ItemState.FLUSHING, 0) + states.getOrDefault(ItemState.COMMITTING, 0),
                local.bytesStaged(),
                0,
                local.bytesFlushed(),
                0,
                local.bufferUsed(),
                local.bufferSize(),
                side.worker().strandedBytes(),
                local.retries(),
                -1,
                local.lastMessage() == null ? "" : local.lastMessage());
    }

    @Override
    public Optional<RunResult> overdue() {
        if (signalled == 0
                || System.nanoTime() - signalledAtNanos
                        < options.grace().plus(OVERDUE).toNanos()) {
            return Optional.empty();
        }
        return Optional.of(result(new WorkerEnd(false, null), null));
    }

    @Override
    public void cancel(boolean interrupt) {
        signalledAtNanos = System.nanoTime();
        signalled = interrupt ? INTERRUPTED : TERMINATED;
        side.worker().leave(options.grace());
    }

    @Override
    public String cancelling(boolean interrupt) {
        return "draining; what is computed is written back, the rest is given back to the coordinator";
    }

    @Override
    public String abandon() {
        return "the coordinator gives what this worker held to others; what is in its buffer is kept in "
                + side.where();
    }

    @Override
    public void close() throws IOException {
        resources.close();
    }
}
