package io.forebay.sidecar.journal;

import java.io.IOException;

/** An append-only file of records. Thread-safe; concurrent appends share one fsync. */
public interface Journal extends AutoCloseable {

    /** Durable at return. @throws IOException the journal can no longer be trusted: the worker must stop */
    void append(JournalRecord entry) throws IOException;

    /** In the file, durable with the next append that waits or within 20 ms. For what recovery can do without. */
    void note(JournalRecord entry) throws IOException;

    @Override
    void close() throws IOException;
}
