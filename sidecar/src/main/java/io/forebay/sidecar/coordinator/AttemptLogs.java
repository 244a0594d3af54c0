package io.forebay.sidecar.coordinator;

import io.forebay.message.Messages.ItemEnded;
import io.forebay.message.Messages.StepRun;
import io.forebay.sidecar.records.RecordsFolder;
import io.forebay.sidecar.store.StoreException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * {@code logs/}: what failed attempts printed last, one file for each, for people. Of very many failures the first have a
 * file; all have their text in the log's {@code failed} entries.
 */
final class AttemptLogs {
    private static final int MOST_FILES = 1000;

    private final RecordsFolder folder;
    private final AtomicInteger files = new AtomicInteger();

    AttemptLogs(RecordsFolder folder) {
        this.folder = folder;
    }

    /** Best effort: the decision does not depend on it. @return why it could not be written; empty: it was, or need not be */
    String keep(String key, ItemEnded e) throws InterruptedException {
        var failure = e.failure();
        if (failure == null || e.steps().isEmpty() || files.incrementAndGet() > MOST_FILES) {
            return "";
        }
        var text = new StringBuilder();
        text.append("item ")
                .append(key)
                .append(", attempt ")
                .append(e.attempt())
                .append(", worker ")
                .append(e.worker())
                .append('\n');
        text.append(failure.reason()).append(": ").append(failure.message()).append('\n');
        for (var run : e.steps()) {
            text.append('\n').append(heading(run)).append('\n').append(run.logTail());
        }
        var name = RecordsFolder.LOGS + "item-%06d-%d-attempt-%d.log".formatted(e.item(), e.generation(), e.attempt());
        try {
            folder.put(name, text.toString().getBytes(StandardCharsets.UTF_8));
            return "";
        } catch (StoreException x) {
            return folder.uri().resolve(name) + " could not be written: " + x.getMessage();
        }
    }

    private static String heading(StepRun run) {
        var end = run.signal() == 0 ? "exit code " + run.exit() : "killed by signal " + run.signal();
        return "--- step " + run.step() + ", " + end + ", " + run.wallMillis() + " ms";
    }
}
