package io.forebay.sidecar.local;

import io.forebay.api.job.Job;
import io.forebay.sidecar.buffer.BufferOptions;
import io.forebay.sidecar.buffer.BufferRoots;
import io.forebay.sidecar.buffer.TieredBuffer;
import io.forebay.sidecar.coordinator.Coordinator;
import io.forebay.sidecar.coordinator.CoordinatorException;
import io.forebay.sidecar.coordinator.CoordinatorOptions;
import io.forebay.sidecar.coordinator.CoordinatorOptions.RunMode;
import io.forebay.sidecar.coordinator.DrainCause;
import io.forebay.sidecar.coordinator.ExitCode;
import io.forebay.sidecar.item.ItemState;
import io.forebay.sidecar.journal.JournalException;
import io.forebay.sidecar.journal.JournalFile;
import io.forebay.sidecar.journal.JournalRecord;
import io.forebay.sidecar.journal.OnDamage;
import io.forebay.sidecar.os.FileTree;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.worker.StepCalls;
import io.forebay.sidecar.worker.StepEnvironment;
import io.forebay.sidecar.worker.Worker;
import io.forebay.sidecar.worker.WorkerAssembly;
import io.forebay.sidecar.worker.WorkerIdentity;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * {@code forebay run}: coordinator, worker and step runners of one job in this process.
 *
 * <p>{@link #open} plans, and refuses what cannot work before a byte is written to the buffer; {@link #run} carries the job to its
 * end; {@link #close} removes the buffer, unless it holds outputs that could not be exported.
 */
public final class LocalRun implements AutoCloseable {
    private static final Duration ORDERS = Duration.ofMillis(100);
    /** The coordinator's own patience after a drain is shorter. */
    private static final Duration OVERDUE = Duration.ofSeconds(12);

    /** @param lines for people @param json for programs */
    public record Result(int exitCode, List<String> lines, String json) {}

    private final Job job;
    private final Resources resources;
    private final Coordinator coordinator;
    private final Worker worker;
    private final WorkerAssembly.Assembled assembled;
    private final List<String> notes;
    private volatile @Nullable ExitCode cancelled;
    private final long began = System.nanoTime();
    private final RunRates rates = new RunRates(began);

    private LocalRun(
            Job job,
            Resources resources,
            Coordinator coordinator,
            WorkerAssembly.Assembled assembled,
            List<String> notes) {
        this.job = job;
        this.resources = resources;
        this.coordinator = coordinator;
        this.assembled = assembled;
        this.worker = assembled.worker();
        this.notes = List.copyOf(notes);
    }

    /** What was opened, closed in reverse. */
    private static final class Resources implements AutoCloseable {
        private final List<AutoCloseable> open = new ArrayList<>();

        volatile @Nullable LocalFolders folders;
        /** Until a run has ended well, what lies in the buffer may be all that is left of an earlier one. */
        volatile boolean keep = true;
        /** Made by this run: nothing of an earlier one lies in it. */
        volatile boolean freshControl;

        <T extends AutoCloseable> T add(T resource) {
            open.add(resource);
            return resource;
        }

        @Override
        public void close() {
            RuntimeException first = null;
            for (var resource : open.reversed()) {
                try {
                    resource.close();
                } catch (Exception e) {
                    if (first == null) {
                        first = new IllegalStateException(
                                "closing " + resource.getClass().getSimpleName() + ": " + e.getMessage(), e);
                    } else {
                        first.addSuppressed(e);
                    }
                }
            }
            open.clear();
            if (first != null) {
                throw first;
            }
        }
    }

    /**
     * @param lines told to the user while the run goes on
     * @throws RunRefused it cannot run, with the exit code that says why
     */
    public static LocalRun open(Job job, LocalOptions options, Consumer<String> lines)
            throws RunRefused, InterruptedException {
        var resources = new Resources();
        var opening = new Opening<>(() -> openOrClose(job, options, lines, resources));
        try {
            return opening.await(job.deadlines().run());
        } catch (InterruptedException e) {
            forget(resources);
            throw e;
        } catch (TimeoutException e) {
            forget(resources);
            throw new RunRefused(
                    ExitCode.DEADLINE.number(),
                    "the deadline (spec.deadlines.run) passed while " + job.name()
                            + " was being planned; nothing was started. Is the store of its inputs or records slow or away? Run again.");
        } catch (ExecutionException e) {
            throw refusal(Objects.requireNonNullElse(e.getCause(), e));
        }
    }

    private static LocalRun openOrClose(Job job, LocalOptions options, Consumer<String> lines, Resources resources)
            throws Exception {
        try {
            return open(job, options, lines, resources);
        } catch (Exception e) {
            try {
                resources.close();
                forget(resources);
            } catch (RuntimeException suppressed) {
                e.addSuppressed(suppressed);
            }
            throw e;
        }
    }

    private static RunRefused refusal(@Nullable Throwable why) {
        return switch (why) {
            case RunRefused e -> e;
            case CoordinatorException e -> new RunRefused(e.code().number(), String.valueOf(e.getMessage()));
            case JournalException e -> new RunRefused(75, String.valueOf(e.getMessage()));
            case IOException e -> new RunRefused(75, "cannot set up the buffer: " + e.getMessage());
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            case null, default -> throw new IllegalStateException(why);
        };
    }

    /** Nothing was started: what this run made in the buffer goes. */
    private static void forget(Resources resources) {
        var folders = resources.folders;
        if (resources.freshControl && folders != null) {
            try {
                FileTree.delete(folders.control().toString());
            } catch (IOException e) {
                // Left for the next run's sweep; there is nothing of anybody's in it.
            }
        }
    }

    private static LocalRun open(Job job, LocalOptions options, Consumer<String> lines, Resources resources)
            throws RunRefused, CoordinatorException, IOException, InterruptedException {
        var notes = new ArrayList<String>();
        var environment = System.getenv();
        var images = LocalImages.choose(job, options.images(), environment);
        images.note().ifPresent(notes::add);

        var jobStores = resources.add(new JobStores(job.stores()));
        var stores = jobStores.stores();

        var folders = LocalFolders.of(job, options.disk(), environment);
        notes.addAll(folders.notes());
        resources.folders = folders;
        resources.freshControl = !Files.exists(folders.control());
        BufferRoots.make(folders.control().toString());
        var scratch = Files.createDirectories(folders.control().resolve("plan"));
        var mode = options.resume() ? RunMode.RESUME : options.fresh() ? RunMode.FRESH : RunMode.RUN;
        var coordinator = resources.add(Coordinator.open(job, stores, CoordinatorOptions.local(mode, scratch)));
        coordinator.start();
        coordinator.notices().forEach(lines);

        var growth = job.buffer().itemWork().isPresent()
                        || job.buffer().itemOutputs().isPresent()
                ? BufferOptions.DEFAULT.withDeclaredGrowth(
                        job.buffer().itemWork().map(b -> b.value()).orElse(0L)
                                + job.buffer().itemOutputs().map(b -> b.value()).orElse(0L))
                : BufferOptions.DEFAULT;
        var buffer = TieredBuffer.open(folders.tiers(), growth);
        resources.add(() -> buffer.close(resources.keep));
        notes.addAll(buffer.remarks());
        var journalled = new ArrayList<JournalRecord>();
        var recovered = JournalFile.open(folders.control().resolve("journal"), OnDamage.SALVAGE, journalled::add);
        resources.add(recovered.journal());
        if (recovered.damaged()) {
            notes.add("the journal of an earlier run was damaged (" + recovered.lostBytes()
                    + " bytes); what it told is verified by checksum");
        }

        var logs = folders.control().resolve("logs");
        Files.createDirectories(logs);
        var calls = new StepCalls();
        var fences = folders.fences(environment);
        var steps = resources.add(LocalSteps.open(
                job,
                folders.control(),
                options.runner(),
                fences,
                calls,
                (id, text) -> lines.accept(new String(text, StandardCharsets.UTF_8).stripTrailing()),
                lines));
        var me = new WorkerIdentity(
                "local",
                UUID.randomUUID().toString(),
                CoordinatorOptions.local(mode, scratch).me().host());
        var assembled = new WorkerAssembly(
                        me,
                        job,
                        stores,
                        jobStores.engine(),
                        jobStores.counters(),
                        buffer,
                        recovered.journal(),
                        coordinator,
                        steps.host(),
                        calls,
                        new StepEnvironment(
                                ShellEnvironment.of(environment), !fences.isEmpty(), logs.toString(), images.runner()),
                        folders.jobToken())
                .assemble(journalled);
        return new LocalRun(job, resources, coordinator, assembled, notes);
    }

    /** Blocks until the job has ended: every item is done, or failed, or listed. */
    public Result run() throws InterruptedException {
        var orders = Thread.ofVirtual().name("orders").start(this::passOrdersOn);
        Worker.WorkerEnd end;
        try {
            end = worker.run(assembled.recovered());
        } finally {
            orders.interrupt();
        }
        var broken = end.brokenBecause();
        if (broken != null) {
            coordinator.drain(DrainCause.FATAL, Duration.ZERO, true);
        }
        var summary = coordinator.await();
        var traffic = worker.snapshot();
        var seconds = (System.nanoTime() - began) / 1e9;
        var keptAt = !end.clean() || summary.unexported() > 0 ? Optional.of(where()) : Optional.<String>empty();
        resources.keep = keptAt.isPresent();
        var lines = new ArrayList<>(notes.stream().map(n -> "note: " + n).toList());
        lines.addAll(SummaryText.lines(job, summary, traffic, seconds, keptAt, Set.copyOf(coordinator.notices())));
        if (broken != null) {
            lines.add("a fault of Forebay's own (exit 70): " + broken);
        }
        int code = broken == null ? summary.code().number() : ExitCode.FAULT.number();
        return new Result(code, lines, SummaryText.json(job, summary, traffic, seconds, keptAt));
    }

    private String where() {
        var folders = resources.folders;
        return folders == null
                ? "the buffer"
                : folders.tiers().stream()
                        .map(t -> t.root())
                        .reduce((a, b) -> a + ", " + b)
                        .orElse("");
    }

    /** A deadline may be shorter than the time between two renewals of leases. */
    private void passOrdersOn() {
        try {
            while (true) {
                coordinator.order().ifPresent(worker::drain);
                Thread.sleep(ORDERS);
            }
        } catch (InterruptedException e) {
            // The worker has ended.
        }
    }

    /**
     * The drain's time has been over for long and the run has not ended: the records folder hangs, or a command cannot be killed.
     *
     * @return how the run is to be ended by force; empty: there is time
     */
    public Optional<Result> overdue() {
        var order = coordinator.order();
        if (order.isEmpty() || System.currentTimeMillis() < order.get().untilMillis() + OVERDUE.toMillis()) {
            return Optional.empty();
        }
        var word = cancelled;
        var code = word == null ? ExitCode.DEADLINE : word;
        var message =
                "%s did not end in time (exit %d): its records in %s or a destination do not answer. The list of what is not exported could not be"
                                .formatted(job.name(), code.number(), job.records())
                        + " completed; all data are kept in " + where()
                        + ". When the store answers again, finish with: forebay resume";
        return Optional.of(
                new Result(code.number(), List.of(message), SummaryText.json(job.name(), code.number(), message)));
    }

    /** SIGINT or SIGTERM: no new transfer, commits begun are completed, the rest is listed; within 30 s (E2). */
    public void cancel(boolean interrupt) {
        var most = job.deadlines().drain().compareTo(Duration.ofSeconds(20)) < 0
                ? job.deadlines().drain()
                : Duration.ofSeconds(20);
        cancelled = interrupt ? ExitCode.CANCELLED_BY_INTERRUPT : ExitCode.CANCELLED_BY_TERM;
        coordinator.drain(interrupt ? DrainCause.INTERRUPTED : DrainCause.TERMINATED, most, true);
    }

    /** Where data lie that are not exported, for people. */
    public String kept() {
        return where();
    }

    /** The list now, whatever is under way. @return whether it could be written */
    public boolean abandon() {
        try {
            coordinator.writeUnexported(worker.atRisk("ended by a second signal before the output was exported"));
            return true;
        } catch (StoreException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Called by one thread. */
    public RunProgress progress() {
        var p = coordinator.progress();
        var states = worker.states();
        var local = worker.snapshot();
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
                local.retries(),
                rates.secondsLeft(left),
                local.lastMessage() == null ? "" : local.lastMessage());
    }

    private static long count(java.util.Map<ItemState, Integer> states, ItemState state) {
        return states.getOrDefault(state, 0);
    }

    @Override
    public void close() throws IOException {
        var folders = resources.folders;
        resources.close();
        if (!resources.keep && folders != null) {
            FileTree.delete(folders.control().toString());
        }
    }
}
