package io.forebay.sidecar.records;

import io.forebay.message.Messages.ItemEnded;
import io.forebay.message.Messages.StepRun;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;

/** A file in {@code logs/}: what one failed attempt printed, for people. Pure. */
public final class AttemptLog {
    private AttemptLog() {}

    /** Below the job's folder. */
    public static String name(ItemEnded e) {
        return RecordsFolder.LOGS + "item-%06d-%d-attempt-%d.log".formatted(e.item(), e.generation(), e.attempt());
    }

    /**
     * @param e of an attempt that failed
     * @param printed by a step, as far as it is kept
     */
    public static byte[] content(String key, ItemEnded e, Function<StepRun, byte[]> printed) {
        var out = new ByteArrayOutputStream();
        add(out, "item " + key + ", attempt " + e.attempt() + ", worker " + e.worker() + "\n");
        var failure = e.failure();
        if (failure != null) {
            add(out, failure.reason() + ": " + failure.message() + "\n");
        }
        for (var run : e.steps()) {
            add(out, "\n" + heading(run) + "\n");
            out.writeBytes(printed.apply(run));
        }
        return out.toByteArray();
    }

    /** What the message itself tells of a step's output: its end. */
    public static byte[] tail(StepRun run) {
        return run.logTail().getBytes(StandardCharsets.UTF_8);
    }

    private static void add(ByteArrayOutputStream out, String text) {
        out.writeBytes(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String heading(StepRun run) {
        var end = run.signal() == 0 ? "exit code " + run.exit() : "killed by signal " + run.signal();
        return "--- step " + run.step() + ", " + end + ", " + run.wallMillis() + " ms";
    }
}
