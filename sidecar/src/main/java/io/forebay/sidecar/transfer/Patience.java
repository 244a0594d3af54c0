package io.forebay.sidecar.transfer;

/**
 * How long a read may stand still: never judged by a clock alone, since on a slow line each piece takes long. Nanoseconds.
 *
 * @param gate of the store, which knows how long pieces take and whether others move
 */
record Patience(TransferConfig config, Gate gate) {
    /** A piece may take so many times the usual before its request counts as stalled. */
    private static final int SLOW_FACTOR = 4;

    /** After so long a read is given a second request, if others move meanwhile. */
    long hedge() {
        return Math.max(config.hedgeAfter().toNanos(), SLOW_FACTOR * gate.pieceNanos());
    }

    /** After so long it is given up. */
    long stall() {
        return Math.max(config.readStallAfter().toNanos(), 2 * hedge());
    }

    /**
     * Whether a second request is due. Later if nobody moves at this store: then it is not this request alone that hangs.
     *
     * @param idle how long the read stands still
     * @param movedAt when it moved last, in the gate's time
     * @param sinceHedge since the last second request, or the read's begin
     */
    boolean hedgeIsDue(long idle, long movedAt, long sinceHedge) {
        long due = hedge();
        return sinceHedge >= due && (idle >= 2 * due || (idle >= due && gate.lastProgressNanos() - movedAt > 0));
    }
}
