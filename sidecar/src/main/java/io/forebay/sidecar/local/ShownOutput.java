package io.forebay.sidecar.local;

import io.forebay.api.value.Bytes;
import io.forebay.sidecar.step.StepHost.CommandId;
import io.forebay.sidecar.step.StepServer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * What of the commands' output the user sees while they run: the beginning of each command's, and of all together no more than a
 * terminal or a log of the run takes; what is left out is told. Nothing is lost by it: the log of an attempt is bounded by itself, and kept
 * if the attempt fails. Thread-safe.
 */
final class ShownOutput implements StepServer.Output, AutoCloseable {
    /** Of each command. */
    static final int OF_EACH = 32 << 10;
    /** Of all together: at once, and then per second. */
    static final int BURST = 1 << 20;

    static final int PER_SECOND = 64 << 10;
    /** More commands than ever run at once; of those that have not printed for long the count is forgotten. */
    private static final int COMMANDS = 4096;

    private static final double SECOND = 1e9;

    private final Consumer<String> lines;
    private final LongSupplier nanoTime;
    private final String kept;
    private final Map<CommandId, Integer> shown = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<CommandId, Integer> eldest) {
            return size() > COMMANDS;
        }
    };
    private double credit = BURST;
    private long creditAt;
    private long leftOut;
    private boolean slowTold;

    /** @param logs where the logs of failed attempts will be, for people @param nanoTime monotonic */
    ShownOutput(Consumer<String> lines, String logs, LongSupplier nanoTime) {
        this.lines = lines;
        this.nanoTime = nanoTime;
        this.kept = "the log of an attempt that fails is kept in " + logs;
        this.creditAt = nanoTime.getAsLong();
    }

    /** @param text whole lines, each with the command's label in front */
    @Override
    public synchronized void lines(CommandId id, byte[] text) {
        int before = shown.getOrDefault(id, 0);
        int fits = Math.min(text.length, OF_EACH - before);
        int length = fits == text.length ? fits : wholeLines(text, Math.max(0, fits));
        leftOut += text.length - length;
        if (length > 0) {
            pass(text, length);
        }
        if (length < text.length && before <= OF_EACH) {
            lines.accept(label(text) + "[... what it prints from here on is not shown; " + kept + " ...]");
        }
        shown.put(id, length < text.length ? OF_EACH + 1 : before + length);
    }

    @Override
    public synchronized void dropped(CommandId id, long bytes) {
        leftOut += bytes;
        if (shown.getOrDefault(id, 0) <= OF_EACH) {
            tellSlow();
        }
    }

    /** All of it, or nothing: when all commands together are too fast. */
    private void pass(byte[] text, int length) {
        long now = nanoTime.getAsLong();
        credit = Math.min(BURST, credit + (now - creditAt) / SECOND * PER_SECOND);
        creditAt = now;
        if (credit >= length) {
            credit -= length;
            lines.accept(new String(text, 0, length, StandardCharsets.UTF_8).stripTrailing());
            return;
        }
        leftOut += length;
        tellSlow();
    }

    private void tellSlow() {
        if (!slowTold) {
            slowTold = true;
            lines.accept("the steps print more than " + Bytes.of(PER_SECOND).human()
                    + " per second: not all of it is shown; " + kept);
        }
    }

    private static int wholeLines(byte[] text, int most) {
        int length = most;
        while (length > 0 && text[length - 1] != '\n') {
            length--;
        }
        return length;
    }

    /** In front of the first line. */
    private static String label(byte[] text) {
        var line = new String(text, 0, Math.min(text.length, 200), StandardCharsets.UTF_8);
        int end = line.indexOf("] ");
        return line.startsWith("[") && end > 0 ? line.substring(0, end + 2) : "";
    }

    /** Tells how much it was. */
    @Override
    public synchronized void close() {
        if (leftOut > 0) {
            lines.accept(Bytes.of(leftOut).human() + " that steps printed were not shown");
            leftOut = 0;
        }
    }
}
