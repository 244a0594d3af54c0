package io.forebay.sidecar.step;

import io.forebay.sidecar.step.Entry.State;
import io.forebay.sidecar.step.StepHost.CommandId;
import io.forebay.sidecar.step.StepHost.End;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What runners say of their commands. The rules are those of {@link Protocol}. */
final class Runners {
    private final Book book;

    Runners(Book book) {
        this.book = book;
    }

    /** Gives the runner its seat, or says why not. After null its peer has been welcomed. */
    @Nullable
    String greet(Hello hello, Peer peer, List<String> fences) {
        return book.get(() -> {
            var seat = book.seats.computeIfAbsent(hello.seat(), Seat::new);
            if (book.closed) {
                return "this engine is ending";
            }
            if (seat.peer != null && !seat.instance.equals(hello.instance())) {
                return "another runner sits in seat %s; if it should run beside that one, give it another --seat"
                        .formatted(seat.name);
            }
            if (seat.peer != null) {
                seat.peer.close();
                book.leave(seat);
            }
            if (!seat.instance.equals(hello.instance())) {
                for (var entry : List.copyOf(seat.assigned)) {
                    book.lose(entry, "the step runner (seat %s) died with it".formatted(seat.name));
                }
                seat.ended.forEach(e -> {
                    e.seat = null;
                    if (e.state == State.ACKNOWLEDGED) {
                        book.forget(e);
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
            peer.send(new FrameWriter(Protocol.WELCOME)
                    .u16(Protocol.VERSION)
                    .list(fences)
                    .frame());
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
                    book.requeue(seat, entry);
                } else {
                    book.lose(entry, "the step runner has come back without it");
                }
            }
            for (var entry : List.copyOf(seat.ended)) {
                if (entry.state == State.ACKNOWLEDGED && !seat.reportedEnds.contains(entry.id)) { // FORGOTTEN was lost
                    seat.ended.remove(entry);
                    book.forget(entry);
                }
            }
            seat.announced = true;
            book.loseUnreported(seat);
            seat.reported.clear();
            seat.reportedEnds.clear();
            if (!back.isEmpty()) {
                book.events.reattached(back);
            }
            book.dispatch(seat.step);
        });
    }

    /** A runner that has reconnected still runs this. */
    private void takeUp(Seat seat, Peer peer, CommandId id, List<CommandId> back) {
        if (book.refuses(seat, id)) {
            Book.sendStop(peer, id, Duration.ZERO);
            return;
        }
        var entry = book.entries.computeIfAbsent(id, i -> new Entry(i, State.EXPECTED));
        switch (entry.state) {
            case EXPECTED, QUEUED -> {
                if (entry.state == State.QUEUED) {
                    book.queue(entry).remove(entry);
                }
                book.assign(seat, entry, State.RUNNING);
                back.add(id);
            }
            case SENT -> {
                entry.state = State.RUNNING;
                book.events.started(id);
            }
            case RUNNING -> {}
            case ENDED, ACKNOWLEDGED -> {
                Book.sendStop(peer, id, Duration.ZERO);
                return;
            }
        }
        if (entry.stop != null) {
            Book.sendStop(peer, id, entry.stop);
        }
    }

    void started(String seatName, Peer peer, CommandId id) {
        at(seatName, peer, seat -> {
            var entry = book.entries.get(id);
            if (entry != null && entry.seat == seat && entry.state == State.SENT) {
                entry.state = State.RUNNING;
                book.events.started(id);
            }
        });
    }

    /** @param unstarted the runner did not begin with it, and would have; it runs elsewhere */
    void ended(String seatName, Peer peer, CommandId id, End end, boolean unstarted) {
        at(seatName, peer, seat -> {
            if (!seat.announced) {
                seat.reportedEnds.add(id);
            }
            if (book.refuses(seat, id)) {
                peer.send(new FrameWriter(Protocol.ACK).id(id).frame());
                return;
            }
            var entry = book.entries.computeIfAbsent(id, i -> new Entry(i, State.EXPECTED));
            switch (entry.state) {
                case EXPECTED, QUEUED, SENT, RUNNING -> {
                    if (unstarted && entry.command != null && entry.seat == seat) {
                        peer.send(new FrameWriter(Protocol.ACK).id(id).frame()); // before it may be sent there again
                        book.requeue(seat, entry);
                        return;
                    }
                    if (entry.state == State.QUEUED) {
                        book.queue(entry).remove(entry);
                    }
                    if (entry.seat != null) {
                        entry.seat.assigned.remove(entry);
                    }
                    entry.seat = seat;
                    entry.state = State.ENDED;
                    seat.ended.add(entry);
                    book.events.ended(id, end);
                    book.dispatch(seat.step);
                }
                case ENDED -> {}
                case ACKNOWLEDGED ->
                    peer.send(new FrameWriter(Protocol.ACK).id(id).frame());
            }
        });
    }

    void forgotten(String seatName, Peer peer, CommandId id) {
        at(seatName, peer, seat -> {
            seat.fenced.remove(id);
            book.fenced.remove(id);
            var entry = book.entries.get(id);
            if (entry != null && seat.ended.remove(entry)) {
                book.forget(entry);
            }
            book.dispatch(seat.step);
        });
    }

    void leaving(String seatName, Peer peer) {
        at(seatName, peer, seat -> seat.leaving = true);
    }

    /** Its connection is gone. */
    void disconnected(String seatName, Peer peer) {
        at(seatName, peer, book::leave);
    }

    private interface SeatAction {
        void on(Seat seat);
    }

    /** What a peer says counts only while it sits there. */
    private void at(String seatName, Peer peer, SeatAction action) {
        book.locked(() -> {
            var seat = book.seats.get(seatName);
            if (seat != null && seat.peer == peer) {
                action.on(seat);
            }
        });
    }
}
