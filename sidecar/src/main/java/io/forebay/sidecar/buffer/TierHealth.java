package io.forebay.sidecar.buffer;

import java.time.Duration;

/**
 * Whether a tier that gave I/O errors takes new items. Two errors close it, for 10 s; when that time is over it is tried (by
 * the caller), and a failed trial closes it for twice as long, 2 min at most. A trial that went well forgets everything, as 5
 * min without an error do. Pure; not thread-safe; times from any one clock.
 */
final class TierHealth {
    private static final int STRIKES = 2;
    private static final long FORGET_NANOS = Duration.ofMinutes(5).toNanos();
    private static final long FIRST_NANOS = Duration.ofSeconds(10).toNanos();
    private static final long LONGEST_NANOS = Duration.ofMinutes(2).toNanos();

    private int strikes;
    private long lastStrike;
    private boolean closed;
    private long closedFor;
    private long until;

    /** @return whether the tier is closed now */
    boolean failed(long now) {
        if (closed) {
            return true;
        }
        strikes = strikes > 0 && now - lastStrike > FORGET_NANOS ? 1 : strikes + 1;
        lastStrike = now;
        if (strikes >= STRIKES) {
            close(now, FIRST_NANOS);
        }
        return closed;
    }

    boolean isClosed() {
        return closed;
    }

    boolean isTrialDue(long now) {
        return closed && now - until >= 0;
    }

    /** @return whether the tier is open now */
    boolean tried(boolean well, long now) {
        if (well) {
            closed = false;
            strikes = 0;
        } else {
            close(now, Math.min(2 * closedFor, LONGEST_NANOS));
        }
        return !closed;
    }

    private void close(long now, long nanos) {
        closed = true;
        closedFor = nanos;
        until = now + nanos;
    }
}
