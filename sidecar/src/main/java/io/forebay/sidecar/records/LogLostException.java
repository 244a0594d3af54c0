package io.forebay.sidecar.records;

/** This coordinator can decide nothing more. */
public final class LogLostException extends Exception {
    private static final long serialVersionUID = 1L;
    private final boolean superseded;

    /** @param superseded a later coordinator has taken over; else the log could not be written */
    public LogLostException(String message, boolean superseded, @org.jspecify.annotations.Nullable Throwable cause) {
        super(message, cause);
        this.superseded = superseded;
    }

    public boolean superseded() {
        return superseded;
    }
}
