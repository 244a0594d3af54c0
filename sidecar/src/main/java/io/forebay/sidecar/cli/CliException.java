package io.forebay.sidecar.cli;

import io.forebay.sidecar.outcome.ExitCode;

/** Ends a command with one clear message and an exit code. */
public final class CliException extends Exception {
    private static final long serialVersionUID = 1L;
    private final int exitCode;
    private final String reason;

    /** @param message what happened, to what, why, and what to do */
    public CliException(int exitCode, String message) {
        this(exitCode, ExitCode.of(exitCode).reason(), message);
    }

    /** @param reason one word, for programs: NoInputs, AccessDenied... */
    CliException(int exitCode, String reason, String message) {
        super(message);
        this.exitCode = exitCode;
        this.reason = reason;
    }

    public int exitCode() {
        return exitCode;
    }

    String reason() {
        return reason;
    }
}
