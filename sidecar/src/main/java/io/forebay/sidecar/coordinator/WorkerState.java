package io.forebay.sidecar.coordinator;

import io.forebay.message.Messages.WorkerCounters;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One process life of a worker, as the coordinator knows it. Guarded by the core's lock. */
final class WorkerState {
    final String name;
    final String instance;
    final String node;
    final int slots;
    /** Items it holds, in the order in which it got them. */
    final Map<Integer, Held> held = new LinkedHashMap<>();

    /** Items that its buffer has no room for as long as it lives. */
    final BitSet noRoom = new BitSet();

    /** How many of these must run alone. */
    int heldAlone;

    long leaseUntilNanos;
    /** Highest number of a renewal. */
    long renewal;
    /** It was told that nothing is left for it. */
    boolean toldDrained;
    /** It asked for items when it had nothing to begin, and got none. */
    boolean waits;
    /** What others were asked to give back for it, as far as it has been noticed that they did. */
    final List<Held> asked = new ArrayList<>();

    /** When it asked for items last. */
    long askedAtNanos;
    /** When it began an item last, or came. */
    long begunAtNanos;
    /** When a runner died under several of its items; 0: never. */
    long runnerLostAtNanos;

    @Nullable
    WorkerCounters counters;

    WorkerState(String name, String instance, String node, int slots) {
        this.name = name;
        this.instance = instance;
        this.node = node;
        this.slots = slots;
    }
}
