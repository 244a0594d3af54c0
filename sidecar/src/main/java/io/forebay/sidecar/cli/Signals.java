package io.forebay.sidecar.cli;

import io.forebay.sidecar.local.Cancellable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import sun.misc.Signal;
import sun.misc.SignalHandler;

/**
 * SIGINT and SIGTERM cancel the run: commits begun are completed, the rest is listed. While it is still being planned nothing has been
 * started, and planning ends. A second one writes the list at once and ends the process within two seconds (E2).
 */
final class Signals implements AutoCloseable {
    private static final int BASE = 128;
    /** The list is written in this time or not at all. */
    private static final long LAST_WORDS_MILLIS = 1500;

    private final Consumer<String> lines;
    private final EndListener listener;
    private final Thread opener = Thread.currentThread();
    private final AtomicInteger first = new AtomicInteger();
    private final SignalHandler oldInt;
    private final SignalHandler oldTerm;
    private volatile @Nullable Cancellable run;

    private Signals(Consumer<String> lines, EndListener listener) {
        this.lines = lines;
        this.listener = listener;
        this.oldInt = Signal.handle(new Signal("INT"), this::received);
        this.oldTerm = Signal.handle(new Signal("TERM"), this::received);
    }

    /**
     * From now on the calling thread is interrupted by them, until {@link #cancels} names the run.
     *
     * @param listener told when a second one ends the process
     */
    static Signals catching(Consumer<String> lines, EndListener listener) {
        return new Signals(lines, listener);
    }

    /** What they cancel. */
    synchronized void cancels(Cancellable opened) {
        run = opened;
        int before = first.get();
        if (before != 0) {
            var ignored = Thread.interrupted();
            opened.cancel(before == new Signal("INT").getNumber());
        }
    }

    /** @return the exit code that the first signal asks for; 0: there was none */
    int exitCode() {
        return first.get() == 0 ? 0 : BASE + first.get();
    }

    private void received(Signal signal) {
        if (first.compareAndSet(0, signal.getNumber())) {
            cancel(signal);
        } else {
            lines.accept("SIG" + signal.getName() + " again: ending now");
            endNow();
        }
    }

    private synchronized void cancel(Signal signal) {
        var now = run;
        if (now == null) {
            lines.accept("SIG" + signal.getName() + ": cancelled before it began; no item was started.");
            opener.interrupt();
        } else {
            boolean interrupt = signal.getName().equals("INT");
            lines.accept("SIG" + signal.getName() + ": " + now.cancelling(interrupt) + ". Once more ends at once.");
            now.cancel(interrupt);
        }
    }

    private void endNow() {
        var now = run;
        var list = Thread.ofPlatform().daemon().name("last-words").start(() -> {
            listener.signalled(exitCode(), "ended at once by a second signal");
            if (now != null) {
                var words = now.abandon();
                lines.accept(words);
                listener.signalled(exitCode(), "ended at once by a second signal: " + words);
            }
        });
        Thread.ofPlatform().daemon().name("end-now").start(() -> {
            try {
                list.join(LAST_WORDS_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            halt(exitCode());
        });
    }

    /** Without closing anything; the commands of steps do not outlive this process. */
    static void halt(int exitCode) {
        ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
        Runtime.getRuntime().halt(exitCode);
    }

    @Override
    public void close() {
        Signal.handle(new Signal("INT"), oldInt);
        Signal.handle(new Signal("TERM"), oldTerm);
    }
}
