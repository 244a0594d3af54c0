package io.forebay.sidecar.coordinator;

import io.forebay.sidecar.outcome.ExitCode;
import java.util.Optional;

/** Why no further item is started. */
public enum DrainCause {
    /** {@code deadlines.run} is over. */
    DEADLINE("DEADLINE", ExitCode.DEADLINE, "the job's deadline passed"),
    /** SIGINT. */
    INTERRUPTED("CANCELLED", ExitCode.CANCELLED_BY_INTERRUPT, "cancelled by SIGINT"),
    /** SIGTERM, deletion, scancel. */
    TERMINATED("CANCELLED", ExitCode.CANCELLED_BY_TERM, "cancelled by SIGTERM"),
    /** {@code onItemFailure: Stop}. */
    STOPPED("STOPPED", null, "an item failed, and onItemFailure is Stop"),
    /** No item can succeed. */
    FATAL("FATAL", null, "what failed would fail for every item"),
    /** No worker has room in its buffer for what is left. */
    NO_ROOM("NO_ROOM", null, "no worker's buffer has room for what is left");

    private final String word;
    private final @org.jspecify.annotations.Nullable ExitCode code;

    private final String inWords;

    DrainCause(String word, @org.jspecify.annotations.Nullable ExitCode code, String inWords) {
        this.word = word;
        this.code = code;
        this.inWords = inWords;
    }

    /** As workers are told. */
    public String word() {
        return word;
    }

    /** For people. */
    public String inWords() {
        return inWords;
    }

    /** What it makes the result, if it is not the failures that decide. */
    public Optional<ExitCode> code() {
        return Optional.ofNullable(code);
    }
}
