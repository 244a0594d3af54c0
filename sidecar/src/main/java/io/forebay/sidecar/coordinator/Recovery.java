package io.forebay.sidecar.coordinator;

import io.forebay.message.Messages.StagedOutput;
import io.forebay.sidecar.item.ItemState;
import io.forebay.sidecar.records.LogEntry;
import io.forebay.sidecar.records.LogEntry.Cleaned;
import io.forebay.sidecar.records.LogEntry.Completed;
import io.forebay.sidecar.records.LogEntry.Ended;
import io.forebay.sidecar.records.LogEntry.Failed;
import io.forebay.sidecar.records.LogEntry.Fenced;
import io.forebay.sidecar.records.LogEntry.Intent;
import io.forebay.sidecar.records.LogEntry.NewGeneration;
import io.forebay.sidecar.records.LogEntry.Planned;
import io.forebay.sidecar.records.LogEntry.Revoked;
import io.forebay.sidecar.records.LogEntry.Settled;
import io.forebay.sidecar.records.LogEntry.Staged;
import io.forebay.sidecar.records.LogEntry.Started;
import io.forebay.sidecar.records.LogLine;
import io.forebay.sidecar.records.RecordsDamagedException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Brings the truth to where the log says. Entries are applied in the log's order; those of items that the plan does not know are
 * kept as truth.strays, since something of theirs may still be at the stores.
 */
final class Recovery {
    private static final byte[] HANDLE = "\"handle\":\"".getBytes(StandardCharsets.US_ASCII);

    private final Truth truth;
    /** By item id: what is not parsed yet, in order. */
    private final Map<String, List<LogLine>> deferred = new HashMap<>();

    Recovery(Truth truth) {
        this.truth = truth;
    }

    /**
     * One line of the log. Intents and announcements are parsed only if their item does not complete: of a million items they are
     * half of the log.
     */
    void apply(LogLine line) throws RecordsDamagedException {
        switch (line.type()) {
            case "planned", "ended", "startfailed" -> {}
            case "intent", "staged" ->
                deferred.computeIfAbsent(line.id(), i -> new ArrayList<>(2)).add(line.copy());
            case "completed" -> completed(line);
            default -> {
                var id = line.id();
                if (id.isEmpty()) {
                    // A new run: everything before it must be there.
                    applyDeferred();
                } else {
                    applyDeferred(id);
                }
                apply(line.parse());
            }
        }
    }

    /** After the last line. */
    void finish() throws RecordsDamagedException {
        applyDeferred();
    }

    private void applyDeferred() throws RecordsDamagedException {
        for (var id : List.copyOf(deferred.keySet())) {
            applyDeferred(id);
        }
    }

    private void applyDeferred(String id) throws RecordsDamagedException {
        var lines = deferred.remove(id);
        if (lines != null) {
            for (var line : lines) {
                apply(line.parse());
            }
        }
    }

    private void completed(LogLine line) throws RecordsDamagedException {
        var brief = line.parseBriefly();
        int announced = 0;
        for (var earlier : deferred.getOrDefault(brief.id(), List.of())) {
            announced += earlier.type().equals("staged") ? earlier.count(HANDLE) : 0;
        }
        int item = truth.table.find(brief.id());
        boolean plain = item >= 0
                && announced <= brief.finalUris().size()
                && !brief.hasUnexported()
                && !truth.residues.containsKey(item);
        if (!plain) {
            // Something of it may be left at the stores.
            applyDeferred(brief.id());
            apply(line.parse());
            return;
        }
        deferred.remove(brief.id());
        truth.table.attempt(item, Math.max(truth.table.attempt(item), brief.attempt()));
        truth.table.generation(item, brief.generation());
        truth.table.set(item, ItemState.DONE);
        truth.table.listAnew(item);
        brief.finalUris().forEach(name -> truth.names.add(name, item));
    }

    private void apply(LogEntry entry) {
        switch (entry) {
            case Started e -> {
                if (e.newRun()) {
                    newRun(e.fresh());
                }
            }
            case Planned _, Ended _, LogEntry.StartFailed _ -> {}
            case Staged e -> {
                residue(e.id()).staged.addAll(e.outputs());
                sawAttempt(e.id(), e.attempt());
            }
            case Intent e -> intent(e);
            case Completed e -> completed(e);
            case Failed e -> failed(e);
            case Fenced e -> {
                int item = truth.table.find(e.id());
                if (item >= 0) {
                    truth.table.fence(item, e.attempt());
                    sawAttempt(e.id(), e.attempt());
                }
            }
            case Cleaned e -> {
                var residue = residue(e.id());
                residue.staged.clear();
                residue.onClose.removeIf(d -> d.attempt() <= e.attempt());
                forgetIfEmpty(e.id());
            }
            case Settled e -> truth.strays.remove(e.id());
            case NewGeneration e -> newGeneration(e.id(), e.generation());
            case Revoked e -> revoked(e);
        }
    }

