package io.forebay.sidecar.local;

import io.forebay.sidecar.store.StoreException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * What is told when a run is ended at once: whether what is not exported is listed, where the data are, and what finishes the work.
 *
 * @param list where the list goes
 * @param keptAt where the data are
 * @param most the list is written in this time, or not waited for
 */
record LastWords(String list, String keptAt, Duration most) {
    /** Writes the list. */
    @FunctionalInterface
    interface Listing {
        /** @return how many outputs it names; 0: there is none */
        long write() throws StoreException, InterruptedException;
    }

    /** Returns in time, whatever the store of the list does. */
    String of(Listing listing) {
        var said = new AtomicReference<>("the list of what is not exported could not be completed in time");
        var done = new CountDownLatch(1);
        Thread.ofPlatform().daemon().name("list").start(() -> {
            said.set(listed(listing));
            done.countDown();
        });
        try {
            done.await(most.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return said.get() + "; data are kept in " + keptAt + "; finish with: forebay resume";
    }

    private String listed(Listing listing) {
        try {
            long count = listing.write();
            return count == 0
                    ? "no finished output waits to be exported, so none is listed"
                    : count + (count == 1 ? " output is" : " outputs are") + " not exported, listed in " + list;
        } catch (StoreException | IllegalStateException e) {
            return "the list of what is not exported could not be written: " + e.getMessage();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "the list of what is not exported could not be written";
        }
    }
}
