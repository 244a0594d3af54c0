package io.forebay.sidecar.coordinator;

import io.forebay.api.job.Job;
import io.forebay.sidecar.item.ItemState;
import io.forebay.sidecar.outcome.CoordinatorException;
import io.forebay.sidecar.outcome.ExitCode;
import io.forebay.sidecar.outcome.StoreFailures;
import io.forebay.sidecar.plan.PlanStore;
import io.forebay.sidecar.records.LogEntry.Planned;
import io.forebay.sidecar.records.LogEntry.Revoked;
import io.forebay.sidecar.records.LogLostException;
import io.forebay.sidecar.records.RecordsDamagedException;
import io.forebay.sidecar.spool.JsonSpool;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.Stores;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Takes back completion records whose outputs are not what they say, so that the next run does those items again: {@code forebay verify
 * --redo}. Writes to the records alone; what lies at final names stays until an item is published again.
 */
public final class Revocation implements AutoCloseable {
    /** So many are made durable together. */
    private static final int BATCH = 1000;

    private final JsonSpool damaged;

    /** @param scratch a local folder, writable: there may be a million of them */
    public Revocation(Path scratch) throws IOException {
        damaged = new JsonSpool(scratch);
    }

    /** An item with an output that is not what its newest record says. @param reason which output, and what is wrong with it */
    public record Damaged(String id, String key, int generation, int attempt, String reason) {}

    /**
     * @param again items that the next run does again: taken back now, or not done in any case
     * @param strangers damaged outputs of items that the job's last plan does not have: no run makes them again
     */
    public record Outcome(long again, long strangers) {}

    /** An item may come several times. */
    public synchronized void add(Damaged item) {
        try {
            damaged.append(item);
        } catch (IOException e) {
            throw new UncheckedIOException("the scratch folder cannot be written", e);
        }
    }

    public synchronized boolean isEmpty() {
        return damaged.size() == 0;
    }

    /**
     * Writes it into the records.
     *
     * @throws CoordinatorException the job runs (64), or its records cannot be used
     */
    public Outcome carryOut(Job job, Stores stores, CoordinatorOptions options)
            throws CoordinatorException, InterruptedException {
        try (var office = Office.claim(job, stores, options)) {
            var succession = office.succession();
            succession.beat();
            var planned = new Last();
            succession.sealHistory("planned"::equals, entry -> planned.see((Planned) entry));
            damaged.finish();
            var outcome = planned.value == null
                    ? new Outcome(0, damaged.size())
                    : revoke(office, planned.value, options, damaged.asList(Damaged.class));
            succession.release();
            return outcome;
        } catch (RecordsDamagedException e) {
            throw Office.damaged(e);
        } catch (StoreException e) {
            throw StoreFailures.ofRecords(e);
        } catch (LogLostException e) {
            throw new CoordinatorException(ExitCode.PASSING, "Superseded", String.valueOf(e.getMessage()), e);
        } catch (IOException e) {
            throw Office.scratchFails(options, e);
        }
    }

    /** The last plan, as the log says. */
    private static final class Last {
        private @Nullable Planned value;

        void see(Planned entry) {
            value = entry;
        }
    }

    private static Outcome revoke(Office office, Planned planned, CoordinatorOptions options, List<Damaged> damaged)
            throws StoreException, RecordsDamagedException, IOException, LogLostException, InterruptedException {
        var log = office.succession().log();
        long revoked = 0;
        long strangers = 0;
        var again = new BitSet();
        try (var plan = PlanStore.read(office.folder(), planned, options.scratch());
                var truth = new Truth(plan, options.scratch())) {
            var recovery = new Recovery(truth);
            office.succession().history().replayLines(recovery::apply);
            recovery.finish();
            for (var d : damaged) {
                int item = truth.table.find(d.id());
                if (item < 0) {
                    strangers++;
                } else if (truth.table.state(item) != ItemState.DONE) {
                    // One that failed and published outputs for that case, or that was taken back before.
                    again.set(item);
                } else {
                    var entry = new Revoked(
                            d.id(),
                            d.key(),
                            d.generation(),
                            d.attempt(),
                            d.reason(),
                            options.clock().millis());
                    if (recovery.revoked(entry)) {
                        log.append(entry);
                        again.set(item);
                        if (++revoked % BATCH == 0) {
                            log.await(log.last());
                        }
                    }
                }
            }
            log.await(log.last());
        }
        return new Outcome(again.cardinality(), strangers);
    }

    @Override
    public void close() throws IOException {
        damaged.close();
    }
}
