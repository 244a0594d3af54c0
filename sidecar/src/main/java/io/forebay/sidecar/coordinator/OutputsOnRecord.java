package io.forebay.sidecar.coordinator;

import io.forebay.message.Messages.StagedOutput;
import io.forebay.message.Messages.Unexported;
import io.forebay.sidecar.records.LogEntry.Intent;
import io.forebay.sidecar.records.RecordLog.Ticket;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What an unfinished item has at the stores, as the log says. Guarded by the core's lock. */
final class OutputsOnRecord {
    /** Announced by any attempt, and not known to be removed. */
    final List<StagedOutput> staged = new ArrayList<>();
    /** Files of {@code publish: OnClose} that were decided. */
    final List<Decision> onClose = new ArrayList<>();
    /** What is decided to be the item's outputs. */
    @Nullable
    Decision decided;
    /** It has failed, and what is staged is kept, for resume. */
    boolean kept;
    /** When nobody was left who could publish it. */
    long orphanedAtNanos;
    /** The process that was told to publish it has ended, or says that it will not. */
    boolean publisherGone;
    /** When the coordinator tries again to carry it out. */
    long retryAtNanos;

    /** @param ticket of its log entry; absent: an earlier coordinator's */
    record Decision(Intent intent, @Nullable Ticket ticket) {
        int attempt() {
            return intent.attempt();
        }

        boolean success() {
            return intent.success();
        }

        List<StagedOutput> outputs() {
            return intent.outputs();
        }
    }

    boolean isEmpty() {
        return staged.isEmpty() && onClose.isEmpty() && decided == null;
    }

    /** The data of unexported outputs are kept, and what is staged of them with it: resume goes on from there. */
    void keepAfterFailure(List<Unexported> unexported) {
        kept = decided != null || !unexported.isEmpty();
    }

    /** What is staged and belongs to no intent. */
    List<StagedOutput> leftovers() {
        var wanted = new HashSet<String>();
        if (decided != null) {
            decided.outputs().forEach(o -> wanted.add(place(o)));
        }
        onClose.forEach(i -> i.outputs().forEach(o -> wanted.add(place(o))));
        return staged.stream().filter(o -> !wanted.contains(place(o))).toList();
    }

    private static String place(StagedOutput o) {
        return o.handle() + "\n" + o.finalUri();
    }

    /** All that is, or will be, at its final name. */
    List<StagedOutput> published() {
        var all = new ArrayList<StagedOutput>();
        onClose.forEach(i -> all.addAll(i.outputs()));
        if (decided != null) {
            all.addAll(decided.outputs());
        }
        return all;
    }
}
