package io.forebay.sidecar.outcome;

import java.util.Arrays;
import java.util.Collection;

/** The exit codes of Forebay, strongest first: where several apply, the first one of this order is the result. */
public enum ExitCode {
    /** A fault of Forebay's own. */
    FAULT(70),
    /** Manifest or usage refused. */
    REFUSED(64),
    CANCELLED_BY_INTERRUPT(130),
    CANCELLED_BY_TERM(143),
    DEADLINE(124),
    /** An output is not durable. */
    NOT_DURABLE(74),
    /** An input cannot be had. */
    NO_INPUT(65),
    /** A passing fault: run again. */
    PASSING(75),
    STEP_FAILED(1),
    /** All selected outputs are durable. */
    DURABLE(0);

    private final int number;

    ExitCode(int number) {
        this.number = number;
    }

    public int number() {
        return number;
    }

    /** @return the code of this number; {@link #FAULT} for a number that is none of ours */
    public static ExitCode of(int number) {
        return Arrays.stream(values())
                .filter(c -> c.number == number)
                .findFirst()
                .orElse(FAULT);
    }

    /** @return the strongest; {@link #DURABLE} if there is none */
    public static ExitCode strongest(Collection<ExitCode> codes) {
        return codes.stream().min(java.util.Comparator.naturalOrder()).orElse(DURABLE);
    }
}
