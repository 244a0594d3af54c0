package io.forebay.sidecar.cli;

import io.forebay.api.value.Bytes;
import io.forebay.sidecar.local.RunProgress;
import java.time.Duration;

/** The words of the progress displays. Pure. */
final class ProgressText {
    private static final int BAR = 24;

    private ProgressText() {}

    static String items(RunProgress p) {
        var text = new StringBuilder();
        text.append(p.phase())
                .append("  ")
                .append(p.done() + p.skipped())
                .append('/')
                .append(p.items())
                .append(" items");
        if (p.skipped() > 0) {
            text.append(" (").append(p.skipped()).append(" done before)");
        }
        if (p.failed() > 0) {
            text.append(", ").append(p.failed()).append(" failed");
        }
        return text.toString();
    }

    static String stages(RunProgress p) {
        return "fetching " + p.fetching() + "  ready " + p.ready() + "  running " + p.running() + "  flushing "
                + p.flushing();
    }

    static String traffic(RunProgress p) {
        return "in " + amount(p.bytesStaged(), p.stageRate()) + "  out " + amount(p.bytesFlushed(), p.flushRate());
    }

    private static String amount(long bytes, long rate) {
        return Bytes.of(bytes).human() + " (" + Bytes.of(rate).human() + "/s)";
    }

    static String buffer(RunProgress p) {
        long size = Math.max(1, p.bufferSize());
        return "buffer " + Bytes.of(p.bufferUsed()).human() + " of "
                + Bytes.of(size).human() + " (" + 100 * p.bufferUsed() / size + " %)"
                + (p.bufferStranded() > 0
                        ? ", " + Bytes.of(p.bufferStranded()).human() + " of it not exported and kept"
                        : "");
    }

    static String bar(RunProgress p) {
        long ended = p.done() + p.skipped() + p.failed();
        int filled = p.items() == 0 ? 0 : (int) (BAR * ended / p.items());
        return "[" + "#".repeat(filled) + "-".repeat(BAR - filled) + "]";
    }

    static String left(RunProgress p) {
        return p.secondsLeft() <= 0 ? "" : "about " + time(Duration.ofSeconds(p.secondsLeft())) + " left";
    }

    static String time(Duration d) {
        long s = d.toSeconds();
        if (s < 60) {
            return s + " s";
        }
        if (s < 3600) {
            return s / 60 + " min " + s % 60 + " s";
        }
        return s / 3600 + " h " + s % 3600 / 60 + " min";
    }
}
