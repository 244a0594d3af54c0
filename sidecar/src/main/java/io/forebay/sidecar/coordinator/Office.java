package io.forebay.sidecar.coordinator;

import io.forebay.api.job.Job;
import io.forebay.sidecar.outcome.CoordinatorException;
import io.forebay.sidecar.outcome.ExitCode;
import io.forebay.sidecar.outcome.StoreFailures;
import io.forebay.sidecar.records.JobRunsException;
import io.forebay.sidecar.records.LogObjects;
import io.forebay.sidecar.records.Patience;
import io.forebay.sidecar.records.RecordsDamagedException;
import io.forebay.sidecar.records.RecordsFolder;
import io.forebay.sidecar.records.StoreRetry;
import io.forebay.sidecar.records.Succession;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.Stores;
import java.io.IOException;
import java.time.Duration;
import java.util.random.RandomGenerator;

/** A claimed place in the row of a job's coordinators: who holds it, and no other, writes the job's records. */
record Office(RecordsFolder folder, Succession succession) implements AutoCloseable {
    /** @throws CoordinatorException JobRuns (64), or the records folder cannot be used */
    static Office claim(Job job, Stores stores, CoordinatorOptions options)
            throws CoordinatorException, InterruptedException {
        var uri = RecordsFolder.uriOf(job.records(), job.name());
        try {
            var retry = new StoreRetry(options.patience(), RandomGenerator.getDefault(), options.sleeper());
            var objects = options.background() ? LogObjects.DEFAULT : LogObjects.STEPWISE;
            var folder = new RecordsFolder(stores.at(uri), uri, retry, objects);
            // An fsync costs little; an object is worth waiting for company.
            var linger = folder.path().isPresent() || !options.background() ? Duration.ZERO : Duration.ofMillis(20);
            var succession = Succession.claim(
                    folder,
                    job.name(),
                    options.me(),
                    new Succession.Options(
                            options.lease(),
                            linger,
                            options.singleGuaranteed(),
                            options.clock(),
                            options.sleeper(),
                            patience(options)));
            return new Office(folder, succession);
        } catch (JobRunsException e) {
            throw new CoordinatorException(ExitCode.REFUSED, "JobRuns", String.valueOf(e.getMessage()), e);
        } catch (RecordsDamagedException e) {
            throw damaged(e);
        } catch (StoreException e) {
            throw StoreFailures.ofRecords(e);
        }
    }

    private static Patience patience(CoordinatorOptions options) {
        return new Patience(
                options.patience(), Duration.ofSeconds(1), options.nanoTime(), options.sleeper(), options.tell());
    }

    static CoordinatorException damaged(RecordsDamagedException e) {
        return new CoordinatorException(ExitCode.PASSING, "RecordsDamaged", String.valueOf(e.getMessage()), e);
    }

    static CoordinatorException scratchFails(CoordinatorOptions options, IOException e) {
        return new CoordinatorException(
                ExitCode.FAULT,
                "Scratch",
                "the scratch folder " + options.scratch() + " cannot be used: " + e.getMessage(),
                e);
    }

    @Override
    public void close() {
        succession.close();
    }
}
