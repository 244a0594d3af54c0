package io.forebay.sidecar.coordinator;

import io.forebay.sidecar.records.ProcessIdentity;
import io.forebay.sidecar.records.StoreRetry;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * What a coordinator needs to know beside the job.
 *
 * @param mode what becomes of earlier runs
 * @param runId any text that names this run to who started it: CONTINUE with another one than recorded begins a new run
 * @param scratch a local folder, writable, for the plan's index and spools
 * @param localWorker the only worker is in this process: once the predecessor's process is known to be dead no other worker can
 *     be alive, and nothing is waited for but this worker's registration
 * @param singleGuaranteed the platform guarantees that no other coordinator of this job runs
 * @param lease how long a silent worker keeps its items
 * @param patience how long stores that fail in passing are tried again
 * @param nanoTime monotonic, nanoseconds
 * @param background whether housekeeping runs on threads of the coordinator's; false: the caller calls {@link
 *     Coordinator#tick()}, and stores are tidied within that call, records within the call that writes them
 * @param tell what the user should know at once
 */
public record CoordinatorOptions(
        RunMode mode,
        String runId,
        Path scratch,
        boolean localWorker,
        boolean singleGuaranteed,
        Duration lease,
        Duration patience,
        ProcessIdentity me,
        InstantSource clock,
        LongSupplier nanoTime,
        StoreRetry.Sleeper sleeper,
        boolean background,
        Consumer<String> tell) {

    /** What becomes of earlier runs of the job. */
    public enum RunMode {
        /** List the inputs anew; items whose identity has a completion record are done already. */
        RUN,
        /** Go on with the last plan; failed items are tried again. */
        RESUME,
        /** Take over the run as it is: a run that has ended is only told again. */
        CONTINUE,
        /** As RUN, but no record counts. */
        FRESH
    }

    /** DESIGN 4, Leases. */
    public static final Duration LEASE = Duration.ofSeconds(30);

    /** Listing or records unavailable for longer than this end the run with 75. */
    public static final Duration PATIENCE = Duration.ofSeconds(60);

    /** The same with leases of another length. */
    public CoordinatorOptions withLease(Duration length) {
        return new CoordinatorOptions(
                mode,
                runId,
                scratch,
                localWorker,
                singleGuaranteed,
                length,
                patience,
                me,
                clock,
                nanoTime,
                sleeper,
                background,
                tell);
    }

    /** The same, with somebody who reads. @param listener gets lines for the user while the job runs */
    public CoordinatorOptions telling(Consumer<String> listener) {
        return new CoordinatorOptions(
                mode,
                runId,
                scratch,
                localWorker,
                singleGuaranteed,
                lease,
                patience,
                me,
                clock,
                nanoTime,
                sleeper,
                background,
                listener);
    }

    /** {@code forebay run}: one process, real time. */
    public static CoordinatorOptions local(RunMode mode, Path scratch) {
        return new CoordinatorOptions(
                mode,
                "",
                scratch,
                true,
                false,
                LEASE,
                PATIENCE,
                ProcessIdentity.ofThisProcess(),
                InstantSource.system(),
                System::nanoTime,
                Thread::sleep,
                true,
                text -> {});
    }

    /** {@code forebay coordinator}: workers elsewhere, real time. */
    public static CoordinatorOptions remote(RunMode mode, String runId, Path scratch, boolean singleGuaranteed) {
        return new CoordinatorOptions(
                mode,
                runId,
                scratch,
                false,
                singleGuaranteed,
                LEASE,
                PATIENCE,
                ProcessIdentity.ofThisProcess(),
                InstantSource.system(),
                System::nanoTime,
                Thread::sleep,
                true,
                text -> {});
    }
}
