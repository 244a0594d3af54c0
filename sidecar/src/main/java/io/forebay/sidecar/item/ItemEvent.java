package io.forebay.sidecar.item;

/** What moves an item; {@link ItemTransitions} says from where to where. */
public enum ItemEvent {
    /** An attempt is granted to a worker, or found again at one that still holds it. */
    LEASE,
    /** Its inputs are being brought in. */
    FETCH,
    /** It waits for its next step. */
    MAKE_READY,
    /** A step's command runs. */
    RUN,
    /** The last step ended; outputs are being staged. */
    FLUSH,
    /** The commit intent is durable: from here on the generation is decided. */
    DECIDE,
    /** All outputs of the intent are at their final names, and the completion is recorded. */
    COMPLETE,
    /** A record of an earlier run counts for this item. */
    FIND_RECORD,
    /** The attempt failed or was lost, undecided; another may follow. */
    GIVE_BACK,
    /** Pieces of the decided outputs are lost for good: a new generation begins. */
    LOSE_PIECES,
    /** It failed, and no attempt follows in this run. */
    FAIL,
    /** A new run tries a failed item again. */
    TRY_AGAIN
}
