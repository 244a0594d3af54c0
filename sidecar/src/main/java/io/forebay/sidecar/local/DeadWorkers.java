package io.forebay.sidecar.local;

import io.forebay.api.job.Job;
import io.forebay.api.value.Bytes;
import io.forebay.sidecar.buffer.BufferRoots;
import io.forebay.sidecar.records.DurableItems;
import io.forebay.sidecar.records.RecordsDamagedException;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.Stores;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Buffers that dead workers of one job left on this machine, beside the one that starts there now. One is removed when the records say of
 * each item that it was at, that all its outputs are durable: whatever it holds is worth nothing then. Else it may be the only copy of
 * something, and stays; the worker's own restart takes it up.
 */
public final class DeadWorkers {
    /** What the job's records say. */
    @FunctionalInterface
    interface Records {
        /** @return those of the items, by identity, whose outputs are all durable */
        Set<String> durable(Set<String> items) throws StoreException, RecordsDamagedException, InterruptedException;
    }

    /** With records that are away: nothing is removed then. */
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final String job;
    private final String own;
    private final Records records;

    /** @param job token of the job @param own token of the worker that starts: what it left itself it takes up again */
    DeadWorkers(String job, String own, Records records) {
        this.job = job;
        this.own = own;
        this.records = records;
    }

    /**
     * Before a worker's buffer is sized: what dead ones left takes memory away. Removes also what other dead jobs of this user left that can
     * be fetched again.
     *
     * @param wish of the worker that starts
     * @param lines told to the user
     */
    public static void sweep(
            Job job, BufferPlace.Wish wish, Map<String, String> environment, Stores stores, Consumer<String> lines)
            throws InterruptedException {
        try {
            var bases = BufferPlace.bases(wish.disk(), environment);
            var own = BufferPlace.tokenOf(job, wish.worker());
            Records records = items ->
                    DurableItems.of(job.records(), job.name(), stores, PATIENCE).among(items);
            new DeadWorkers(BufferPlace.tokenOf(job), own, records).sweep(bases).forEach(lines);
            new DeadBuffers(Instant.now(), own).sweep(bases).forEach(lines);
        } catch (IOException e) {
            // No folder for disk buffers: told if this job needs one.
        }
    }

    /** @param bases folders where buffers lie @return what was removed, and what was not, in words */
    List<String> sweep(Set<String> bases) throws InterruptedException {
        var told = new ArrayList<String>();
        for (var base : bases) {
            try {
                for (var control : BufferRoots.ours(base)) {
                    if (control.endsWith(BufferPlace.CONTROL) && !control.contains("-" + own + "-")) {
                        look(Path.of(control)).ifPresent(told::add);
                    }
                }
            } catch (IOException e) {
                told.add("buffers of dead workers in " + base + " could not be looked at: " + e.getMessage());
            }
        }
        return told;
    }

    private Optional<String> look(Path control) throws IOException, InterruptedException {
        var owner = BufferHold.ownerOf(control).filter(o -> o.job().equals(job));
        if (owner.isEmpty()) {
            return Optional.empty();
        }
        var asked = BufferRoots.ifUnused(control.toString(), () -> {
                    var buffer = DeadBuffer.at(control).orElse(null);
                    return buffer == null ? Optional.<DeadBuffer.Contents>empty() : Optional.of(buffer.contents());
                })
                .flatMap(found -> found);
        if (asked.isEmpty()) {
            return Optional.empty();
        }
        var contents = asked.get();
        long open = contents.items().size() - durable(contents.items());
        if (!contents.known()) {
            return Optional.of(
                    kept(owner.get().worker(), control, "its journal is damaged, so it may be worth something"));
        }
        if (open > 0) {
            return contents.results()
                    ? Optional.of(kept(
                            owner.get().worker(),
                            control,
                            "it has results, and " + open + " of its items are not durable yet"))
                    : Optional.empty();
        }
        return BufferRoots.ifUnused(
                        control.toString(), () -> removed(owner.get().worker(), control, contents))
                .flatMap(words -> words);
    }

    /** None, if the records cannot be asked. */
    private int durable(Set<String> items) throws InterruptedException {
        if (items.isEmpty()) {
            return 0;
        }
        try {
            return records.durable(items).size();
        } catch (StoreException | RecordsDamagedException e) {
            return 0;
        }
    }

    /** Unless it was taken up again meanwhile. */
    private static Optional<String> removed(String worker, Path control, DeadBuffer.Contents judged)
            throws IOException {
        var buffer = DeadBuffer.at(control).orElse(null);
        if (buffer == null || !buffer.contents().equals(judged)) {
            return Optional.empty();
        }
        return Optional.of(
                "removed what worker %s had left when it died, %s in %s: all that it was at is durable by now"
                        .formatted(worker, Bytes.of(buffer.remove()).human(), buffer.where()));
    }

    private static String kept(String worker, Path control, String why) throws IOException {
        return "kept what worker %s had left when it died, in %s: %s. Started again (--worker %s) it goes on with that; else it is computed anew"
                .formatted(worker, String.join(", ", BufferHold.rootsOf(control)), why, worker);
    }
}
