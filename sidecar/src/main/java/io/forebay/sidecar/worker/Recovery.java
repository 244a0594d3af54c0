package io.forebay.sidecar.worker;

import io.forebay.api.name.Printable;
import io.forebay.message.Messages.ItemLease;
import io.forebay.message.Messages.StagedOutput;
import io.forebay.message.Messages.StepRun;
import io.forebay.message.Messages.Unexported;
import io.forebay.sidecar.buffer.Buffer;
import io.forebay.sidecar.buffer.Buffer.ItemSpace;
import io.forebay.sidecar.item.ItemState;
import io.forebay.sidecar.journal.Journal;
import io.forebay.sidecar.journal.JournalRecord;
import io.forebay.sidecar.os.BootId;
import io.forebay.sidecar.step.StepHost.CommandId;
import io.forebay.sidecar.store.StagedFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What an earlier life of this worker held, from its journal. Verified, not trusted: a fetched input counts only if its bytes
 * have the checksum noted; so do outputs, if they were described. What nothing describes counts only while the machine has been up all
 * the time since it was written. Outputs that were staged but not granted are staged again.
 */
final class Recovery {
    /** Lines, of a kind that every item may have. */
    private static final int TOLD = 10;

    private final int steps;
    private final FetchStage fetch;
    private final Buffer buffer;
    private final KeptOutputs kept;
    private final Journal journal;
    private final Consumer<String> tell;
    private int doubted;

    /** @param steps of each item @param tell hears what is not as it was */
    Recovery(int steps, FetchStage fetch, Buffer buffer, KeptOutputs kept, Journal journal, Consumer<String> tell) {
        this.steps = steps;
        this.fetch = fetch;
        this.buffer = buffer;
        this.kept = kept;
        this.journal = journal;
        this.tell = tell;
    }

    private record Key(long item, int generation, int attempt) {}

    private static final class Facts {
        @Nullable
        ItemLease lease;

        int tier;
        String boot = "";
        String mark = "";

        @Nullable
        List<Long> fetched;

        final List<StepRun> runs = new ArrayList<>();

        @Nullable
        String started;

        boolean success;
        List<StagedOutput> staged = List.of();
        List<StagedOutput> granted = List.of();

        JournalRecord.@Nullable Kept kept;
    }

