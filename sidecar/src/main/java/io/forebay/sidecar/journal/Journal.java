package io.forebay.sidecar.journal;

import java.io.IOException;

/** An append-only file of records. Thread-safe; concurrent appends share one fsync. */
public interface Journal extends AutoCloseable {

    /** Durable at return. @throws IOException the journal can no longer be trusted: the worker must stop */
    void append(JournalRecord entry) throws IOException;

    /**
     * In the file at return, durable as a note is: the next life of a killed process reads it, that of a machine that died perhaps not. For
     * what ends with the machine, as a command does.
     */
    void write(JournalRecord entry) throws IOException;

    /** Durable with the next append that waits or within 20 ms. For what recovery can do without. */
    void note(JournalRecord entry) throws IOException;

    @Override
    void close() throws IOException;
}
