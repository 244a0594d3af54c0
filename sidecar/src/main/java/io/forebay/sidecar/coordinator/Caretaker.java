package io.forebay.sidecar.coordinator;

import io.forebay.api.value.StoreUri;
import io.forebay.message.Messages.Failure;
import io.forebay.message.Messages.StagedOutput;
import io.forebay.sidecar.coordinator.OutputsOnRecord.Decision;
import io.forebay.sidecar.item.ItemEvent;
import io.forebay.sidecar.item.ItemState;
import io.forebay.sidecar.link.CoordinatorLink.LinkException;
import io.forebay.sidecar.outcome.ExitCode;
import io.forebay.sidecar.records.LogEntry;
import io.forebay.sidecar.records.RecordLog.Ticket;
import io.forebay.sidecar.records.StoreRetry;
import io.forebay.sidecar.store.StagedMessages;
import io.forebay.sidecar.store.Store;
import io.forebay.sidecar.store.Store.PublishOutcome;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.Stores;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the coordinator itself does at the stores: removes what attempts left staged, and carries out intents that nobody else
 * can. Both may be done any number of times, by several at once.
 */
final class Caretaker {
    /** S3 refuses a request that was signed longer ago (RequestTimeTooSkewed); some slack for clocks. */
    private static final Duration LATEST_REQUEST = Duration.ofMinutes(16);

    private static final Duration TRY_AGAIN = Duration.ofSeconds(5);

    private final Core core;
    private final Stores stores;
    private final StoreRetry retry;
    /** Guarded by the core's lock. */
    private int active;

    Caretaker(Core core, Stores stores, StoreRetry retry) {
        this.core = core;
        this.stores = stores;
        this.retry = retry;
    }

    /** One piece of work. */
    @FunctionalInterface
    interface Task {
        void run() throws LinkException, InterruptedException;
    }

    /** Under the lock. @return the next piece of work that can be done now; null: none */
    @Nullable
    Task next() {
        var item = core.cleanings.poll();
        if (item != null) {
            int cleaned = item;
            return counted(() -> clean(cleaned));
        }
        if (core.now() < core.recoveringUntilNanos) {
            return null;
        }
        for (var orphan : core.orphans) {
            var residue = core.residue(orphan);
            if (core.now() >= residue.retryAtNanos) {
                core.orphans.remove(orphan);
                if (core.held.containsKey(orphan) || core.table.state(orphan) != ItemState.COMMITTING) {
                    return counted(() -> {});
                }
                int carried = orphan;
                return counted(() -> carryOut(carried));
            }
        }
        return null;
    }

    private Task counted(Task task) {
        active++;
        return () -> {
            try {
                task.run();
            } finally {
                core.lock.lock();
                try {
                    active--;
                    core.changed.signalAll();
                } finally {
                    core.lock.unlock();
                }
            }
        };
    }

    /** Under the lock. */
    boolean idle() {
        return active == 0 && core.cleanings.isEmpty() && core.orphans.isEmpty();
    }

    private void clean(int item) throws LinkException, InterruptedException {
        List<StagedOutput> leftovers;
        List<Decision> onClose;
        Ticket fence;
        core.lock.lock();
        try {
            var residue = core.residues.get(item);
            leftovers = residue == null ? List.of() : residue.leftovers();
            onClose = residue == null ? List.of() : List.copyOf(residue.onClose);
            fence = core.append(new LogEntry.Fenced(
                    core.table.id(item), item, core.table.generation(item), core.table.fenced(item)));
        } finally {
            core.lock.unlock();
        }
        // Only then: a successor that reads this can grant nothing to those attempts.
        core.awaitDurable(fence);
        for (var decision : onClose) {
            publishIfThere(decision);
        }
        discard(leftovers);
        core.lock.lock();
        try {
            var residue = core.residues.get(item);
            if (residue != null) {
                residue.staged.clear();
                residue.onClose.removeAll(onClose);
                if (residue.isEmpty()) {
                    core.residues.remove(item);
                }
            }
            core.append(new LogEntry.Cleaned(
                    core.table.id(item), item, core.table.generation(item), core.table.fenced(item)));
            core.pending.endCleaning(item);
        } finally {
            core.lock.unlock();
        }
    }