    /**
     * Failures before it are history; with {@code fresh} so are completions. What was decided for a failed attempt, or before a
     * fresh run, stays with its item as pending: {@link Core#endRecovery} begins a new generation for it.
     */
    void newRun(boolean fresh) {
        var table = truth.table;
        for (int item = 0; item < table.size(); item++) {
            table.failures(item, 0);
            table.setbacks(item, 0);
            table.tier(item, 0);
            switch (table.state(item)) {
                case FAILED -> {
                    var residue = truth.residues.get(item);
                    boolean carryOut =
                            !fresh && residue != null && residue.decided != null && residue.decided.success();
                    table.set(item, carryOut ? ItemState.COMMITTING : ItemState.PENDING);
                }
                case DONE, COMMITTING -> {
                    if (fresh) {
                        table.set(item, ItemState.PENDING);
                    }
                }
                case PENDING, LEASED, FETCHING, READY, RUNNING, FLUSHING -> {}
            }
        }
        truth.tally.forgetFailures();
        truth.sums.clear();
        if (fresh) {
            truth.names.clear();
        }
    }

    private void intent(Intent e) {
        var residue = residue(e.id());
        var decision = new OutputsOnRecord.Decision(e, null);
        sawAttempt(e.id(), e.attempt());
        int item = truth.table.find(e.id());
        if (item >= 0) {
            claimNames(item, e.outputs());
        }
        if (e.onClose()) {
            residue.onClose.add(decision);
            return;
        }
        residue.decided = decision;
        if (item >= 0) {
            truth.table.set(item, ItemState.COMMITTING);
        }
    }

    private void completed(Completed e) {
        var residue = residue(e.id());
        var leftovers = residue.leftovers();
        residue.staged.retainAll(leftovers);
        residue.onClose.clear();
        residue.decided = null;
        forgetIfEmpty(e.id());
        int item = truth.table.find(e.id());
        if (item < 0) {
            truth.formerOutputs += e.outputs().size();
            return;
        }
        sawAttempt(e.id(), e.attempt());
        truth.table.generation(item, e.generation());
        truth.table.set(item, ItemState.DONE);
        claimNames(item, e.outputs());
        truth.tally.unexported(item, truth.table.listAnew(item), e.unexported());
    }

    private void failed(Failed e) {
        int item = truth.table.find(e.id());
        if (item < 0) {
            return;
        }
        var table = truth.table;
        sawAttempt(e.id(), e.attempt());
        truth.sums.note(item, e.sums());
        if (!e.last() && table.state(item) == ItemState.COMMITTING) {
            // Its publisher failed, not the item.
            return;
        }
        if (e.failure().counted()) {
            table.failures(item, table.failures(item) + 1);
        } else {
            table.setbacks(item, table.setbacks(item) + 1);
        }
        if (e.failure().moveDown()) {
            table.tier(item, table.tier(item) + 1);
        }
        if (e.last()) {
            table.set(item, ItemState.FAILED);
            truth.tally.failed(e.key(), e.attempt(), e.failure(), e.steps());
            truth.tally.unexported(item, table.listAnew(item), e.unexported());
            var residue = truth.residues.get(item);
            if (residue != null) {
                residue.keepAfterFailure(e.unexported());
            }
        } else {
            table.fence(item, e.attempt());
        }
    }

    /** @return whether that record counted until now */
    boolean revoked(Revoked e) {
        var table = truth.table;
        int item = table.find(e.id());
        boolean counts = item >= 0
                && table.state(item) == ItemState.DONE
                && table.generation(item) == e.generation()
                && table.attempt(item) == e.attempt();
        if (counts) {
            table.set(item, ItemState.PENDING);
        }
        return counts;
    }

    private void newGeneration(String id, int generation) {
        var residue = residue(id);
        if (residue.decided != null) {
            residue.staged.addAll(residue.decided.outputs());
            residue.decided = null;
        }
        int item = truth.table.find(id);
        if (item >= 0) {
            truth.table.generation(item, generation);
            truth.table.set(item, ItemState.PENDING);
        }
    }

    private void claimNames(int item, Iterable<StagedOutput> outputs) {
        for (var output : outputs) {
            truth.names.add(output.finalUri(), item);
        }
    }

    private void sawAttempt(String id, int attempt) {
        int item = truth.table.find(id);
        if (item >= 0) {
            truth.table.attempt(item, Math.max(truth.table.attempt(item), attempt));
        }
    }

    private OutputsOnRecord residue(String id) {
        int item = truth.table.find(id);
        return item >= 0
                ? truth.residues.computeIfAbsent(item, i -> new OutputsOnRecord())
                : truth.strays.computeIfAbsent(id, i -> new OutputsOnRecord());
    }

    private void forgetIfEmpty(String id) {
        int item = truth.table.find(id);
        if (item >= 0) {
            var residue = truth.residues.get(item);
            if (residue != null && residue.isEmpty()) {
                truth.residues.remove(item);
            }
        } else if (truth.strays.containsKey(id) && truth.strays.get(id).isEmpty()) {
            truth.strays.remove(id);
        }
    }
}
