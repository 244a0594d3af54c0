package io.forebay.sidecar.step;

import io.forebay.sidecar.step.StepHost.CommandId;
import io.forebay.sidecar.step.StepHost.End;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** A listener that remembers, and waits for conditions. */
final class Heard implements StepHost.Listener {
    private final Map<CommandId, List<End>> ends = new LinkedHashMap<>();
    private final List<CommandId> started = new ArrayList<>();
    private final List<CommandId> reattached = new ArrayList<>();

    @Override
    public synchronized void started(CommandId id) {
        started.add(id);
        notifyAll();
    }

    @Override
    public synchronized void ended(CommandId id, End end) {
        ends.computeIfAbsent(id, i -> new ArrayList<>()).add(end);
        notifyAll();
    }

    @Override
    public synchronized void reattached(List<CommandId> running) {
        reattached.addAll(running);
        notifyAll();
    }

    End end(CommandId id) {
        await("the end of " + id, () -> ends.containsKey(id));
        return ends(id).getFirst();
    }

    synchronized List<End> ends(CommandId id) {
        return List.copyOf(ends.getOrDefault(id, List.of()));
    }

    synchronized int endCount() {
        return ends.size();
    }

    synchronized List<CommandId> started() {
        return List.copyOf(started);
    }

    synchronized List<CommandId> reattached() {
        return List.copyOf(reattached);
    }

    void awaitStarted(CommandId id) {
        await("the start of " + id, () -> started.contains(id));
    }

    void awaitReattached(CommandId id) {
        await(id + " to be reattached", () -> reattached.contains(id));
    }

    /** The condition is looked at whenever something was heard, and every 20 ms. */
    synchronized void await(String what, BooleanSupplier condition) {
        long until = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > until) {
                throw new AssertionError("waited 60 s for " + what + "; ends: " + ends + " started: " + started);
            }
            try {
                wait(20);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AssertionError(e);
            }
        }
    }
}
