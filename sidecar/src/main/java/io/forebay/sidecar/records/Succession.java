package io.forebay.sidecar.records;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.forebay.message.MessageJson;
import io.forebay.sidecar.store.StoreException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One coordinator's place in the row of coordinators of a job: it claims the next generation, then reads and seals what its
 * predecessors decided, then opens its own log.
 *
 * <pre>
 * 1 is the last one alive? then refuse   2 claim generation n, exclusively   3 read all logs   4 write seal n
 * 5 append to log n; act on an entry when it is durable and a look after that found no claim n+1
 * </pre>
 *
 * See docs/decisions/0007-coordinator-and-records.md for why a coordinator that was frozen anywhere can change nothing later.
 */
public final class Succession implements AutoCloseable {
    /**
     * @param lease how long a coordinator that cannot be asked is watched before it is taken for dead; also how long its workers
     *     keep what they hold
     * @param singleGuaranteed the platform guarantees that no other coordinator of this job runs
     */
    public record Options(
            Duration lease,
            Duration linger,
            boolean singleGuaranteed,
            InstantSource clock,
            StoreRetry.Sleeper sleeper,
            Patience patience) {}

    /**
     * @param beats counts up
     * @param ended the coordinator has ended in order
     * @param bytes of its log that were durable
     * @param batches in these
     */
    private record Heartbeat(long beats, boolean ended, long bytes, long batches) {
        static final Heartbeat NONE = new Heartbeat(0, false, 0, 0);
    }

    private final RecordsFolder folder;
    private final Options options;
    private final Claim claim;
    private final History history;
    private final boolean predecessorDead;
    private final List<String> notices;
    /** Written by the one thread that beats. */
    private long beats;

    private @Nullable RecordLog log;

    private Succession(
            RecordsFolder folder,
            Options options,
            Claim claim,
            History history,
            boolean predecessorDead,
            List<String> notices) {
        this.folder = folder;
        this.options = options;
        this.claim = claim;
        this.history = history;
        this.predecessorDead = predecessorDead;
        this.notices = new ArrayList<>(notices);
    }

    /**
     * Steps 1 and 2.
     *
     * @throws JobRunsException a coordinator of this job is alive
     * @throws StoreException the records folder cannot be used: unreachable, not writable, or without exclusive creation
     */
    public static Succession claim(RecordsFolder folder, String job, ProcessIdentity me, Options options)
            throws StoreException, JobRunsException, RecordsDamagedException, InterruptedException {
        folder.create();
        var notices = new ArrayList<String>();
        boolean exclusive = ExclusiveCreation.works(folder);
        if (!exclusive) {
            if (!options.singleGuaranteed()) {
                throw new StoreException(
                        StoreException.Kind.PERMANENT,
                        "the store of the records folder " + folder.uri()
                                + " overwrites an object that it was told to create"
                                + " (If-None-Match is ignored): two coordinators could both believe they are alone. Set spec.records"
                                + " to a folder on a file system, or run under a platform that guarantees one coordinator");
            }
            notices.add("the store of " + folder.uri()
                    + " cannot create exclusively; the platform's guarantee of a single" + " coordinator is relied on");
        }
        int last = History.highestGeneration(folder);
        refuseGap(folder, last);
        boolean dead = true;
        if (last > 0) {
            dead = refuseIfAlive(
                    folder, History.read(folder, Claim.name("generation", last), Claim.class), me, options);
        }
        var claim = new Claim(
                job,
                last + 1,
                me.host(),
                me.pid(),
                me.processStart(),
                me.bootId(),
                me.pidNamespace(),
                options.clock().millis(),
                folder.path().isPresent() ? "file" : "objects");
        var name = Claim.name("generation", claim.generation());
        if (exclusive) {
            if (!createClaim(folder, name, json(claim))) {
                throw runs(History.read(folder, name, Claim.class));
            }
        } else {
            folder.put(name, json(claim));
        }
        if (dead) {
            folder.removeLeftovers();
        }
        folder.put("job.json", json(claim));
        return new Succession(folder, options, claim, History.before(folder, claim.generation()), dead, notices);
    }

    /** Claims have no gaps. What lies behind one that is missing would be taken for this coordinator's own. */
    private static void refuseGap(RecordsFolder folder, int last)
            throws StoreException, RecordsDamagedException, InterruptedException {
        var missing = Claim.name("generation", last + 1);
        for (var left : List.of(Claim.name("alive", last + 1), Claim.name("log", last + 1) + ".jsonl")) {
            // Somebody may have claimed it since.
            if (folder.exists(left) && !folder.exists(missing)) {
                throw new RecordsDamagedException(
                        "the records are damaged: " + folder.uri().resolve(missing)
                                + " is missing, although " + left
                                + " is there. Restore it from a copy; without one move " + folder.uri()
                                + " aside and run the job again: all its items are run again then, and their outputs written anew");
            }
        }
    }

    public int generation() {
        return claim.generation();
    }

    /** Whether the last coordinator, and with it every worker in its process, is known to have ended. */
    public boolean predecessorDead() {
        return predecessorDead;
    }

    /** What the user should know about the records folder; more after {@link #sealHistory}. */
    public List<String> notices() {
        return List.copyOf(notices);
    }

    public History history() {
        return history;
    }

