package io.forebay.sidecar.worker;

import io.forebay.message.Messages.CommitRequest;
import io.forebay.message.Messages.StagedOutput;
import io.forebay.message.Messages.Unexported;
import io.forebay.sidecar.commit.Publisher;
import io.forebay.sidecar.item.ItemState;
import io.forebay.sidecar.journal.Journal;
import io.forebay.sidecar.journal.JournalRecord;
import io.forebay.sidecar.link.PatientLink;
import io.forebay.sidecar.store.StoreException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Asks whether a staged attempt may be published, keeps the yes in the journal, and publishes. Thread-safe. */
final class CommitStage {
    /** As often an item is done again since what it had staged was lost, or not what was written; then something is broken that doing it again
     *  does not mend. */
    private static final int MOST_LOSSES = 4;

    private final PatientLink link;
    private final Journal journal;
    private final Publisher publisher;
    private final WorkerIdentity me;
    /** By item: how often what was staged of it was lost. */
    private final ConcurrentHashMap<Long, Integer> losses = new ConcurrentHashMap<>();

    CommitStage(PatientLink link, Journal journal, Publisher publisher, WorkerIdentity me) {
        this.link = link;
        this.journal = journal;
        this.publisher = publisher;
        this.me = me;
    }

    /** @return false if the coordinator wants the item tried again first, and nothing of this attempt published */
    boolean grant(Attempt attempt, boolean success, List<StagedOutput> staged)
            throws AttemptFailed, Fenced, IOException, InterruptedException {
        attempt.state(ItemState.COMMITTING);
        journal.note(new JournalRecord.Staged(attempt.item(), attempt.generation(), attempt.number(), staged));
        var answer = link.commit(new CommitRequest(
                me.worker(),
                me.instance(),
                attempt.item(),
                attempt.generation(),
                attempt.number(),
                success,
                false,
                staged));
        var refusal = answer.refusal();
        if (refusal != null) {
            discard(staged);
            switch (refusal.reason()) {
                case "WILL_RETRY" -> {
                    return false;
                }
                case "NAME_CONFLICT" ->
                    throw new AttemptFailed(
                            Failures.nameConflict(refusal.message()), unexported(attempt, staged, refusal.message()));
                default -> throw new Fenced(refusal.message());
            }
        }
        journal.append(
                new JournalRecord.Granted(attempt.item(), attempt.generation(), attempt.number(), success, staged));
        attempt.grant(success, staged);
        return true;
    }

    /** Publishes what was granted; all of it is at its final names, durably, at return. */
    void publish(Attempt attempt) throws AttemptFailed, InterruptedException {
        try {
            var lost = publisher.publish(attempt.granted(), output -> path(attempt, output));
            if (lost.isEmpty()) {
                losses.remove(attempt.item());
            } else {
                throw lost(attempt, lost.getFirst());
            }
        } catch (StoreException e) {
            var message =
                    "cannot publish the outputs of item " + attempt.lease().key() + ": " + e.getMessage();
            throw new AttemptFailed(
                    Failures.flush(message, e), unexported(attempt, attempt.granted(), String.valueOf(e.getMessage())));
        }
    }

    private AttemptFailed lost(Attempt attempt, StagedOutput first) {
        int times = losses.merge(attempt.item(), 1, Integer::sum);
        var what = "staged pieces of item " + attempt.lease().key() + " are gone"
                + (first.readBack() ? ", or are not what was written" : "") + ": " + first.finalUri();
        if (times < MOST_LOSSES) {
            return new AttemptFailed(Failures.piecesLost(what));
        }
        var message = what + ", for the " + times
                + "th time. Something else writes or deletes there, or it keeps other bytes than it gets: see to that, then resume";
        return new AttemptFailed(
                Failures.piecesNotKept(message),
                unexported(attempt, attempt.granted(), "its destination lost it " + times + " times"));
    }

    private static @Nullable String path(Attempt attempt, StagedOutput output) {
        return attempt.hasSpace() ? attempt.space().out() + "/" + output.relative() : null;
    }

    void discard(List<StagedOutput> staged) throws InterruptedException {
        publisher.discard(staged);
    }

    private static List<Unexported> unexported(Attempt attempt, List<StagedOutput> staged, String cause) {
        var list = new ArrayList<Unexported>(staged.size());
        for (var s : staged) {
            list.add(new Unexported(
                    attempt.lease().key(), s.output(), s.relative(), s.finalUri(), s.size(), cause, path(attempt, s)));
        }
        return list;
    }
}
