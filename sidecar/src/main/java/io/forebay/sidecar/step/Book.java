package io.forebay.sidecar.step;

import io.forebay.sidecar.step.Entry.State;
import io.forebay.sidecar.step.StepHost.CommandId;
import io.forebay.sidecar.step.StepHost.End;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Which command is where, and what can be done about that. Everything is under one lock: its methods are called within {@link
 * #locked} but for that one. Frames are only queued and events only noted there; nothing waits.
 */
final class Book {
    private final ReentrantLock lock = new ReentrantLock();
    private final ScheduledExecutorService timer;
    final Events events;
    final Duration lostAfter;

    /** Guarded by lock, as all below. */
    final Map<CommandId, Entry> entries = new HashMap<>();
    /** By step. */
    private final Map<String, Deque<Entry>> queues = new HashMap<>();
    /** By name. */
    final Map<String, Seat> seats = new HashMap<>();
    /** Recovered and told as lost before any runner reported; see {@link Seat#fenced}. */
    final Set<CommandId> fenced = new HashSet<>();

    /** The worker has said what it still wants of an earlier life's commands. */
    boolean recovered;

    boolean closed;

    /** @param lostAfter how long a runner may be away before its commands are told as lost */
    Book(Events events, ScheduledExecutorService timer, Duration lostAfter) {
        this.events = events;
        this.timer = timer;
        this.lostAfter = lostAfter;
    }

    void dispatch(String step) {
        var queue = queues.get(step);
        if (queue == null || closed) {
            return;
        }
        for (var seat : seats.values()) {
            while (seat.step.equals(step) && seat.takesWork() && seat.peer != null && !queue.isEmpty()) {
                send(seat, seat.peer, queue.removeFirst());
            }
        }
    }

    private void send(Seat seat, Peer peer, Entry entry) {
        var c = entry.command;
        if (c == null) {
            throw new IllegalStateException("queued without a command: " + entry.id);
        }
        try {
            var frame = new FrameWriter(Protocol.WORK)
                    .id(c.id())
                    .text(c.label())
                    .list(c.argv())
                    .list(c.environment().entrySet().stream()
                            .map(e -> e.getKey() + "=" + e.getValue())
                            .toList())
                    .text(c.workingFolder())
                    .list(c.readable())
                    .list(c.writable())
                    .text(c.logFile())
                    .u64(c.memoryLimitBytes().orElse(0L))
                    .frame();
            assign(seat, entry, State.SENT);
            peer.send(frame);
        } catch (IllegalArgumentException e) {
            entry.state = State.ENDED;
            events.ended(entry.id, End.unstarted(126, 0, "the command cannot be passed to a step: " + e.getMessage()));
        }
    }

    void assign(Seat seat, Entry entry, State state) {
        entry.state = state;
        entry.seat = seat;
        seat.assigned.add(entry);
    }

    void requeue(Seat seat, Entry entry) {
        seat.assigned.remove(entry);
        entry.seat = null;
        if (entry.stop != null) {
            entry.state = State.ENDED;
            events.ended(entry.id, End.unstarted(0, 15, "stopped before it was started"));
            return;
        }
        entry.state = State.QUEUED;
        queue(entry).addFirst(entry);
        dispatch(entry.id.step());
    }

    void lose(Entry entry, String why) {
        if (entry.seat != null) {
            entry.seat.assigned.remove(entry);
            entry.seat.fenced.add(entry.id);
        } else {
            fenced.add(entry.id);
        }
        entry.seat = null;
        if (entry.command != null && entry.stop == null && entry.state == State.EXPECTED) { // submitted again meanwhile
            fenced.remove(entry.id);
            entry.state = State.QUEUED;
            queue(entry).addLast(entry);
            dispatch(entry.id.step());
            return;
        }
        entry.state = State.ENDED;
        events.ended(entry.id, End.lost(why));
    }

    /** The one runner of a step has said what it has: what was expected and is not among that is lost. */
    void loseUnreported(Seat seat) {
        if (!seat.name.equals(seat.step)) {
            return; // others of this step may have it; time decides
        }
        for (var entry : List.copyOf(entries.values())) {
            if (entry.state == State.EXPECTED && entry.id.step().equals(seat.step)) {
                lose(entry, "the step runner of %s has come back without it".formatted(seat.step));
            }
        }
    }

    void leave(Seat seat) {
        seat.peer = null;
        seat.announced = false;
        long connection = seat.connections;
        if (seat.assigned.isEmpty()) {
            return;
        }
        later(() -> {
            if (seat.peer == null && seat.connections == connection) {
                for (var entry : List.copyOf(seat.assigned)) {
                    lose(
                            entry,
                            "the step runner (seat %s) has been gone for %d s"
                                    .formatted(seat.name, lostAfter.toSeconds()));
                }
            }
        });
    }

    /** No runner and no journal entry needs it any more; a command that was submitted again meanwhile starts. */
    void forget(Entry entry) {
        entry.seat = null;
        if (entry.state == State.ENDED) {
            return; // the worker has not yet acknowledged it
        }
        if (entry.command == null) {
            entries.remove(entry.id);
        } else {
            entry.state = State.QUEUED;
            queue(entry).addLast(entry);
        }
    }

    /** What a runner has, and no attempt that lives. */
    void fenceUnclaimed(Set<CommandId> claimed) {
        recovered = true;
        for (var entry : List.copyOf(entries.values())) {
            var seat = entry.seat;
            if (entry.command != null || seat == null || claimed.contains(entry.id)) {
                continue;
            }
            boolean runs = entry.state == State.RUNNING;
            if (!runs && entry.state != State.ENDED) {
                continue;
            }
            entries.remove(entry.id);
            seat.assigned.remove(entry);
            seat.ended.remove(entry);
            seat.fenced.add(entry.id);
            if (seat.peer != null && runs) {
                sendStop(seat.peer, entry.id, Duration.ZERO);
            } else if (seat.peer != null) {
                seat.peer.send(new FrameWriter(Protocol.ACK).id(entry.id).frame());
            }
        }
    }

    /** Whether a runner has to get rid of it: it was told as lost, or no attempt that lives claims it, which fences it. */
    boolean refuses(Seat seat, CommandId id) {
        if (recovered && !entries.containsKey(id)) {
            seat.fenced.add(id);
        }
        return seat.fenced.contains(id) || fenced.contains(id);
    }

    Deque<Entry> queue(Entry entry) {
        return queues.computeIfAbsent(entry.id.step(), s -> new ArrayDeque<>());
    }

    static void sendStop(Peer peer, CommandId id, Duration grace) {
        peer.send(new FrameWriter(Protocol.STOP)
                .id(id)
                .u32(Math.min(grace.toMillis(), 0xFFFF_FFFFL))
                .frame());
    }

    void later(Runnable action) {
        timer.schedule(() -> locked(action), lostAfter.toMillis(), TimeUnit.MILLISECONDS);
    }

    void locked(Runnable action) {
        lock.lock();
        try {
            action.run();
        } finally {
            lock.unlock();
        }
    }

    <T extends @Nullable Object> T get(Supplier<T> action) {
        lock.lock();
        try {
            return action.get();
        } finally {
            lock.unlock();
        }
    }
}