    /**
     * Steps 3 and 4; then the log is open.
     *
     * @param sink gets the entries that the filter wants
     */
    public void sealHistory(History.TypeFilter filter, History.EntrySink sink)
            throws StoreException, RecordsDamagedException, InterruptedException {
        var unsealed = history.unsealed();
        var seal = history.seal(claim.generation(), filter, sink);
        for (var earlier : unsealed) {
            tellIfShort(earlier, seal.read().getOrDefault(earlier.generation(), Seal.Read.NOTHING));
        }
        openLog(seal);
    }

    /** Nobody has sealed it yet, so that only its own coordinator can have said how long it was. */
    private void tellIfShort(Claim earlier, Seal.Read read) throws StoreException, InterruptedException {
        var told = heartbeat(folder, earlier);
        if (earlier.inFile() ? told.bytes() > read.bytes() : told.batches() > read.batches()) {
            var name = Claim.name("log", earlier.generation()) + (earlier.inFile() ? ".jsonl" : "");
            notices.add("records were lost: " + folder.uri().resolve(name) + " has "
                    + (earlier.inFile()
                            ? read.bytes() + " bytes, its coordinator had written " + told.bytes()
                            : read.batches() + " batches, its coordinator had written " + told.batches())
                    + ". Items whose completion they held are run again; restore the file from a copy to avoid that");
        }
    }

    /** As {@link #sealHistory}, but nothing that was recorded counts ({@code --fresh} over damaged records). */
    public void sealAsVoid() throws StoreException, InterruptedException {
        openLog(history.sealAsVoid(claim.generation()));
    }

    private void openLog(Seal seal) throws StoreException, InterruptedException {
        if (claim.generation() > 1) {
            folder.put(Claim.name("seal", claim.generation()), json(seal));
        }
        var path = folder.path();
        RecordLog.Sink target = claim.inFile() && path.isPresent()
                ? new FileLogSink(LogReader.file(path.get(), claim.generation()))
                : new ObjectLogSink(folder, claim.generation());
        log = new RecordLog(target, this::hasSuccessor, options.linger(), options.patience());
    }

    /** @throws IllegalStateException before {@link #sealHistory} */
    public RecordLog log() {
        if (log == null) {
            throw new IllegalStateException("the history is not sealed yet");
        }
        return log;
    }

    /** Tells others that this coordinator is alive. Every 5 s, from one thread. */
    public void beat() throws StoreException, InterruptedException {
        folder.put(Claim.name("alive", claim.generation()), json(heartbeat(false)));
    }

    /** The job is over: nobody needs to wait for this coordinator any more. After the last {@link #beat}. */
    public void release() throws StoreException, InterruptedException {
        folder.put(Claim.name("alive", claim.generation()), json(heartbeat(true)));
    }

    private Heartbeat heartbeat(boolean ended) {
        var open = log;
        var extent = open == null ? Seal.Read.NOTHING : open.extent();
        return new Heartbeat(++beats, ended, extent.bytes(), extent.batches());
    }

    private boolean hasSuccessor() throws StoreException, InterruptedException {
        return folder.exists(Claim.name("generation", claim.generation() + 1));
    }

    /** Whether this coordinator's own claim is still among the records; without it nothing of them counts. */
    public boolean isThere(Duration patience) throws StoreException, InterruptedException {
        return new RecordsFolder(folder.store(), folder.uri(), StoreRetry.patient(patience))
                .exists(Claim.name("generation", claim.generation()));
    }

    /** @return whether the last one is known to be dead, rather than silent */
    private static boolean refuseIfAlive(RecordsFolder folder, Claim last, ProcessIdentity me, Options options)
            throws StoreException, JobRunsException, InterruptedException {
        var before = heartbeat(folder, last);
        if (before.ended()) {
            return true;
        }
        var seen = me.seesAlive(last);
        if (seen.isPresent()) {
            if (seen.get()) {
                throw runs(last);
            }
            return true;
        }
        if (options.singleGuaranteed()) {
            return false;
        }
        var second = Duration.ofSeconds(1).compareTo(options.lease()) < 0 ? Duration.ofSeconds(1) : options.lease();
        for (var watched = Duration.ZERO; watched.compareTo(options.lease()) < 0; watched = watched.plus(second)) {
            options.sleeper().sleep(second);
            var now = heartbeat(folder, last);
            if (now.ended()) {
                return true;
            }
            if (now.beats() != before.beats()) {
                throw runs(last);
            }
        }
        return false;
    }

    private static Heartbeat heartbeat(RecordsFolder folder, Claim claim) throws StoreException, InterruptedException {
        var bytes = folder.find(Claim.name("alive", claim.generation()));
        try {
            return bytes.isEmpty() ? Heartbeat.NONE : MessageJson.MAPPER.readValue(bytes.get(), Heartbeat.class);
        } catch (java.io.IOException e) {
            return Heartbeat.NONE;
        }
    }

    /** A try whose answer was lost may have created the claim: it is ours if its content is. */
    private static boolean createClaim(RecordsFolder folder, String name, byte[] content)
            throws StoreException, InterruptedException {
        if (folder.retry().call(() -> folder.store().createExclusively(folder.key(name), content))) {
            return true;
        }
        return java.util.Arrays.equals(folder.get(name), content);
    }

    private static JobRunsException runs(Claim other) {
        return new JobRunsException("job " + other.job() + " runs already: started "
                + Instant.ofEpochMilli(other.startedAt()) + " on host " + other.host() + ", pid " + other.pid()
                + ". Wait for it or stop it; to run both, give one another metadata.name");
    }

    private static byte[] json(Object value) {
        try {
            return MessageJson.MAPPER.writeValueAsBytes(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        if (log != null) {
            log.close();
        }
    }
}
