package io.forebay.sidecar.cli;

import io.forebay.sidecar.local.Cancellable;
import java.time.Duration;
import java.util.function.IntSupplier;

/** A signal to {@code stage-in} or {@code flush}: what was begun is removed, what is whole stays. */
final class CopyCancel implements Cancellable {
    /** E2: clean within 30 s. */
    private static final Duration MOST = Duration.ofSeconds(25);

    private final Thread copying;
    private final String target;
    private final IntSupplier exitCode;

    /** @param copying is interrupted @param exitCode of a process that does not end in time */
    CopyCancel(Thread copying, String target, IntSupplier exitCode) {
        this.copying = copying;
        this.target = target;
        this.exitCode = exitCode;
    }

    @Override
    public void cancel(boolean interrupt) {
        copying.interrupt();
        Thread.ofPlatform().daemon().name("copy-overdue").start(() -> {
            try {
                if (!copying.join(MOST)) {
                    System.err.println(abandon());
                    Signals.halt(exitCode.getAsInt());
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    @Override
    public String cancelling(boolean interrupt) {
        return "cancelling; what was begun is removed, what is whole stays";
    }

    @Override
    public String abandon() {
        return "not all that was begun is removed: names that begin with .fb-, or open uploads, may be left below "
                + target;
    }
}
