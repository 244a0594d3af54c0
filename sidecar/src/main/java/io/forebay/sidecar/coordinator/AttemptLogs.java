package io.forebay.sidecar.coordinator;

import io.forebay.message.Messages.ItemEnded;
import io.forebay.sidecar.records.AttemptLog;
import io.forebay.sidecar.records.RecordsFolder;
import io.forebay.sidecar.store.StoreException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * {@code logs/}: what failed attempts printed last, one file for each, for people. A worker that reaches the records puts in its place
 * what it kept of all that was printed. Of very many failures the first have a file; all have their text in the log's {@code failed} entries.
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
        if (e.failure() == null || e.steps().isEmpty() || files.incrementAndGet() > MOST_FILES) {
            return "";
        }
        var name = AttemptLog.name(e);
        try {
            folder.put(name, AttemptLog.content(key, e, AttemptLog::tail));
            return "";
        } catch (StoreException x) {
            return folder.uri().resolve(name) + " could not be written: " + x.getMessage();
        }
    }
}
