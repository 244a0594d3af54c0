package io.forebay.sidecar.coordinator;

import io.forebay.api.job.Job;
import io.forebay.message.JobProgress;
import io.forebay.message.Messages.Answer;
import io.forebay.message.Messages.CommitRequest;
import io.forebay.message.Messages.Drain;
import io.forebay.message.Messages.Ended;
import io.forebay.message.Messages.ItemEnded;
import io.forebay.message.Messages.LeaseRequest;
import io.forebay.message.Messages.Leases;
import io.forebay.message.Messages.Leave;
import io.forebay.message.Messages.Register;
import io.forebay.message.Messages.Registered;
import io.forebay.message.Messages.Release;
import io.forebay.message.Messages.Renew;
import io.forebay.message.Messages.Renewed;
import io.forebay.message.Messages.SharedInputs;
import io.forebay.message.Messages.Staging;
import io.forebay.message.Messages.Unexported;
import io.forebay.sidecar.link.CoordinatorLink;
import io.forebay.sidecar.outcome.CoordinatorException;
import io.forebay.sidecar.plan.Plan;
import io.forebay.sidecar.plan.PlanCheck;
import io.forebay.sidecar.records.RecordsFolder;
import io.forebay.sidecar.records.Succession;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.Stores;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The coordinator of one job, for as long as no successor has taken over.
 *
 * <pre>
 * try (var coordinator = Coordinator.open(job, stores, options)) {   // claims its place; refuses if another one lives
 *     coordinator.start();                                           // plans, or takes over what was planned and decided
 *     ... workers use it as their CoordinatorLink ...
 *     Summary summary = coordinator.await();
 * }
 * </pre>
 *
 * Thread-safe. Calls of workers before {@link #start} has ended are answered "ask again".
 */
public final class Coordinator implements CoordinatorLink, AutoCloseable {
    private final Job job;
    private final Stores stores;
    private final CoordinatorOptions options;
    private final RecordsFolder folder;
    private final Succession succession;
    /** What {@link #start} made. */
    private volatile @Nullable Running running;
    /** Asked for before there was anything to drain. */
    private volatile @Nullable DrainCause drainedEarly;

    private Coordinator(
            Job job, Stores stores, CoordinatorOptions options, RecordsFolder folder, Succession succession) {
        this.job = job;
        this.stores = stores;
        this.options = options;
        this.folder = folder;
        this.succession = succession;
    }

    /**
     * Claims the next generation in the job's records folder.
     *
     * @throws CoordinatorException JobRuns (64), or the records folder cannot be used
     */
    public static Coordinator open(Job job, Stores stores, CoordinatorOptions options)
            throws CoordinatorException, InterruptedException {
        var office = Office.claim(job, stores, options);
        return new Coordinator(job, stores, options, office.folder(), office.succession());
    }

    /**
     * Plans, or takes over; blocks until leases can be granted. May be interrupted.
     *
     * @throws CoordinatorException NoInputs, DataTooLarge, AccessDenied..., RecordsDamaged
     */
    public void start() throws CoordinatorException, InterruptedException {
        start(PlanCheck.NONE);
    }

    /** As {@link #start()}. @param check looks at a plan that is new */
    public void start(PlanCheck check) throws CoordinatorException, InterruptedException {
        running = new Starter(job, stores, options, folder, succession, check).start();
        var early = drainedEarly;
        if (early != null) {
            drain(early, job.deadlines().drain(), true);
        }
    }

    /** Where outputs lie that an earlier run listed as kept, as far as it can be told; at most so many. Before the end of this run. */
    public List<String> keptBefore(int most) throws InterruptedException {
        try {
            return UnexportedList.keptAt(folder, most);
        } catch (StoreException e) {
            return List.of();
        }
    }

    /** Raised with each coordinator of this job; workers obey the highest. */
    public int generation() {
        return succession.generation();
    }

    /** The plan. @throws IllegalStateException before {@link #start} has ended */
    public Plan plan() {
        return started().core.plan;
    }

    /** What the user should know before anything starts. @throws IllegalStateException before {@link #start} has ended */
    public List<String> notices() {
        return started().notices;
    }

    /** Blocks until the run is over, then ends the records of it. */
    public Summary await() throws InterruptedException {
        return await(LeftBehind.NOTHING);
    }

    /** As {@link #await()}. @param left for the list, if the records are lost */
    public Summary await(LeftBehind left) throws InterruptedException {
        return started().await(left);
    }

    /**
     * No further item is started.
     *
     * @param within most time for publishing what has been computed
     * @param killSteps commands that run are ended too
     */
    public void drain(DrainCause cause, Duration within, boolean killSteps) {
        var now = running;
        if (now == null) {
            drainedEarly = cause;
            return;
        }
        now.drain(cause, within, killSteps);
    }

    /**
     * Decides nothing more, so that the next coordinator goes on where this one was, and {@link #await} returns; the job is not cancelled, and
     * workers go on. Without effect once the run has ended.
     *
     * @throws IllegalStateException before {@link #start} has ended
     */
    public void stepDown() {
        started().stepDown();
    }

    /** Whether {@link #await} returned because of {@link #stepDown}: the run goes on under the next coordinator. */
    public boolean hasSteppedDown() {
        var now = running;
        return now != null && now.hasSteppedDown();
    }

    /** What workers are told to do; absent: the job does not drain. */
    public Optional<Drain> order() {
        var now = running;
        return now == null ? Optional.empty() : now.order();
    }

    /** Whether it decides nothing more: its records cannot be written, or another coordinator has taken over. */
    public boolean outOfOffice() {
        var now = running;
        return now != null && now.outOfOffice();
    }

    /**
     * Writes {@code UNEXPORTED.jsonl} as it is now, for a process that must go at once.
     *
     * @param more outputs that no worker has reported yet
     * @return how many it names; 0: there is no list
     */
    public long writeUnexported(List<Unexported> more) throws StoreException, InterruptedException {
        return started().writeUnexported(more);
    }

    /** Without rates and end, which it does not know. */
    public JobProgress progress() {
        var now = running;
        return now == null ? JobProgress.planning(generation(), folderOf(job)) : now.progress();
    }

    static String folderOf(Job job) {
        return job.records().resolve(job.name() + "/").toString();
    }

    /** Does what is due by the clock; called by the coordinator's own thread if {@code options.background()}. */
    public void tick() throws InterruptedException {
        started().tick();
    }

    private Running started() {
        var now = running;
        if (now == null) {
            throw new IllegalStateException("the coordinator has not been started");
        }
        return now;
    }

    private Running serving() throws LinkException {
        var now = running;
        if (now == null) {
            throw new LinkException("the coordinator is still planning", new IllegalStateException("planning"));
        }
        now.core.requireInOffice();
        return now;
    }

    private Leasing inOffice() throws LinkException, InterruptedException {
        var now = serving();
        now.core.requireFreshOffice();
        return now.leasing;
    }

    @Override
    public Registered register(Register hello) throws LinkException, InterruptedException {
        return inOffice().register(hello);
    }

    @Override
    public SharedInputs shared() throws LinkException {
        return new SharedInputs(serving().core.plan.shared());
    }

    @Override
    public Leases lease(LeaseRequest request) throws LinkException, InterruptedException {
        return inOffice().lease(request);
    }

    @Override
    public Renewed renew(Renew renew) throws LinkException, InterruptedException {
        return inOffice().renew(renew);
    }

    @Override
    public Answer staging(Staging staging) throws LinkException, InterruptedException {
        return serving().commits.staging(staging);
    }

    @Override
    public Answer commit(CommitRequest request) throws LinkException, InterruptedException {
        return serving().commits.commit(request);
    }

    @Override
    public Ended ended(ItemEnded ended) throws LinkException, InterruptedException {
        return serving().commits.ended(ended);
    }

    @Override
    public void release(Release release) throws LinkException, InterruptedException {
        inOffice().release(release);
    }

    @Override
    public void leave(Leave leave) throws LinkException, InterruptedException {
        inOffice().leave(leave);
    }

    /**
     * Whether a worker may still come that has to hear how the run ended: one that has not left, one that the last coordinator knew and
     * that had no time to register, or one that has been silent for less than two leases.
     */
    public boolean expectsWorkers() {
        return started().expectsWorkers();
    }

    /** For whom the end waits: while it drains, those that hold items; when the run is over, those of {@link #expectsWorkers}. */
    public List<AwaitedWorker> awaited() {
        var now = running;
        return now == null ? List.of() : now.awaited();
    }

    /** Whether workers are answered: it has planned, or taken over. */
    public boolean ready() {
        return running != null;
    }

    /** Stops without a word to the records: whoever comes next takes over. After {@link #await} there is nothing left to say. */
    @Override
    public void close() {
        var now = running;
        if (now != null) {
            now.close();
        }
        succession.close();
    }
}
