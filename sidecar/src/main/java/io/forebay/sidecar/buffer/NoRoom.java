package io.forebay.sidecar.buffer;

import io.forebay.api.value.Bytes;
import io.forebay.sidecar.buffer.Ledger.Claim;
import java.time.Duration;

/** Why an item gets no room although a tier could hold it, in words. Pure. */
final class NoRoom {
    private NoRoom() {}

    /** What could not be exported is in the way, and stays until the run ends. */
    static String stranded(Ledger ledger, Claim claim) {
        var text = new StringBuilder(Bytes.of(claim.wantedBytes()).human())
                .append(" are needed in the buffer, where outputs that could not be exported are kept:");
        for (int t = claim.fromTier(); t < ledger.tiers(); t++) {
            text.append(t == claim.fromTier() ? " " : "; ")
                    .append(ledger.limits(t).label())
                    .append(" keeps ")
                    .append(Bytes.of(ledger.strandedBytes(t)).human())
                    .append(" of them, which leaves ")
                    .append(Bytes.of(ledger.roomIn(t)).human());
        }
        return text.toString();
    }

    /** @param closedBecause of each tier that is closed */
    static String blocked(Ledger ledger, Claim claim, String[] closedBecause, Duration waited) {
        return needed(claim) + " for " + waited.toSeconds() + " s: " + tiers(ledger, claim, closedBecause)
                + ". Free space there, or give the buffer another folder";
    }

    /** As {@link #blocked}, while it is so. */
    static String waiting(Ledger ledger, Claim claim, String[] closedBecause, Duration patience) {
        return needed(claim) + " now: " + tiers(ledger, claim, closedBecause)
                + ". Free space there; items that find none for " + patience.toSeconds() + " s are not run";
    }

    private static String needed(Claim claim) {
        return Bytes.of(claim.wantedBytes()).human()
                + " are needed in the buffer, nothing of this run is in the way, and there was no room";
    }

    private static String tiers(Ledger ledger, Claim claim, String[] closedBecause) {
        var text = new StringBuilder();
        for (int t = claim.fromTier(); t < ledger.tiers(); t++) {
            text.append(t == claim.fromTier() ? "" : "; ")
                    .append(ledger.limits(t).label());
            if (ledger.isOpen(t)) {
                long free = ledger.availableBytes(t) - ledger.liveBytes(t) - ledger.strandedBytes(t);
                text.append(" has ").append(Bytes.of(Math.max(0, free)).human()).append(" to give");
            } else {
                text.append(" is closed after I/O errors (")
                        .append(closedBecause[t])
                        .append(")");
            }
        }
        return text.toString();
    }
}
