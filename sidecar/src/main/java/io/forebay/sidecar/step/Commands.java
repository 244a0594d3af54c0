package io.forebay.sidecar.step;

import io.forebay.sidecar.step.Entry.State;
import io.forebay.sidecar.step.StepHost.Command;
import io.forebay.sidecar.step.StepHost.CommandId;
import io.forebay.sidecar.step.StepHost.End;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Which command is where. Everything is decided here, under one lock, from what the worker asks and what runners say; the rules are those
 * of {@link Protocol}. Frames are only queued and events only noted under the lock.
 */
final class Commands {
    private final ReentrantLock lock = new ReentrantLock();
    private final Events events;
    private final ScheduledExecutorService timer;
    private final Duration lostAfter;

    /** Guarded by lock, as all below. */
    private final Map<CommandId, Entry> entries = new HashMap<>();
    /** By step. */
    private final Map<String, Deque<Entry>> queues = new HashMap<>();
    /** By name. */
    private final Map<String, Seat> seats = new HashMap<>();
    /** Recovered and told as lost before any runner reported; see {@link Seat#fenced}. */
    private final Set<CommandId> fenced = new HashSet<>();

    private boolean closed;

    /** @param lostAfter how long a runner may be away before its commands are told as lost */
    Commands(Events events, ScheduledExecutorService timer, Duration lostAfter) {
        this.events = events;
        this.timer = timer;
        this.lostAfter = lostAfter;
    }

    // ---- the worker asks

    void submit(Command command) {
        locked(() -> {
            var known = entries.get(command.id());
            if (known != null) {
                known.command = command; // counts only if it turns out to be lost, or forgotten
                return;
            }
            var entry = new Entry(command.id(), State.QUEUED);
            entry.command = command;
            entries.put(entry.id, entry);
            queue(entry).addLast(entry);
            dispatch(command.id().step());
        });
    }

    void recover(List<CommandId> ids) {
        locked(() -> {
            for (var id : ids) {
                entries.computeIfAbsent(id, i -> new Entry(i, State.EXPECTED));
            }
            later(() -> {
                for (var id : ids) {
                    var entry = entries.get(id);
                    if (entry != null && entry.state == State.EXPECTED) {
                        lose(entry, "no runner of step %s has come back within %d s"
                                .formatted(id.step(), lostAfter.toSeconds()));
                    }
                }
            });
            for (var seat : seats.values()) {
                if (seat.announced) {
                    loseUnreported(seat);
                }
            }
        });
    }

    void stop(CommandId id, Duration grace) {
        locked(() -> {
            var entry = entries.get(id);
            if (entry == null) {
                return;
            }
            switch (entry.state) {
                case QUEUED -> {
                    queue(entry).remove(entry);
                    entry.state = State.ENDED;
                    events.ended(id, End.unstarted(0, 15, "stopped before it was started"));
                }
                case EXPECTED, SENT, RUNNING -> {
                    entry.stop = grace;
                    if (entry.seat != null && entry.seat.peer != null && entry.seat.announced) {
                        sendStop(entry.seat.peer, id, grace);
                    }
                }
                case ENDED, ACKNOWLEDGED -> {}
            }
        });
    }

    void acknowledge(CommandId id) {
        locked(() -> {
            var entry = entries.get(id);
            if (entry == null || entry.state != State.ENDED) {
                return;
            }
            var seat = entry.seat;
            if (seat == null || !seat.ended.contains(entry)) { // no runner has it
                entries.remove(id);
                return;
            }
            entry.state = State.ACKNOWLEDGED;
            entry.command = null;
            if (seat.peer != null) {
                seat.peer.send(new FrameWriter(Protocol.ACK).id(id).frame());
            }
        });
    }

    // ---- runners say

    /** Gives the runner its seat, or says why not. After null its peer has been welcomed. */
    @Nullable String greet(Hello hello, Peer peer, List<String> fences) {
        return lockedGet(() -> {
            var seat = seats.computeIfAbsent(hello.seat(), Seat::new);
            if (closed) {
                return "this engine is ending";
            }
            if (seat.peer != null && !seat.instance.equals(hello.instance())) {
                return "another runner sits in seat %s; if it should run beside that one, give it another --seat".formatted(seat.name);
            }
            if (seat.peer != null) {
                seat.peer.close();
                leave(seat);
            }
            if (!seat.instance.equals(hello.instance())) {
                for (var entry : List.copyOf(seat.assigned)) {
                    lose(entry, "the step runner (seat %s) died with it".formatted(seat.name));
                }
                seat.ended.forEach(e -> {
                    e.seat = null;
                    if (e.state == State.ACKNOWLEDGED) {
                        forget(e);
                    }
                });
                seat.ended.clear();
                seat.fenced.clear();
            }
            seat.step = hello.step();
            seat.instance = hello.instance();
            seat.slots = hello.slots();
            seat.peer = peer;
            seat.connections++;
            seat.announced = false;
            seat.leaving = false;
            seat.reported.clear();
            seat.reportedEnds.clear();
            peer.send(new FrameWriter(Protocol.WELCOME).u16(Protocol.VERSION).list(fences).frame());
            return null;
        });
    }

