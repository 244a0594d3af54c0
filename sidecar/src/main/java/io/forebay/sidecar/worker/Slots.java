package io.forebay.sidecar.worker;

import java.util.concurrent.Semaphore;

/**
 * Items computing at once. First come, first served; an item that must be alone takes all slots.
 * Thread-safe. Released when the item's last step has ended, before its flush.
 */
final class Slots {
    private final Semaphore free;
    private final int all;

    Slots(int slots) {
        this.all = slots;
        this.free = new Semaphore(slots, true);
    }

    /** @return what to give back */
    Taken take(boolean alone) throws InterruptedException {
        int permits = alone ? all : 1;
        free.acquire(permits);
        return new Taken(permits);
    }

    int busy() {
        return all - free.availablePermits();
    }

    /** Closed once; closing again does nothing. */
    final class Taken implements AutoCloseable {
        private int permits;

        private Taken(int permits) {
            this.permits = permits;
        }

        @Override
        public synchronized void close() {
            free.release(permits);
            permits = 0;
        }
    }
}
