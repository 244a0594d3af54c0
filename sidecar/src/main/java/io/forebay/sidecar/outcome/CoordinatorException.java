package io.forebay.sidecar.outcome;

/** The job cannot be run; nothing was started. */
public final class CoordinatorException extends Exception {
    private static final long serialVersionUID = 1L;
    private final ExitCode code;
    private final String reason;

    /** @param reason the reason word: NoInputs, DataTooLarge, AccessDenied, JobRuns... */
    public CoordinatorException(
            ExitCode code, String reason, String message, @org.jspecify.annotations.Nullable Throwable cause) {
        super(message, cause);
        this.code = code;
        this.reason = reason;
    }

    public ExitCode code() {
        return code;
    }

    public String reason() {
        return reason;
    }
}
