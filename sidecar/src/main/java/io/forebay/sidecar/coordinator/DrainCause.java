package io.forebay.sidecar.coordinator;

import io.forebay.sidecar.outcome.ExitCode;
import java.util.Optional;

/** Why no further item is started. */
public enum DrainCause {
    /** {@code deadlines.run} is over. */
    DEADLINE("DEADLINE", ExitCode.DEADLINE),
    /** SIGINT. */
    INTERRUPTED("CANCELLED", ExitCode.CANCELLED_BY_INTERRUPT),
    /** SIGTERM, deletion, scancel. */
    TERMINATED("CANCELLED", ExitCode.CANCELLED_BY_TERM),
    /** {@code onItemFailure: Stop}. */
    STOPPED("STOPPED", null),
    /** No item can succeed. */
    FATAL("FATAL", null),
    /** No worker has room in its buffer for what is left. */
    NO_ROOM("NO_ROOM", null);

    private final String word;
    private final @org.jspecify.annotations.Nullable ExitCode code;

    DrainCause(String word, @org.jspecify.annotations.Nullable ExitCode code) {
        this.word = word;
        this.code = code;
    }

    /** As workers are told. */
    public String word() {
        return word;
    }

    /** What it makes the result, if it is not the failures that decide. */
    public Optional<ExitCode> code() {
        return Optional.ofNullable(code);
    }
}