    void running(String seatName, Peer peer, CommandId id) {
        at(seatName, peer, seat -> seat.reported.add(id));
    }

    void announced(String seatName, Peer peer) {
        at(seatName, peer, seat -> {
            var back = new ArrayList<CommandId>();
            for (var id : seat.reported) {
                takeUp(seat, peer, id, back);
            }
            for (var entry : List.copyOf(seat.assigned).reversed()) {
                if (seat.reported.contains(entry.id)) {
                    continue;
                }
                if (entry.state == State.SENT && entry.command != null) { // WORK was lost with the connection
                    requeue(seat, entry);
                } else {
                    lose(entry, "the step runner has come back without it");
                }
            }
            for (var entry : List.copyOf(seat.ended)) {
                if (entry.state == State.ACKNOWLEDGED && !seat.reportedEnds.contains(entry.id)) { // FORGOTTEN was lost
                    seat.ended.remove(entry);
                    forget(entry);
                }
            }
            seat.announced = true;
            loseUnreported(seat);
            seat.reported.clear();
            seat.reportedEnds.clear();
            if (!back.isEmpty()) {
                events.reattached(back);
            }
            dispatch(seat.step);
        });
    }

    /** A runner that has reconnected still runs this. */
    private void takeUp(Seat seat, Peer peer, CommandId id, List<CommandId> back) {
        if (isFenced(seat, id)) {
            sendStop(peer, id, Duration.ZERO);
            return;
        }
        var entry = entries.computeIfAbsent(id, i -> new Entry(i, State.EXPECTED));
        switch (entry.state) {
            case EXPECTED, QUEUED -> {
                if (entry.state == State.QUEUED) {
                    queue(entry).remove(entry);
                }
                assign(seat, entry, State.RUNNING);
                back.add(id);
            }
            case SENT -> {
                entry.state = State.RUNNING;
                events.started(id);
            }
            case RUNNING -> {}
            case ENDED, ACKNOWLEDGED -> {
                sendStop(peer, id, Duration.ZERO);
                return;
            }
        }
        if (entry.stop != null) {
            sendStop(peer, id, entry.stop);
        }
    }

    void started(String seatName, Peer peer, CommandId id) {
        at(seatName, peer, seat -> {
            var entry = entries.get(id);
            if (entry != null && entry.seat == seat && entry.state == State.SENT) {
                entry.state = State.RUNNING;
                events.started(id);
            }
        });
    }

    /** @param unstarted the runner did not begin with it, and would have; it runs elsewhere */
    void ended(String seatName, Peer peer, CommandId id, End end, boolean unstarted) {
        at(seatName, peer, seat -> {
            if (!seat.announced) {
                seat.reportedEnds.add(id);
            }
            if (isFenced(seat, id)) {
                peer.send(new FrameWriter(Protocol.ACK).id(id).frame());
                return;
            }
            var entry = entries.computeIfAbsent(id, i -> new Entry(i, State.EXPECTED));
            switch (entry.state) {
                case EXPECTED, QUEUED, SENT, RUNNING -> {
                    if (unstarted && entry.command != null && entry.seat == seat) {
                        requeue(seat, entry);
                        peer.send(new FrameWriter(Protocol.ACK).id(id).frame());
                        return;
                    }
                    if (entry.state == State.QUEUED) {
                        queue(entry).remove(entry);
                    }
                    if (entry.seat != null) {
                        entry.seat.assigned.remove(entry);
                    }
                    entry.seat = seat;
                    entry.state = State.ENDED;
                    seat.ended.add(entry);
                    events.ended(id, end);
                    dispatch(seat.step);
                }
                case ENDED -> {}
                case ACKNOWLEDGED -> peer.send(new FrameWriter(Protocol.ACK).id(id).frame());
            }
        });
    }

    void forgotten(String seatName, Peer peer, CommandId id) {
        at(seatName, peer, seat -> {
            seat.fenced.remove(id);
            fenced.remove(id);
            var entry = entries.get(id);
            if (entry != null && seat.ended.remove(entry)) {
                forget(entry);
            }
            dispatch(seat.step);
        });
    }

