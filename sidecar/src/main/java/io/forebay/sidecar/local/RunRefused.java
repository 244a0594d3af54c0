package io.forebay.sidecar.local;

import io.forebay.sidecar.outcome.ExitCode;

/** The run did not start. */
public final class RunRefused extends Exception {
    private static final long serialVersionUID = 1L;
    private final int exitCode;
    private final String reason;

    /** @param exitCode as in DESIGN 10 */
    public RunRefused(int exitCode, String message) {
        this(exitCode, ExitCode.of(exitCode).reason(), message);
    }

    /** @param reason one word: NoInputs, AccessDenied... */
    public RunRefused(int exitCode, String reason, String message) {
        super(message);
        this.exitCode = exitCode;
        this.reason = reason;
    }

    public int exitCode() {
        return exitCode;
    }

    public String reason() {
        return reason;
    }
}
