package io.forebay.sidecar.step;

import io.forebay.sidecar.step.Entry.State;
import io.forebay.sidecar.step.StepHost.Command;
import io.forebay.sidecar.step.StepHost.CommandId;
import io.forebay.sidecar.step.StepHost.End;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the worker asks of its commands; the contracts are those of {@link StepHost}. */
final class Commands {
    private final Book book;

    Commands(Book book) {
        this.book = book;
    }

    void submit(Command command) {
        book.locked(() -> {
            var known = book.entries.get(command.id());
            if (known != null) {
                known.command = command; // counts only if it turns out to be lost, or forgotten
                return;
            }
            var entry = new Entry(command.id(), State.QUEUED);
            entry.command = command;
            book.entries.put(entry.id, entry);
            book.queue(entry).addLast(entry);
            book.dispatch(command.id().step());
        });
    }

    void recover(List<CommandId> ids) {
        book.locked(() -> {
            book.fenceUnclaimed(Set.copyOf(ids));
            for (var id : ids) {
                book.entries.computeIfAbsent(id, i -> new Entry(i, State.EXPECTED));
            }
            book.later(() -> {
                for (var id : ids) {
                    var entry = book.entries.get(id);
                    if (entry != null && entry.state == State.EXPECTED) {
                        book.lose(
                                entry,
                                "no runner of step %s has come back within %d s"
                                        .formatted(id.step(), book.lostAfter.toSeconds()));
                    }
                }
            });
            for (var seat : book.seats.values()) {
                if (seat.announced) {
                    book.loseUnreported(seat);
                }
            }
        });
    }

    void stop(CommandId id, Duration grace) {
        book.locked(() -> {
            var entry = book.entries.get(id);
            if (entry == null) {
                return;
            }
            switch (entry.state) {
                case QUEUED -> {
                    book.queue(entry).remove(entry);
                    entry.state = State.ENDED;
                    book.events.ended(id, End.unstarted(0, 15, "stopped before it was started"));
                }
                case EXPECTED, SENT, RUNNING -> {
                    entry.stop = grace;
                    if (entry.seat != null && entry.seat.peer != null && entry.seat.announced) {
                        Book.sendStop(entry.seat.peer, id, grace);
                    }
                }
                case ENDED, ACKNOWLEDGED -> {}
            }
        });
    }

    void acknowledge(CommandId id) {
        book.locked(() -> {
            var entry = book.entries.get(id);
            if (entry == null || entry.state != State.ENDED) {
                return;
            }
            var seat = entry.seat;
            if (seat == null || !seat.ended.contains(entry)) { // no runner has it
                book.entries.remove(id);
                return;
            }
            entry.state = State.ACKNOWLEDGED;
            entry.command = null;
            if (seat.peer != null) {
                seat.peer.send(new FrameWriter(Protocol.ACK).id(id).frame());
            }
        });
    }

    /** The runner that a question about this command goes to; null: none is there. */
    @Nullable
    Peer runnerFor(CommandId id) {
        return book.get(() -> {
            var entry = book.entries.get(id);
            if (entry != null && entry.seat != null && entry.seat.announced) {
                return entry.seat.peer;
            }
            for (var seat : book.seats.values()) {
                if (seat.announced && seat.step.equals(id.step())) {
                    return seat.peer;
                }
            }
            return null;
        });
    }

    /** No new work from now on; tells all runners to end. */
    void close(Duration grace) {
        book.locked(() -> {
            book.closed = true;
            for (var seat : book.seats.values()) {
                if (seat.peer != null) {
                    seat.peer.send(new FrameWriter(Protocol.BYE)
                            .u32(Math.min(grace.toMillis(), 0xFFFF_FFFFL))
                            .frame());
                }
            }
        });
    }

    /** Tells the end of whatever has none: nobody is left who could. */
    void abandon() {
        book.locked(() -> {
            for (var entry : book.entries.values()) {
                switch (entry.state) {
                    case EXPECTED, QUEUED, SENT, RUNNING -> {
                        entry.state = State.ENDED;
                        book.events.ended(entry.id, End.lost("the step host was closed"));
                    }
                    case ENDED, ACKNOWLEDGED -> {}
                }
            }
        });
    }

    boolean someoneConnected() {
        return book.get(() -> book.seats.values().stream().anyMatch(s -> s.peer != null));
    }
}
