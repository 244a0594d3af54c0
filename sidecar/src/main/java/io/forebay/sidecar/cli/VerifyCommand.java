package io.forebay.sidecar.cli;

import io.forebay.api.job.Job;
import io.forebay.api.name.Printable;
import io.forebay.api.value.Bytes;
import io.forebay.message.Messages.StagedOutput;
import io.forebay.sidecar.coordinator.CoordinatorOptions;
import io.forebay.sidecar.coordinator.CoordinatorOptions.RunMode;
import io.forebay.sidecar.coordinator.JobRecords;
import io.forebay.sidecar.coordinator.JobRecords.Recorded;
import io.forebay.sidecar.coordinator.JobRecords.Standing;
import io.forebay.sidecar.coordinator.Revocation;
import io.forebay.sidecar.coordinator.Revocation.Damaged;
import io.forebay.sidecar.local.JobStores;
import io.forebay.sidecar.local.OutputCheck;
import io.forebay.sidecar.outcome.CoordinatorException;
import io.forebay.sidecar.records.RecordsDamagedException;
import io.forebay.sidecar.store.StoreException;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code forebay verify}: reads every published output again and compares it with its completion record (D6). */
@Command(
        name = "verify",
        mixinStandardHelpOptions = true,
        footer = ForebayCommand.SEE_EXIT_CODES,
        description = {
            "Reads every published output again and compares it with its completion record; changes nothing, unless --redo is given.",
            "Names what differs, what cannot be read and what is not exported, and then exits with 74.",
            "If else an item of the job's last plan is not done, its outputs are not there to be verified: it is told, and the exit code "
                    + "is that of the last run (1: a step failed, 65: an input cannot be had...), or 75 if that runs still or was cut off."
        })
final class VerifyCommand implements Callable<Integer> {
    private static final int AT_ONCE = 8;
    private static final int DIFFERS = 74;
    private static final int NEVER_STARTED = 65;
    private static final int NOT_YET = 75;
    private static final int MOST_FORMER = 20;

    @Parameters(index = "0", paramLabel = "JOB", description = Manifests.DESCRIPTION)
    private String manifest = "";

    @Option(
            names = "--redo",
            description =
                    "take back the completion records of items with an output that differs: the next run or resume does these items "
                            + "again, and no others; what lies at their final names is replaced then. Not while the job runs")
    private boolean redo;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws CliException, IOException, InterruptedException {
        var out = spec.commandLine().getOut();
        var job = Manifests.read(manifest, spec.commandLine().getErr());
        NoRecords.require(job);
        try (var scratch = new Scratch();
                var stores = new JobStores(job.stores());
                var damaged = new Revocation(scratch.folder())) {
            var pass = new Pass(new OutputCheck(stores), damaged, out);
            var records = JobRecords.of(job.records(), job.name(), stores.stores(), scratch.folder());
            pass.over(records);
            var status = records.status();
            if (pass.sawNothing() && status.items() == 0) {
                throw nothingPlanned(job, status);
            }
            pass.tell(job);
            tellNotDone(status, out);
            if (redo && !damaged.isEmpty()) {
                var options = CoordinatorOptions.local(RunMode.RESUME, scratch.folder());
                told(damaged.carryOut(job, stores.stores(), options), out);
            } else if (!damaged.isEmpty()) {
                out.println("to have these items done again, and no others: forebay verify --redo " + manifest
                        + ", then: forebay resume " + manifest);
            }
            out.flush();
            return !pass.isFine() ? DIFFERS : notDone(status) > 0 ? codeOf(status) : 0;
        } catch (StoreException e) {
            throw new CliException(75, "cannot read the records of " + job.name() + ": " + e.getMessage());
        } catch (RecordsDamagedException e) {
            throw new CliException(75, String.valueOf(e.getMessage()));
        } catch (CoordinatorException e) {
            throw new CliException(e.code().number(), String.valueOf(e.getMessage()));
        }
    }

    private static long notDone(JobRecords.Status status) {
        return status.items() - status.done();
    }

    private void tellNotDone(JobRecords.Status status, PrintWriter out) {
        long missing = notDone(status);
        if (missing > 0) {
            out.println(missing + " of " + items(status.items()) + (missing == 1 ? " is" : " are") + " not done ("
                    + status.failed() + " failed): not all of the job's outputs are there. See forebay status "
                    + manifest);
        }
    }

    /** Of the last run; one that ended with 0 and left items out has not said all. */
    private static int codeOf(JobRecords.Status status) {
        return status.exitCode().filter(code -> code != 0).orElse(NOT_YET);
    }

    /** No item was ever planned. */
    private CliException nothingPlanned(Job job, JobRecords.Status status) {
        var ended = status.exitCode();
        return new CliException(
                ended.isPresent() ? NEVER_STARTED : NOT_YET,
                job.name() + " has no outputs to verify: it "
                        + (ended.isPresent()
                                ? "ended before anything was planned, exit " + ended.get() + " ("
                                        + Printable.message(status.cause()) + ")"
                                : "is being planned, or was cut off in that")
                        + ". Go on with: forebay run " + manifest);
    }

