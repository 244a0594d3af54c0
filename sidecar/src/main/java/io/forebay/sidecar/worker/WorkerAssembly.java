package io.forebay.sidecar.worker;

import io.forebay.api.job.Job;
import io.forebay.sidecar.buffer.Buffer;
import io.forebay.sidecar.commit.Publisher;
import io.forebay.sidecar.flush.Flusher;
import io.forebay.sidecar.flush.SpecialFiles;
import io.forebay.sidecar.journal.Journal;
import io.forebay.sidecar.journal.JournalRecord;
import io.forebay.sidecar.link.CoordinatorLink;
import io.forebay.sidecar.link.PatientLink;
import io.forebay.sidecar.step.Leftovers;
import io.forebay.sidecar.step.StepHost;
import io.forebay.sidecar.store.Stores;
import io.forebay.sidecar.transfer.TransferCounters;
import io.forebay.sidecar.transfer.Transfers;
import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;

/**
 * Puts a worker together from what its process has opened.
 *
 * @param jobToken a few characters that tell this job's temporary names from others'
 * @param tell hears what the user should know while it works
 */
public record WorkerAssembly(
        WorkerIdentity me,
        Job job,
        Stores stores,
        Transfers transfers,
        TransferCounters counters,
        Buffer buffer,
        Journal journal,
        CoordinatorLink coordinator,
        StepHost host,
        StepCalls calls,
        StepEnvironment environment,
        FailedLogs logs,
        String jobToken,
        Consumer<String> tell) {

    /**
     * A worker, and the attempts of its earlier life that it can take up.
     *
     * @param special what outputs selected while it worked and could not be published
     */
    public record Assembled(Worker worker, List<Attempt> recovered, SpecialFiles special) {}

    /** A command that runs is in the journal: no journal, no processes. Those of attempts that are taken up may live, or be told as lost. */
    private void endLeftovers(List<Attempt> recovered) {
        var roots = buffer.use().stream().map(Buffer.TierUse::root).toList();
        var spared = recovered.stream()
                .filter(Attempt::hasSpace)
                .map(a -> a.space().path())
                .toList();
        if (!Leftovers.ofAttempts(roots, spared).end()) {
            tell.accept(
                    "processes that steps of an earlier run had started cannot be killed; what they write counts for nothing");
        }
    }

    /** @param journalled what the journal held when it was opened */
    public Assembled assemble(List<JournalRecord> journalled) throws IOException, InterruptedException {
        var link = new PatientLink(coordinator, why -> counters.say("coordinator away: " + why));
        var users = new StepUsers(
                host,
                environment.otherUsers(),
                job.steps().stream().map(Job.Step::name).toList());
        var fetch = new FetchStage(stores, transfers, users);
        var shared = new SharedInputsStage(job, buffer, fetch);
        var flusher = new Flusher(stores, transfers, jobToken, me.instance(), tell);
        var publisher = new Publisher(stores, transfers);
        var special = new SpecialFiles();
        var kept = new KeptOutputs(job, transfers, journal);
        var stages = new AttemptRun.Stages(
                fetch,
                shared,
                new Slots(job.workers().slots()),
                new StepStage(job, host, calls, journal, shared, environment, users, tell),
                new EarlyFlush(job, flusher, publisher, link, host, me, users),
                new FlushStage(job, flusher, publisher, transfers, link, me, users, special, tell),
                kept,
                new CommitStage(link, journal, publisher, me),
                new LogStage(environment, logs));
        var recovered = new Recovery(job.steps().size(), fetch, buffer, kept, journal, tell)
                .attempts(journalled, System.currentTimeMillis());
        if (!journalled.isEmpty()) {
            endLeftovers(recovered);
        }
        return new Assembled(
                new Worker(me, job, buffer, journal, link, host, stages, counters, tell), recovered, special);
    }
}
