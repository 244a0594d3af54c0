package io.forebay.sidecar.worker;

import io.forebay.sidecar.step.StepHost;
import io.forebay.sidecar.step.StepHost.CommandId;
import io.forebay.sidecar.step.StepHost.End;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Turns what the step host tells into futures that attempts wait for. An end that nobody waits for yet (a runner that came back
 * after a restart) is kept until asked for. Thread-safe.
 */
public final class StepCalls implements StepHost.Listener {
    private final ConcurrentHashMap<CommandId, CompletableFuture<End>> ends = new ConcurrentHashMap<>();
    private final Set<CommandId> running = ConcurrentHashMap.newKeySet();

    /** The end of this command, whenever it comes or came. */
    CompletableFuture<End> end(CommandId id) {
        return ends.computeIfAbsent(id, k -> new CompletableFuture<>());
    }

    void forget(CommandId id) {
        ends.remove(id);
        running.remove(id);
    }

    /** Whether a runner said that it runs this command. */
    boolean isRunning(CommandId id) {
        return running.contains(id);
    }

    @Override
    public void started(CommandId id) {
        running.add(id);
    }

    @Override
    public void ended(CommandId id, End end) {
        running.remove(id);
        end(id).complete(end);
    }

    @Override
    public void reattached(List<CommandId> stillRunning) {
        running.addAll(stillRunning);
    }
}
