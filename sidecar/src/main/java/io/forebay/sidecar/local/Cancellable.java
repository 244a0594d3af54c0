package io.forebay.sidecar.local;

/** What SIGINT and SIGTERM end. Thread-safe. */
public interface Cancellable {
    /** Ends it in order, within a bounded time. @param interrupt SIGINT, else SIGTERM */
    void cancel(boolean interrupt);

    /** What {@link #cancel} does, in words. @param interrupt as there */
    String cancelling(boolean interrupt);

    /** Last words of a process that ends at once: writes down what is not exported, where that is this side's business. @return told to the user */
    String abandon();
}
