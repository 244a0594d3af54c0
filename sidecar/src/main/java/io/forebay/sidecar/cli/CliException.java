package io.forebay.sidecar.cli;

/** Ends a command with one clear message and an exit code. */
public final class CliException extends Exception {
    private static final long serialVersionUID = 1L;
    private final int exitCode;

    /** @param message what happened, to what, why, and what to do */
    public CliException(int exitCode, String message) {
        super(message);
        this.exitCode = exitCode;
    }

    public int exitCode() {
        return exitCode;
    }
}
