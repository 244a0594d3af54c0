package io.forebay.sidecar.step;

import io.forebay.sidecar.os.FileTree;
import io.forebay.sidecar.os.Open;
import io.forebay.sidecar.os.Posix;
import io.forebay.sidecar.os.PosixException;
import io.forebay.sidecar.os.PosixLock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Starts commands itself, where the step runner could not be built. {@link #MISSING} says what that costs.
 */
public final class InProcessRunner implements StepHost {
    /** For the user, once. */
    public static final String MISSING =
            "Steps run without the step runner (no C compiler when Forebay was built): commands are not kept out of each other's folders, "
                    + "those of a killed Forebay are killed and run again when it is started again, a process that leaves its "
                    + "command's tree may outlive it, an exit code above 128 is taken for a signal, and names that are not UTF-8 "
                    + "cannot be passed to a command.";

    private final String mark;
    private final Map<String, Integer> slots;
    private final Duration grace;
    private final StepServer.Output output;
    private final Events events;
    private final ExecutorService threads = Executors.newCachedThreadPool(
            Thread.ofPlatform().daemon().name("command-", 0).factory());

    private final ReentrantLock lock = new ReentrantLock();
    /** Guarded by lock, as all below. */
    private final Condition ended = lock.newCondition();

    private final Map<CommandId, State> states = new HashMap<>();
    private final Map<CommandId, LocalCommand> running = new HashMap<>();
    private final Map<String, Integer> busy = new HashMap<>();
    private final Map<String, ArrayDeque<Command>> queues = new HashMap<>();
    private boolean closed;

    private enum State {
        QUEUED,
        RUNNING,
        ENDED
    }

    /**
     * Kills what an earlier life with this mark left running.
     *
     * @param mark of this buffer, the same after a restart
     * @param slots of each step
     * @param grace for commands that still run at the close
     * @param notes is told {@link #MISSING}
     */
    public InProcessRunner(
            String mark,
            Map<String, Integer> slots,
            Listener listener,
            Duration grace,
            StepServer.Output output,
            Consumer<String> notes) {
        this.mark = mark;
        this.slots = Map.copyOf(slots);
        this.events = new Events(listener);
        this.grace = grace;
        this.output = output;
        notes.accept(MISSING);
        if (!Leftovers.startedBy(mark).end()) {
            notes.accept(
                    "commands that an earlier life of this run had started could not be killed; they may disturb the new ones");
        }
    }

    @Override
    public void submit(Command command) {
        lock.lock();
        try {
            if (closed || states.putIfAbsent(command.id(), State.QUEUED) != null) {
                return;
            }
            queues.computeIfAbsent(command.id().step(), s -> new ArrayDeque<>()).addLast(command);
            dispatch(command.id().step());
        } finally {
            lock.unlock();
        }
    }

    /** Nothing survives this process, so they are all lost. */
    @Override
    public void recover(List<CommandId> ids) {
        lock.lock();
        try {
            for (var id : ids) {
                if (states.putIfAbsent(id, State.ENDED) == null) {
                    events.ended(id, End.lost("it ended with the process that had started it"));
                }
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void stop(CommandId id, Duration patience) {
        lock.lock();
        try {
            var state = states.get(id);
            if (state == State.QUEUED) {
                queues.getOrDefault(id.step(), new ArrayDeque<>()).removeIf(c -> c.id().equals(id));
                states.put(id, State.ENDED);
                events.ended(id, End.unstarted(0, 15, "stopped before it was started"));
            }
            var command = running.get(id);
            if (command != null) {
                command.stop(patience);
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public CompletableFuture<Boolean> isUnwritten(CommandId id, String path) {
        try (var file = Posix.open(path, Open.RDONLY | Open.NOFOLLOW | Open.NONBLOCK)) {
            return CompletableFuture.completedFuture(PosixLock.hasNoWriter(file));
        } catch (PosixException e) {
            return CompletableFuture.completedFuture(false);
        }
    }

    /** Nothing to do: steps run as this process's own user. */
    @Override
    public CompletableFuture<Void> handOver(CommandId id, List<String> folders, String modesFile) {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<Void> clean(CommandId id, List<String> folders) {
        return CompletableFuture.runAsync(
                () -> {
                    for (var folder : folders) {
                        try {
                            FileTree.empty(folder);
                        } catch (PosixException e) {
                            throw new CompletionException(e);
                        }
                    }
                },
                threads);
    }

    @Override
    public void acknowledge(CommandId id) {
        lock.lock();
        try {
            states.remove(id, State.ENDED);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            queues.values().forEach(q -> q.forEach(c -> events.ended(c.id(), End.lost("the step host was closed"))));
            queues.clear();
            running.values().forEach(c -> c.stop(grace));
            long left = grace.plusSeconds(5).toNanos();
            while (!running.isEmpty() && left > 0) {
                left = ended.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            running.values().forEach(c -> c.stop(Duration.ZERO));
            lock.unlock();
        }
        threads.shutdown();
        try {
            threads.awaitTermination(1, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        events.close();
    }

    /** Under the lock. */
    private void dispatch(String step) {
        var queue = queues.get(step);
        int most = slots.getOrDefault(step, 1);
        while (queue != null && !queue.isEmpty() && busy.getOrDefault(step, 0) < most && !closed) {
            var next = queue.removeFirst();
            var command = new LocalCommand(next, mark, output, threads);
            states.put(next.id(), State.RUNNING);
            running.put(next.id(), command);
            busy.merge(step, 1, Integer::sum);
            threads.execute(() -> run(next.id(), command));
        }
    }

    private void run(CommandId id, LocalCommand command) {
        var end = command.run(() -> events.started(id));
        lock.lock();
        try {
            running.remove(id);
            states.put(id, State.ENDED);
            busy.merge(id.step(), -1, Integer::sum);
            events.ended(id, end);
            ended.signalAll();
            dispatch(id.step());
        } finally {
            lock.unlock();
        }
    }
}