    /** A file of {@code publish: OnClose} whose attempt is lost: what was decided is published if it still can be. */
    private void publishIfThere(Decision decision) throws InterruptedException {
        try {
            publish(decision.outputs());
        } catch (StoreException e) {
            core.sayLocked("cannot publish " + decision.outputs().getFirst().finalUri() + ": " + e.getMessage());
        }
    }

    /** Removes or carries out what items of older plans left. @param strays by item id */
    void tidyStrays(java.util.Map<String, OutputsOnRecord> strays) throws LinkException, InterruptedException {
        for (var stray : strays.entrySet()) {
            var residue = stray.getValue();
            for (var decision : residue.onClose) {
                publishIfThere(decision);
            }
            if (residue.decided != null) {
                publishIfThere(residue.decided);
            }
            discard(residue.leftovers());
            core.append(new LogEntry.Settled(stray.getKey()));
        }
        core.awaitDurable(core.log.last());
    }

    /** A failure is told, not thrown: a leftover is untidy, but those who left it can publish nothing. */
    void discard(List<StagedOutput> outputs) throws InterruptedException {
        for (var output : outputs) {
            if (output.handle().isEmpty()) {
                continue;
            }
            try {
                var store = stores.at(StoreUri.parse(output.finalUri()));
                retry.run(() -> store.discard(StagedMessages.stub(output)));
            } catch (StoreException e) {
                core.sayLocked(
                        "cannot remove " + output.handle() + " beside " + output.finalUri() + ": " + e.getMessage());
            }
        }
    }

    /** @return what is lost for good */
    List<StagedOutput> publish(List<StagedOutput> outputs) throws StoreException, InterruptedException {
        var lost = new ArrayList<StagedOutput>();
        var folders = new LinkedHashMap<Store, List<String>>();
        for (var output : outputs) {
            var uri = StoreUri.parse(output.finalUri());
            var store = stores.at(uri);
            var file = StagedMessages.file(output);
            if (retry.call(() -> store.publish(file, new Store.InlineSource.Absent())) == PublishOutcome.LOST) {
                lost.add(output);
            } else {
                folders.computeIfAbsent(store, s -> new ArrayList<>()).add(uri.path());
            }
        }
        for (var folder : folders.entrySet()) {
            retry.run(() -> folder.getKey().syncFolders(folder.getValue()));
        }
        return lost;
    }

    private void carryOut(int item) throws LinkException, InterruptedException {
        Decision decided;
        core.lock.lock();
        try {
            decided = core.residue(item).decided;
        } finally {
            core.lock.unlock();
        }
        if (decided == null) {
            return;
        }
        if (decided.ticket() != null) {
            core.awaitDurable(decided.ticket());
        }
        List<StagedOutput> lost;
        try {
            lost = publish(decided.outputs());
        } catch (StoreException e) {
            cannotPublish(item, decided, e);
            return;
        }
        Ticket ticket;
        core.lock.lock();
        try {
            var residue = core.residues.get(item);
            if (core.table.state(item) != ItemState.COMMITTING || residue == null || residue.decided != decided) {
                return;
            }
            ticket = lost.isEmpty() ? carriedOut(item, decided, residue) : piecesLost(item, decided, residue, lost);
        } finally {
            core.lock.unlock();
        }
        if (ticket != null) {
            core.awaitDurable(ticket);
        }
    }

    private void dropHold(int item) {
        var h = core.held.get(item);
        if (h != null) {
            core.letGo(h);
        }
    }

