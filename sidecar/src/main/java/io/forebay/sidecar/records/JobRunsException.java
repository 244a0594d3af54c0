package io.forebay.sidecar.records;

/** A coordinator of a job of this name is alive. */
public final class JobRunsException extends Exception {
    private static final long serialVersionUID = 1L;

    public JobRunsException(String message) {
        super(message);
    }
}