    void leaving(String seatName, Peer peer) {
        at(seatName, peer, seat -> seat.leaving = true);
    }

    /** Its connection is gone. */
    void disconnected(String seatName, Peer peer) {
        at(seatName, peer, this::leave);
    }

    // ---- looking

    /** The runner that a question about this command goes to; null: none is there. */
    @Nullable Peer runnerFor(CommandId id) {
        return lockedGet(() -> {
            var entry = entries.get(id);
            if (entry != null && entry.seat != null && entry.seat.announced) {
                return entry.seat.peer;
            }
            for (var seat : seats.values()) {
                if (seat.announced && seat.step.equals(id.step())) {
                    return seat.peer;
                }
            }
            return null;
        });
    }

    /** No new work from now on; tells all runners to end. */
    List<Peer> close(Duration grace) {
        return lockedGet(() -> {
            closed = true;
            var peers = new ArrayList<Peer>();
            for (var seat : seats.values()) {
                if (seat.peer != null) {
                    seat.peer.send(new FrameWriter(Protocol.BYE).u32(Math.min(grace.toMillis(), 0xFFFF_FFFFL)).frame());
                    peers.add(seat.peer);
                }
            }
            return peers;
        });
    }

    /** Tells the end of whatever has none: nobody is left who could. */
    void abandon() {
        locked(() -> {
            for (var entry : entries.values()) {
                switch (entry.state) {
                    case EXPECTED, QUEUED, SENT, RUNNING -> {
                        entry.state = State.ENDED;
                        events.ended(entry.id, End.lost("the step host was closed"));
                    }
                    case ENDED, ACKNOWLEDGED -> {}
                }
            }
        });
    }

    boolean someoneConnected() {
        return lockedGet(() -> seats.values().stream().anyMatch(s -> s.peer != null));
    }

    // ---- under the lock

    private void dispatch(String step) {
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
                    .list(c.environment().entrySet().stream().map(e -> e.getKey() + "=" + e.getValue()).toList())
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

    private void assign(Seat seat, Entry entry, State state) {
        entry.state = state;
        entry.seat = seat;
        seat.assigned.add(entry);
    }

    private void requeue(Seat seat, Entry entry) {
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

    private void lose(Entry entry, String why) {
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
    private void loseUnreported(Seat seat) {
        if (!seat.name.equals(seat.step)) {
            return; // others of this step may have it; time decides
        }
        for (var entry : List.copyOf(entries.values())) {
            if (entry.state == State.EXPECTED && entry.id.step().equals(seat.step)) {
                lose(entry, "the step runner of %s has come back without it".formatted(seat.step));
            }
        }
    }

    private void leave(Seat seat) {
        seat.peer = null;
        seat.announced = false;
        long connection = seat.connections;
        if (seat.assigned.isEmpty()) {
            return;
        }
        later(() -> {
            if (seat.peer == null && seat.connections == connection) {
                for (var entry : List.copyOf(seat.assigned)) {
                    lose(entry, "the step runner (seat %s) has been gone for %d s".formatted(seat.name, lostAfter.toSeconds()));
                }
            }
        });
    }

    /** No runner and no journal entry needs it any more; a command that was submitted again meanwhile starts. */
    private void forget(Entry entry) {
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

    private boolean isFenced(Seat seat, CommandId id) {
        return seat.fenced.contains(id) || fenced.contains(id);
    }

    private Deque<Entry> queue(Entry entry) {
        return queues.computeIfAbsent(entry.id.step(), s -> new ArrayDeque<>());
    }

    private static void sendStop(Peer peer, CommandId id, Duration grace) {
        peer.send(new FrameWriter(Protocol.STOP).id(id).u32(Math.min(grace.toMillis(), 0xFFFF_FFFFL)).frame());
    }

    private void later(Runnable action) {
        timer.schedule(() -> locked(action), lostAfter.toMillis(), TimeUnit.MILLISECONDS);
    }

    private interface SeatAction {
        void on(Seat seat);
    }

    /** What a peer says counts only while it sits there. */
    private void at(String seatName, Peer peer, SeatAction action) {
        locked(() -> {
            var seat = seats.get(seatName);
            if (seat != null && seat.peer == peer) {
                action.on(seat);
            }
        });
    }

    private void locked(Runnable action) {
        lock.lock();
        try {
            action.run();
        } finally {
            lock.unlock();
        }
    }

    private <T extends @Nullable Object> T lockedGet(java.util.function.Supplier<T> action) {
        lock.lock();
        try {
            return action.get();
        } finally {
            lock.unlock();
        }
    }
}
