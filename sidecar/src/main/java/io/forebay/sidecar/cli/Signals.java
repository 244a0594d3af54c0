package io.forebay.sidecar.cli;

import io.forebay.sidecar.local.LocalRun;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import sun.misc.Signal;
import sun.misc.SignalHandler;

/**
 * SIGINT and SIGTERM cancel the run: commits begun are completed, the rest is listed. A second one writes the list at once and
 * ends the process within two seconds (E2).
 */
final class Signals implements AutoCloseable {
    private static final int BASE = 128;

    private final LocalRun run;
    private final Consumer<String> lines;
    private final AtomicInteger first = new AtomicInteger();
    private final SignalHandler oldInt;
    private final SignalHandler oldTerm;

    private Signals(LocalRun run, Consumer<String> lines) {
        this.run = run;
        this.lines = lines;
        this.oldInt = Signal.handle(new Signal("INT"), this::received);
        this.oldTerm = Signal.handle(new Signal("TERM"), this::received);
    }

    static Signals during(LocalRun run, Consumer<String> lines) {
        return new Signals(run, lines);
    }

    private void received(Signal signal) {
        if (first.compareAndSet(0, signal.getNumber())) {
            lines.accept("SIG" + signal.getName() + ": cancelling; commits begun are completed, the rest is listed. Once more ends at once.");
            run.cancel(signal.getName().equals("INT"));
        } else {
            lines.accept("SIG" + signal.getName() + " again: ending now");
            Thread.ofPlatform().daemon().start(() -> {
                run.abandon();
                Runtime.getRuntime().halt(BASE + first.get());
            });
        }
    }

    @Override
    public void close() {
        Signal.handle(new Signal("INT"), oldInt);
        Signal.handle(new Signal("TERM"), oldTerm);
    }
}
