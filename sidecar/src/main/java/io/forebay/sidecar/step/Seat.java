package io.forebay.sidecar.step;

import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One place that runners sit in, one after the other. All of it is guarded by the lock of {@link Book}. */
final class Seat {
    final String name;
    String step = "";
    /** The runner that sits here, or did last. */
    String instance = "";
    /** null: not connected. */
    @Nullable
    Peer peer;
    /** Has said all that it has. */
    boolean announced;

    boolean leaving;
    int slots;
    /** Counts connections; a timer knows by it whether the runner has been back. */
    long connections;

    /** SENT or RUNNING here. */
    final Set<Entry> assigned = new LinkedHashSet<>();
    /** ENDED here and not forgotten by the runner. */
    final Set<Entry> ended = new LinkedHashSet<>();
    /** Told to be RUNNING on this connection, until announced. */
    final Set<StepHost.CommandId> reported = new HashSet<>();
    /** Told to be ended on this connection, until announced. */
    final Set<StepHost.CommandId> reportedEnds = new HashSet<>();
    /** Told as lost while this instance was away. If it comes back it has to kill them. */
    final Set<StepHost.CommandId> fenced = new HashSet<>();

    Seat(String name) {
        this.name = name;
    }

    boolean takesWork() {
        return announced && !leaving && assigned.size() < slots && ended.size() < Protocol.MAX_UNACKNOWLEDGED;
    }
}