    private void told(Revocation.Outcome outcome, PrintWriter out) {
        out.println(items(outcome.again())
                + " will be done again, and nothing was touched yet but the records; now: forebay resume " + manifest);
        if (outcome.strangers() > 0) {
            out.println(outcome.strangers()
                    + " of these outputs belong to items that the job had when its manifest or its inputs were others:"
                    + " no run makes them again");
        }
    }

    private static String items(long count) {
        return count + (count == 1 ? " item" : " items");
    }

    /** One look at all that is on record. Fields are guarded by this. */
    private final class Pass implements JobRecords.Sink {
        private final OutputCheck check;
        private final Revocation damaged;
        private final PrintWriter out;
        private final Semaphore window = new Semaphore(AT_ONCE);
        private final java.util.concurrent.ExecutorService tasks = Executors.newThreadPerTaskExecutor(
                Thread.ofVirtual().name("verify-", 0).factory());
        private long records;
        private long files;
        private long bytes;
        private long differ;
        private long unknown;
        private long revoked;
        private long unexported;
        private long dropped;
        private long former;

        Pass(OutputCheck check, Revocation damaged, PrintWriter out) {
            this.check = check;
            this.damaged = damaged;
            this.out = out;
        }

        void over(JobRecords of) throws StoreException, RecordsDamagedException, IOException, InterruptedException {
            try (tasks) {
                records = of.recorded(this);
            }
        }

        @Override
        public void accept(Recorded recorded) throws InterruptedException {
            count(recorded.standing());
            for (var output : recorded.outputs()) {
                window.acquire();
                tasks.execute(() -> {
                    try {
                        found(recorded, output, check.check(output));
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                        found(recorded, output, new OutputCheck.Unknown("interrupted"));
                    } finally {
                        window.release();
                    }
                });
            }
        }

        private synchronized void count(Standing standing) {
            switch (standing) {
                case REVOKED -> revoked++;
                case UNEXPORTED -> unexported++;
                case DROPPED -> dropped++;
                case COMPLETE, FAILED -> {}
            }
        }

        private synchronized void found(Recorded recorded, StagedOutput output, OutputCheck.Finding finding) {
            files++;
            var what = Printable.name(output.finalUri()) + " (item " + Printable.name(recorded.key()) + "): ";
            switch (finding) {
                case OutputCheck.Same _ -> bytes += output.size();
                case OutputCheck.Differs d -> {
                    differ++;
                    bytes += output.size();
                    out.println("differs: " + what + Printable.message(d.why()));
                    damaged.add(new Damaged(
                            recorded.id(),
                            recorded.key(),
                            recorded.generation(),
                            recorded.attempt(),
                            output.finalUri() + ": " + d.why()));
                }
                case OutputCheck.Unknown u -> {
                    unknown++;
                    out.println("cannot be read: " + what + Printable.message(u.why()));
                }
            }
        }

        @Override
        public void former(String key, StagedOutput output) throws InterruptedException {
            if (!check.exists(output)) {
                return;
            }
            synchronized (this) {
                if (++former <= MOST_FORMER) {
                    out.println("left over: " + Printable.name(output.finalUri()) + " (item " + Printable.name(key)
                            + "): only an earlier record names it; not verified, and never removed by Forebay");
                }
            }
        }

        synchronized boolean sawNothing() {
            return records + revoked + unexported + dropped == 0;
        }

        synchronized boolean isFine() {
            return differ + unknown + revoked + unexported == 0;
        }

        synchronized void tell(Job job) {
            if (former > MOST_FORMER) {
                out.println("left over: " + (former - MOST_FORMER) + " more");
            }
            out.println("%s: %s of %s verified, %s; %d differ%s"
                    .formatted(
                            job.name(),
                            files + (files == 1 ? " output" : " outputs"),
                            records + (records == 1 ? " record" : " records"),
                            Bytes.of(bytes).human(),
                            differ,
                            unknown > 0
                                    ? ", " + unknown + " cannot be read: verify again when their store lets it"
                                    : ""));
            if (revoked > 0) {
                out.println(
                        items(revoked) + " found damaged before, and not done again yet: forebay resume " + manifest);
            }
            if (unexported > 0) {
                out.println(items(unexported) + (unexported == 1 ? " is" : " are")
                        + " not exported: finish with forebay resume " + manifest);
            }
            if (dropped > 0) {
                out.println(items(dropped)
                        + " found damaged or not exported before, and not in the job's last plan any more"
                        + " (no longer selected, or its manifest is another): no run makes "
                        + (dropped == 1 ? "it" : "them") + " again");
            }
        }
    }
}