    private Ticket carriedOut(int item, Decision decided, OutputsOnRecord residue) {
        dropHold(item);
        var published = residue.published();
        core.residues.remove(item);
        if (decided.success()) {
            core.table.apply(item, ItemEvent.COMPLETE);
            core.table.listAnew(item);
            core.say("item " + core.keyOf(item) + " was published from its intent: its worker is gone");
            return core.append(CompletionEntries.of(
                    core,
                    core.plan.item(item),
                    item,
                    decided.attempt(),
                    decided.intent().worker(),
                    List.of(),
                    published,
                    List.of(),
                    null,
                    List.of()));
        }
        var failure = new Failure(
                "StepFailed",
                "a step of item " + core.keyOf(item) + " failed; its worker was lost before it could say more",
                ExitCode.STEP_FAILED.number(),
                true,
                true,
                false,
                false);
        return fail(item, decided, failure, published, List.of());
    }

    private Ticket fail(
            int item,
            Decision decided,
            Failure failure,
            List<StagedOutput> published,
            List<io.forebay.message.Messages.Unexported> unexported) {
        var ticket = core.append(new LogEntry.Failed(
                core.table.id(item),
                item,
                core.keyOf(item),
                core.table.generation(item),
                decided.attempt(),
                decided.intent().worker(),
                true,
                failure,
                List.of(),
                published,
                unexported,
                null,
                core.options.clock().millis(),
                List.of()));
        core.failForGood(item, core.keyOf(item), decided.attempt(), failure, List.of(), unexported);
        return ticket;
    }

    /** A new generation, once nobody can publish what is left of this one. @return null: not yet */
    private @Nullable Ticket piecesLost(int item, Decision decided, OutputsOnRecord residue, List<StagedOutput> lost) {
        if (core.held.containsKey(item)) {
            return null;
        }
        boolean harmless = decided.outputs().stream().noneMatch(o -> o.handle().isEmpty());
        long silent = core.now() - residue.orphanedAtNanos;
        if (!residue.publisherGone && !harmless && silent < LATEST_REQUEST.toNanos()) {
            residue.retryAtNanos = core.now() + TRY_AGAIN.toNanos();
            core.orphans.add(item);
            return null;
        }
        core.say("item " + core.keyOf(item) + " is run again: "
                + lost.getFirst().finalUri() + " and what was staged for it are lost");
        residue.staged.addAll(decided.outputs());
        residue.decided = null;
        core.table.apply(item, ItemEvent.LOSE_PIECES);
        core.table.generation(item, core.table.generation(item) + 1);
        var ticket = core.append(new LogEntry.NewGeneration(core.table.id(item), item, core.table.generation(item)));
        core.cleanFirst(item);
        return ticket;
    }

    private void cannotPublish(int item, Decision decided, StoreException e)
            throws LinkException, InterruptedException {
        Ticket ticket = null;
        core.lock.lock();
        try {
            var residue = core.residues.get(item);
            if (core.table.state(item) != ItemState.COMMITTING || residue == null || residue.decided != decided) {
                return;
            }
            core.say("cannot publish item " + core.keyOf(item) + ": " + e.getMessage());
            if (e.kind().worthRetrying()) {
                residue.retryAtNanos = core.now() + TRY_AGAIN.toNanos();
                core.orphans.add(item);
            } else if (!core.held.containsKey(item)) {
                var list = decided.outputs().stream()
                        .map(o -> new io.forebay.message.Messages.Unexported(
                                core.keyOf(item),
                                o.output(),
                                o.relative(),
                                o.finalUri(),
                                o.size(),
                                String.valueOf(e.getMessage()),
                                null))
                        .toList();
                var failure = new Failure(
                        "Flush",
                        "cannot publish the outputs of item " + core.keyOf(item) + ": " + e.getMessage(),
                        ExitCode.NOT_DURABLE.number(),
                        true,
                        true,
                        e.wholeStore(),
                        false);
                ticket = fail(item, decided, failure, List.of(), list);
            }
        } finally {
            core.lock.unlock();
        }
        if (ticket != null) {
            core.awaitDurable(ticket);
        }
    }
}
