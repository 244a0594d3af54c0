package io.forebay.sidecar.step;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What the host knows of one command. All of it is guarded by the lock of {@link Book}. */
final class Entry {
    enum State {
        /** An earlier life gave it to a runner; that one has not reported yet. */
        EXPECTED,
        QUEUED,
        /** On its way to a runner. */
        SENT,
        RUNNING,
        /** Told to the listener. */
        ENDED,
        /** The listener has it durable; the runner has not yet said that it forgot. */
        ACKNOWLEDGED
    }

    final StepHost.CommandId id;
    State state;
    /** null: known only by its id, from a runner or a journal. */
    StepHost.@Nullable Command command;
    /** Where it was sent to. */
    @Nullable
    Seat seat;
    /** To be stopped as soon as its runner is there; null: no. */
    @Nullable
    Duration stop;

    Entry(StepHost.CommandId id, State state) {
        this.id = id;
        this.state = state;
    }
}
