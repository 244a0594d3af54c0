package io.forebay.testing;

import io.forebay.sidecar.store.StoreException;
import java.util.concurrent.CountDownLatch;

/**
 * One process' way to a shared {@link RecordsMemoryStore}: it can be killed or frozen before any operation. A killed process does
 * nothing more; a frozen one goes on when it is thawed.
 */
public final class GatedStore {
    /** What a kill looks like from inside. */
    public static final class Killed extends Error {
        private static final long serialVersionUID = 1L;

        Killed() {
            super("killed", null, false, false);
        }
    }

    private int left = Integer.MAX_VALUE;
    private boolean freezes;
    private volatile boolean killed;
    private volatile CountDownLatch thaw = new CountDownLatch(0);
    private volatile Runnable onFreeze = () -> {};

    /** Kills before the operation after the next {@code operations}. */
    public synchronized void killAfter(int operations) {
        left = operations;
        freezes = false;
    }

    /** Freezes there. @param told on the frozen thread, when it is about to stop */
    public synchronized void freezeAfter(int operations, Runnable told) {
        left = operations;
        freezes = true;
        onFreeze = told;
        thaw = new CountDownLatch(1);
    }

    public void thaw() {
        thaw.countDown();
    }

    public void kill() {
        killed = true;
        thaw.countDown();
    }

    public boolean isKilled() {
        return killed;
    }

    /** The process' store. */
    public io.forebay.sidecar.store.Store over(RecordsMemoryStore store) {
        return store.seenThrough(this::pass);
    }

    private void pass(String operation, String key) throws StoreException, InterruptedException {
        boolean stop;
        synchronized (this) {
            if (killed) {
                throw new Killed();
            }
            stop = left-- == 0;
            if (stop && !freezes) {
                killed = true;
                throw new Killed();
            }
        }
        if (stop) {
            onFreeze.run();
            thaw.await();
            if (killed) {
                throw new Killed();
            }
        }
    }
}
