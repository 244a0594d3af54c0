package io.forebay.sidecar.cli;

import io.forebay.api.job.Job;
import io.forebay.sidecar.coordinator.JobRecords;
import io.forebay.sidecar.local.JobStores;
import io.forebay.sidecar.records.RecordsDamagedException;
import io.forebay.sidecar.store.StoreException;
import java.io.IOException;

/** A job that was never started has no records to look at. */
final class NoRecords {
    private static final int NO_INPUT = 65;
    private static final int PASSING = 75;

    private NoRecords() {}

    static CliException of(Job job) {
        return new CliException(
                NO_INPUT,
                job.name() + " has no records in " + job.records() + ": it was never started there. "
                        + "Start it with: forebay run; or name its records folder in spec.records.");
    }

    /** @throws CliException 65: there are none; 75: they cannot be read */
    static void require(Job job) throws CliException, IOException, InterruptedException {
        try (var scratch = new Scratch();
                var stores = new JobStores(job.stores())) {
            if (!JobRecords.of(job.records(), job.name(), stores.stores(), scratch.folder())
                    .exist()) {
                throw of(job);
            }
        } catch (StoreException e) {
            throw new CliException(PASSING, "cannot read the records of " + job.name() + ": " + e.getMessage());
        } catch (RecordsDamagedException e) {
            throw new CliException(PASSING, String.valueOf(e.getMessage()));
        }
    }
}
