package io.forebay.sidecar.worker;

import io.forebay.message.Messages.Drain;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Who may send to a destination, once time is short. Before a drain everyone passes at once. A cancel lets no new transfer begin; those
 * under way go on. Any other drain lets the smallest files go first, few at a time per destination, and sends a large transfer that is under way back
 * to the queue, so that most files survive (DESIGN 5, Flush). A destination that hangs holds up nobody but its own. Thread-safe.
 */
final class FlushGate {
    private static final int AT_ONCE = 8;
    /** Less than this is sent faster than it is argued about. */
    private static final long SMALL = 1 << 20;
    /** A transfer gives way to one that is this many times smaller. */
    private static final int MUCH_SMALLER = 4;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Set<Pass> waiting = new HashSet<>();
    private final Set<Pass> active = new HashSet<>();
    private @Nullable Drain drain;

    /** Sends one file; may be called again after it was interrupted. */
    @FunctionalInterface
    interface Transfer<T> {
        T send() throws Exception;
    }

    private static final class Pass {
        private final String destination;
        private final long bytes;
        private @Nullable Thread thread;
        private boolean sentBack;

        private Pass(String destination, long bytes) {
            this.destination = destination;
            this.bytes = bytes;
        }

        private boolean givesWayTo(Pass other) {
            return other != this
                    && other.destination.equals(destination)
                    && bytes > SMALL
                    && other.bytes <= bytes / MUCH_SMALLER;
        }
    }

    /** @throws InterruptedException interrupted, or no transfer may begin any more */
    <T> T through(String destination, long bytes, Transfer<T> transfer) throws Exception {
        var pass = new Pass(destination, bytes);
        while (true) {
            enter(pass);
            try {
                return transfer.send();
            } catch (InterruptedException e) {
                if (!wasSentBack(pass)) {
                    throw e;
                }
            } finally {
                leave(pass);
            }
        }
    }

    private void enter(Pass pass) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            waiting.add(pass);
            try {
                while (!mayBegin(pass)) {
                    var ignored = changed.await(100, TimeUnit.MILLISECONDS);
                }
            } finally {
                waiting.remove(pass);
            }
            pass.sentBack = false;
            pass.thread = Thread.currentThread();
            active.add(pass);
        } finally {
            lock.unlock();
        }
    }

    private boolean mayBegin(Pass pass) throws InterruptedException {
        var order = drain;
        if (order == null) {
            return true;
        }
        if (order.cause().equals("CANCELLED") || System.currentTimeMillis() > order.untilMillis()) {
            throw new InterruptedException("no transfer begins any more: " + order.cause());
        }
        return active.stream()
                                .filter(p -> p.destination.equals(pass.destination))
                                .count()
                        < AT_ONCE
                && active.stream().noneMatch(pass::givesWayTo)
                && waiting.stream().noneMatch(p -> p.destination.equals(pass.destination) && p.bytes < pass.bytes);
    }

    private boolean wasSentBack(Pass pass) {
        lock.lock();
        try {
            return pass.sentBack;
        } finally {
            lock.unlock();
        }
    }

    private void leave(Pass pass) {
        lock.lock();
        try {
            active.remove(pass);
            pass.thread = null;
            if (pass.sentBack) {
                // The interruption that sent it back may have come after its last wait.
                Thread.interrupted();
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** May be repeated; the last order counts. */
    void drain(Drain order) {
        lock.lock();
        try {
            boolean first = drain == null;
            drain = order;
            if (first && !order.cause().equals("CANCELLED")) {
                List<Pass> all = new ArrayList<>(active);
                all.addAll(waiting);
                for (var pass : active) {
                    var thread = pass.thread;
                    if (thread != null && all.stream().anyMatch(pass::givesWayTo)) {
                        pass.sentBack = true;
                        thread.interrupt();
                    }
                }
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