    /**
     * Attempts that can be taken up, in the order in which they were admitted; what cannot be used is discarded.
     *
     * @throws IOException the journal failed
     */
    List<Attempt> attempts(Iterable<JournalRecord> records, long nowMillis) throws IOException, InterruptedException {
        var byKey = new LinkedHashMap<Key, Facts>();
        for (var entry : records) {
            collect(byKey, entry);
        }
        var attempts = new ArrayList<Attempt>();
        for (var e : byKey.entrySet()) {
            var attempt = revive(e.getKey(), e.getValue(), nowMillis);
            if (attempt != null) {
                attempts.add(attempt);
            } else {
                journal.note(new JournalRecord.Over(
                        e.getKey().item(), e.getKey().generation(), e.getKey().attempt()));
            }
        }
        if (doubted > TOLD) {
            tell.accept("as much is true of " + (doubted - TOLD) + " more items");
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
                facts.boot = a.boot();
                facts.mark = a.mark();
            }
            case JournalRecord.Fetched f -> facts.fetched = f.crc32c();
            case JournalRecord.StepStarted s -> facts.started = s.step();
            case JournalRecord.StepEnded s -> {
                facts.started = null;
                facts.runs.add(s.run());
            }
            case JournalRecord.Staged s -> facts.staged = s.outputs();
            case JournalRecord.Granted g -> {
                facts.granted = g.outputs();
                facts.success = g.success();
            }
            case JournalRecord.Kept k -> facts.kept = k;
            case JournalRecord.Over o -> throw new IllegalStateException("handled above: " + o);
        }
    }

    /** Whether only its outputs are still of use: inputs of kept outputs are gone. */
    private boolean computed(List<StepRun> runs) {
        return runs.size() == steps && runs.stream().allMatch(r -> r.exit() == 0 && r.signal() == 0);
    }

    private @Nullable Attempt revive(Key key, Facts facts, long nowMillis) throws IOException, InterruptedException {
        var lease = facts.lease;
        if (lease == null) {
            return null;
        }
        var attempt = new Attempt(lease, nowMillis, true);
        long inputBytes = lease.inputs().stream()
                .mapToLong(i -> Buffer.footprint(Math.max(0, i.size())))
                .sum();
        var adopted = buffer.adopt(key.item(), key.generation(), key.attempt(), facts.tier, facts.mark, inputBytes);
        adopted.ifPresent(attempt::space);
        attempt.runs().addAll(facts.runs);
        if (facts.kept != null) {
            attempt.markDescribed();
        }
        if (!facts.granted.isEmpty()) {
            return granted(attempt, facts);
        }
        if (adopted.isEmpty()) {
            return null;
        }
        var space = adopted.get();
        boolean sameBoot = BootId.isSince(facts.boot);
        var doubt = doubt(lease, facts, space, sameBoot);
        if (doubt.isPresent()) {
            return doubted(attempt, facts, doubt.get());
        }
        var fetched = facts.fetched;
        if (fetched == null || !computed(facts.runs) && !fetch.stillThere(lease.inputs(), fetched, space.in())) {
            space.discard();
            return null;
        }
        if (!sameBoot) {
            if (facts.runs.isEmpty()) {
                // That a step had started may be lost, with half of what it wrote.
                space.empty();
            }
            journal.note(new JournalRecord.Admitted(lease, facts.tier, BootId.now(), facts.mark));
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

    /** Its bytes are at the destination, durable, but for those that are sent with the publication. */
    private @Nullable Attempt granted(Attempt attempt, Facts facts) throws InterruptedException {
        var bytes = facts.granted.stream()
                .filter(o -> o.kind().equals(StagedFile.Kind.INLINE.name()))
                .toList();
        if (attempt.hasSpace() && !bytes.isEmpty()) {
            var difference = kept.differsFromStaged(
                    attempt.space().out(), attempt.lease().key(), facts.success, bytes);
            if (difference.isPresent()) {
                // Where it is discarded the coordinator finds the pieces lost, and begins anew.
                return doubted(attempt, facts, difference.get());
            }
        }
        attempt.grant(facts.success, facts.granted);
        attempt.state(ItemState.COMMITTING);
        return attempt;
    }

    /** @return why its outputs, or what its steps have left so far, are not to be used; empty: they are */
    private Optional<String> doubt(ItemLease lease, Facts facts, ItemSpace space, boolean sameBoot)
            throws InterruptedException {
        var described = facts.kept;
        if (described != null) {
            return kept.differs(space.out(), lease.key(), described);
        }
        if (!facts.staged.isEmpty()) {
            return kept.differsFromStaged(space.out(), lease.key(), computed(facts.runs), facts.staged);
        }
        return sameBoot || facts.runs.isEmpty() && facts.started == null
                ? Optional.empty()
                : Optional.of("the machine was restarted before what its steps had written was on disk");
    }

    /** Run again, if that can be; else what is there is kept for people. */
    private @Nullable Attempt doubted(Attempt attempt, Facts facts, String why) throws InterruptedException {
        var lease = attempt.lease();
        boolean worth = facts.kept != null || computed(facts.runs);
        if (!worth || fetch.canFetch(lease.inputs())) {
            tellDoubt(lease.key(), why, "the item is run again");
            attempt.space().discard();
            return null;
        }
        tellDoubt(lease.key(), why, "nothing of it is published");
        attempt.markFetched(Optional.ofNullable(facts.fetched).orElse(List.of()));
        attempt.begin();
        attempt.state(ItemState.RUNNING);
        attempt.damaged(new Attempt.Damaged(why, list(attempt, facts, why)));
        return attempt;
    }

    private List<Unexported> list(Attempt attempt, Facts facts, String why) {
        var key = attempt.lease().key();
        var cause = "damaged: " + why;
        var described = facts.kept;
        if (described == null || !described.whole()) {
            return kept.list(attempt.space().out(), key, described == null || described.success(), cause);
        }
        return described.outputs().stream()
                .map(o -> new Unexported(
                        key,
                        o.output(),
                        o.path(),
                        o.to(),
                        o.size(),
                        cause,
                        attempt.space().out() + "/" + o.path()))
                .toList();
    }

    private void tellDoubt(String key, String why, String therefore) {
        if (doubted++ < TOLD) {
            tell.accept("what an earlier run left of item " + Printable.name(key) + " is not trusted: " + why + "; "
                    + therefore);
        }
    }
}
