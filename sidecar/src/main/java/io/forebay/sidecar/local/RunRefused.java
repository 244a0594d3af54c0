package io.forebay.sidecar.local;

/** The run did not start. */
public final class RunRefused extends Exception {
    private static final long serialVersionUID = 1L;
    private final int exitCode;

    /** @param exitCode as in DESIGN 10 */
    public RunRefused(int exitCode, String message) {
        super(message);
        this.exitCode = exitCode;
    }

    public int exitCode() {
        return exitCode;
    }
}
