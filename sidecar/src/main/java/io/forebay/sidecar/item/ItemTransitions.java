package io.forebay.sidecar.item;

import org.jspecify.annotations.Nullable;

/**
 * The state machine of an item, the same in coordinator and worker. Pure: no clock, no I/O.
 *
 * <pre>
 * PENDING -LEASE-> LEASED -FETCH-> FETCHING -MAKE_READY-> READY -RUN-> RUNNING -FLUSH-> FLUSHING -DECIDE-> COMMITTING -COMPLETE-> DONE
 * </pre>
 *
 * A coordinator hears of a worker's states every few seconds only, so an attempt may be seen to skip some of LEASED to
 * FLUSHING; it never goes back, except from RUNNING to READY between two steps. COMMITTING is left by COMPLETE, LOSE_PIECES or
 * FAIL alone: what was decided is never withdrawn by the loss of a worker.
 */
public final class ItemTransitions {
    private ItemTransitions() {}

    /** @throws IllegalStateException naming state and event, if the event cannot happen there */
    public static ItemState next(ItemState state, ItemEvent event) {
        var next = target(state, event);
        if (next == null) {
            throw new IllegalStateException("an item that is " + state + " cannot " + event);
        }
        return next;
    }

    /** Whether the event can happen there. */
    public static boolean allows(ItemState state, ItemEvent event) {
        return target(state, event) != null;
    }

    private static @Nullable ItemState target(ItemState state, ItemEvent event) {
        return switch (event) {
            case LEASE -> state == ItemState.PENDING ? ItemState.LEASED : null;
            case FETCH -> state == ItemState.LEASED || state == ItemState.FETCHING ? ItemState.FETCHING : null;
            case MAKE_READY -> inAttempt(state) && state != ItemState.FLUSHING ? ItemState.READY : null;
            case RUN -> inAttempt(state) && state != ItemState.FLUSHING ? ItemState.RUNNING : null;
            case FLUSH -> inAttempt(state) ? ItemState.FLUSHING : null;
            case DECIDE -> inAttempt(state) ? ItemState.COMMITTING : null;
            case COMPLETE -> state == ItemState.COMMITTING ? ItemState.DONE : null;
            case FIND_RECORD -> state == ItemState.PENDING ? ItemState.DONE : null;
            case GIVE_BACK -> inAttempt(state) ? ItemState.PENDING : null;
            case LOSE_PIECES -> state == ItemState.COMMITTING ? ItemState.PENDING : null;
            case FAIL ->
                state == ItemState.PENDING || inAttempt(state) || state == ItemState.COMMITTING
                        ? ItemState.FAILED
                        : null;
            case TRY_AGAIN -> state == ItemState.FAILED ? ItemState.PENDING : null;
        };
    }

    /** Held by a worker, and undecided. */
    private static boolean inAttempt(ItemState state) {
        return switch (state) {
            case LEASED, FETCHING, READY, RUNNING, FLUSHING -> true;
            case PENDING, COMMITTING, DONE, FAILED -> false;
        };
    }
}
