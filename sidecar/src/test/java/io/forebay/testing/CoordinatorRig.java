package io.forebay.testing;

import io.forebay.api.job.Job;
import io.forebay.api.job.Job.Buffer;
import io.forebay.api.job.Job.Deadlines;
import io.forebay.api.job.Job.ForEach;
import io.forebay.api.job.Job.Input;
import io.forebay.api.job.Job.Locality;
import io.forebay.api.job.Job.Medium;
import io.forebay.api.job.Job.OnItemFailure;
import io.forebay.api.job.Job.Output;
import io.forebay.api.job.Job.Publish;
import io.forebay.api.job.Job.Retry;
import io.forebay.api.job.Job.Step;
import io.forebay.api.job.Job.SymlinkPolicy;
import io.forebay.api.job.Job.Tier;
import io.forebay.api.job.Job.Verify;
import io.forebay.api.job.Job.When;
import io.forebay.api.job.Job.Workers;
import io.forebay.api.job.Template;
import io.forebay.api.value.Bytes;
import io.forebay.api.value.Glob;
import io.forebay.api.value.StoreUri;
import io.forebay.message.Messages.WorkerCounters;
import io.forebay.sidecar.coordinator.Coordinator;
import io.forebay.sidecar.coordinator.CoordinatorOptions;
import io.forebay.sidecar.coordinator.CoordinatorOptions.RunMode;
import io.forebay.sidecar.outcome.CoordinatorException;
import io.forebay.sidecar.records.ProcessIdentity;
import io.forebay.sidecar.store.Store;
import io.forebay.sidecar.store.Stores;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A coordinator on stores in memory, with a clock that the test moves, and workers made of plain calls. */
public final class CoordinatorRig {
    public static final Duration LEASE = Duration.ofSeconds(30);
    public static final WorkerCounters NO_COUNTERS = new WorkerCounters(0, 0, 0, 0, 0, 0, 0, 0, null);

    public final RecordsMemoryStore bucket;
    private final Path scratch;
    /** Nanoseconds since the test's beginning. */
    public long nanos = 1_000_000_000_000L;

    private long nextPid = 100;

    public CoordinatorRig(RecordsMemoryStore bucket, Path scratch) {
        this.bucket = bucket;
        this.scratch = scratch;
    }

    public void pass(Duration time) {
        nanos += time.toNanos();
    }

    public Stores stores() {
        return new Stores(List.of(), (root, access) -> bucket);
    }

    public static Stores storesOf(Store store) {
        return new Stores(List.of(), (root, access) -> store);
    }

    /** A process on a machine of its own, so that nobody can see whether it lives. */
    public ProcessIdentity elsewhere() {
        nextPid++;
        return new ProcessIdentity("host" + nextPid, nextPid, 1, "boot" + nextPid, "pid:[" + nextPid + "]");
    }

    public CoordinatorOptions options(RunMode mode) {
        return options(mode, false, elsewhere());
    }

    public CoordinatorOptions options(RunMode mode, boolean single, ProcessIdentity me) {
        return new CoordinatorOptions(
                mode,
                "",
                scratch,
                false,
                single,
                LEASE,
                Duration.ofSeconds(60),
                me,
                () -> Instant.ofEpochMilli(1_700_000_000_000L + nanos / 1_000_000),
                () -> nanos,
                this::pass,
                false,
                text -> {});
    }

    /** Opened and started. */
    public Coordinator start(Job job, CoordinatorOptions options) throws CoordinatorException, InterruptedException {
        var coordinator = Coordinator.open(job, stores(), options);
        coordinator.start();
        return coordinator;
    }

    public Coordinator start(Job job, RunMode mode) throws CoordinatorException, InterruptedException {
        return start(job, options(mode));
    }

    /** A worker named so. */
    public FakeWorker worker(String name) {
        return new FakeWorker(this, name);
    }

    /** A job that can be varied. */
    public static final class JobMaker {
        public String name = "increment";
        public List<Glob> include = List.of();
        public List<Glob> exclude = List.of();
        public Optional<Glob> groupBy = Optional.empty();
        public boolean forEach = true;
        public List<Input> moreInputs = new ArrayList<>();
        public List<Template> command = List.of(new Template("increment"), new Template("$(INPUT)"));
        public String to = "s3://bucket/out/$(DIR)/";
        public String path = "$(NAME)";
        public Publish publish = Publish.ON_ITEM;
        public List<Tier> tiers = List.of(new Tier(Medium.MEMORY, Bytes.ofGiB(1), null));
        public int retryItem = 2;
        public int retryWorker = 3;
        public int minWorkers = 1;
        public OnItemFailure onItemFailure = OnItemFailure.CONTINUE;
        public StoreUri records = StoreUri.parse("s3://bucket/records/");
        public Optional<Duration> runDeadline = Optional.empty();

        public Job job() {
            var inputs = new ArrayList<Input>();
            inputs.add(new Input("chunks", StoreUri.parse("s3://bucket/in/"), include, exclude, SymlinkPolicy.FOLLOW));
            inputs.addAll(moreInputs);
            return new Job(
                    name,
                    "default",
                    List.of(),
                    inputs,
                    forEach ? Optional.of(new ForEach("chunks", groupBy)) : Optional.empty(),
                    List.of(new Step(
                            "increment",
                            null,
                            command,
                            Map.of(),
                            Optional.empty(),
                            Optional.empty(),
                            Optional.empty())),
                    List.of(new Output(
                            "result", new Template(path), new Template(to), publish, When.SUCCESS, true, Verify.STORE)),
                    new Buffer(tiers, Optional.empty(), Optional.empty()),
                    new Workers(15, minWorkers, 2),
                    new Locality(Locality.Mode.NONE, Duration.ZERO),
                    new Retry(retryItem, retryWorker),
                    onItemFailure,
                    new Deadlines(runDeadline, Duration.ofMinutes(30)),
                    records,
                    "{\"to\":\"" + to + "\"}");
        }
    }

    public void inputs(int count) {
        for (int i = 0; i < count; i++) {
            bucket.set("in/%03d.nii".formatted(i), "input " + i);
        }
    }
}
