package io.forebay.sidecar.cli;

import io.forebay.sidecar.local.RunProgress;
import java.io.PrintWriter;
import java.time.Duration;

/** One line every ten seconds, and when the phase changes: for logs. */
final class PlainProgress implements ProgressView {
    private static final Duration EVERY = Duration.ofSeconds(10);

    private final PrintWriter out;
    private long lastNanos = System.nanoTime();
    private String lastPhase = "";

    PlainProgress(PrintWriter out) {
        this.out = out;
    }

    @Override
    public void show(RunProgress p) {
        long now = System.nanoTime();
        if (p.phase().equals(lastPhase) && now - lastNanos < EVERY.toNanos()) {
            return;
        }
        lastNanos = now;
        lastPhase = p.phase();
        if (p.items() == 0) {
            return;
        }
        var left = ProgressText.left(p);
        out.println(ProgressText.items(p) + "; " + ProgressText.stages(p) + "; " + ProgressText.traffic(p)
                + (p.bufferSize() > 0 ? "; " + ProgressText.buffer(p) : "") + (left.isEmpty() ? "" : "; " + left));
    }

    @Override
    public void line(String text) {
        out.println(text);
    }

    @Override
    public void close() {
        out.flush();
    }
}
