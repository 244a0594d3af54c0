package io.forebay.sidecar.worker;

import io.forebay.message.Messages.ItemLease;
import io.forebay.message.Messages.StagedOutput;
import io.forebay.message.Messages.StepRun;
import io.forebay.sidecar.buffer.Buffer;
import io.forebay.sidecar.item.ItemState;
import io.forebay.sidecar.journal.JournalRecord;
import io.forebay.sidecar.step.StepHost.CommandId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What an earlier life of this worker held, from its journal. Verified, not trusted: a fetched input counts only if its bytes
 * have the checksum noted; outputs that were staged but not granted are staged again.
 */
final class Recovery {
    private final int steps;
    private final FetchStage fetch;
    private final Buffer buffer;

    /** @param steps of each item */
    Recovery(int steps, FetchStage fetch, Buffer buffer) {
        this.steps = steps;
        this.fetch = fetch;
        this.buffer = buffer;
    }

    private record Key(long item, int generation, int attempt) {}

    private static final class Facts {
        @Nullable
        ItemLease lease;

        int tier;

        @Nullable
        List<Long> fetched;

        final List<StepRun> runs = new ArrayList<>();

        @Nullable
        String started;

        boolean success;
        List<StagedOutput> granted = List.of();
    }

    /** Attempts that can be taken up, in the order in which they were admitted; what cannot be used is discarded. */
    List<Attempt> attempts(Iterable<JournalRecord> records, long nowMillis) throws InterruptedException {
        var byKey = new LinkedHashMap<Key, Facts>();
        for (var entry : records) {
            collect(byKey, entry);
        }
        var attempts = new ArrayList<Attempt>();
        for (var e : byKey.entrySet()) {
            var attempt = revive(e.getKey(), e.getValue(), nowMillis);
            if (attempt != null) {
                attempts.add(attempt);
            }
        }
        return attempts;
    }

    private static void collect(Map<Key, Facts> byKey, JournalRecord entry) {
        var key = new Key(entry.item(), entry.generation(), entry.attempt());
        if (entry instanceof JournalRecord.Over) {
            byKey.remove(key);
            return;
        }
        var facts = byKey.computeIfAbsent(key, k -> new Facts());
        switch (entry) {
            case JournalRecord.Admitted a -> {
                facts.lease = a.lease();
                facts.tier = a.tier();
            }
            case JournalRecord.Fetched f -> facts.fetched = f.crc32c();
            case JournalRecord.StepStarted s -> facts.started = s.step();
            case JournalRecord.StepEnded s -> {
                facts.started = null;
                facts.runs.add(s.run());
            }
            case JournalRecord.Staged s -> {}
            case JournalRecord.Granted g -> {
                facts.granted = g.outputs();
                facts.success = g.success();
            }
            case JournalRecord.Over o -> throw new IllegalStateException("handled above: " + o);
        }
    }

    /** Whether only its outputs are still of use: inputs of kept outputs are gone. */
    private boolean computed(List<StepRun> runs) {
        return runs.size() == steps && runs.stream().allMatch(r -> r.exit() == 0 && r.signal() == 0);
    }

    private @Nullable Attempt revive(Key key, Facts facts, long nowMillis) throws InterruptedException {
        var lease = facts.lease;
        if (lease == null) {
            return null;
        }
        var attempt = new Attempt(lease, nowMillis, true);
        long inputBytes = lease.inputs().stream()
                .mapToLong(i -> Buffer.footprint(Math.max(0, i.size())))
                .sum();
        var space = buffer.adopt(key.item(), key.generation(), key.attempt(), facts.tier, inputBytes);
        space.ifPresent(attempt::space);
        attempt.runs().addAll(facts.runs);
        if (!facts.granted.isEmpty()) {
            attempt.grant(facts.success, facts.granted);
            attempt.state(ItemState.COMMITTING);
            return attempt;
        }
        if (space.isEmpty()) {
            return null;
        }
        var fetched = facts.fetched;
        if (fetched == null
                || !computed(facts.runs)
                        && !fetch.stillThere(
                                lease.inputs(), fetched, space.get().in())) {
            space.get().discard();
            return null;
        }
        attempt.markFetched(fetched);
        if (facts.started != null) {
            attempt.running(new CommandId(key.item(), key.generation(), key.attempt(), facts.started));
        }
        if (facts.started != null || !facts.runs.isEmpty()) {
            attempt.begin();
        }
        attempt.state(facts.runs.isEmpty() ? ItemState.READY : ItemState.RUNNING);
        return attempt;
    }
}
