package io.forebay.sidecar.records;

import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.StoreException.Kind;

/** Whether one thing that is done again and again goes well, and for how long it has not: told when it begins and when it ends. Thread-safe. */
final class Trouble {
    private final Patience patience;
    private final String what;
    /** Guarded by this. */
    private boolean begun;

    private long sinceNanos;

    /** @param what fails: {@code the records cannot be written} */
    Trouble(Patience patience, String what) {
        this.patience = patience;
        this.what = what;
    }

    /** Calls until it goes well. @throws StoreException nobody can mend it, or nobody has in time */
    <T> T outlast(StoreRetry.Call<T> call) throws StoreException, InterruptedException {
        while (true) {
            try {
                var result = call.call();
                over();
                return result;
            } catch (StoreException e) {
                if (!mayPass(e)) {
                    throw e;
                }
            }
            patience.sleeper().sleep(patience.pause());
        }
    }

    /** It failed. @return whether to try again */
    synchronized boolean mayPass(StoreException e) {
        if (!canBeMended(e.kind()) || patience.most().isZero()) {
            return false;
        }
        long now = patience.nanoTime().getAsLong();
        if (!begun) {
            begun = true;
            sinceNanos = now;
            patience.tell()
                    .accept(what + ": " + e.getMessage() + ". If that is mended within "
                            + patience.most().toSeconds()
                            + " s the run goes on; else it ends, and keeps what is not exported");
        }
        return now - sinceNanos < patience.most().toNanos();
    }

    synchronized void over() {
        if (begun) {
            begun = false;
            patience.tell().accept("that is over, the run goes on: " + what);
        }
    }

    synchronized boolean begun() {
        return begun;
    }

    private static boolean canBeMended(Kind kind) {
        return switch (kind) {
            case NO_SPACE, DENIED, NOT_FOUND -> true;
            // The first three were tried again already.
            case TRANSIENT, CREDENTIALS, CORRUPT, CHANGED, BAD_NAME, TOO_LARGE, PERMANENT -> false;
        };
    }
}
