package io.forebay.sidecar.transfer;

/** What a request holds while it runs. Given back by {@link #close}, once, when it has ended. */
interface Hold extends AutoCloseable {
    /** Its caller waits for it no more, though it has not ended. May be called any number of times, also after its end. */
    void leave();

    @Override
    void close();
}
