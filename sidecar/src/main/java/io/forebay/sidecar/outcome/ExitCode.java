package io.forebay.sidecar.outcome;

import java.util.Arrays;
import java.util.Collection;

/** The exit codes of Forebay, strongest first: where several apply, the first one of this order is the result. */
public enum ExitCode {
    /** A fault of Forebay's own. */
    FAULT(70, "InternalFault"),
    /** Manifest or usage refused. */
    REFUSED(64, "Refused"),
    CANCELLED_BY_INTERRUPT(130, "Cancelled"),
    CANCELLED_BY_TERM(143, "Cancelled"),
    DEADLINE(124, "Deadline"),
    /** An output is not durable. */
    NOT_DURABLE(74, "NotDurable"),
    /** An input cannot be had. */
    NO_INPUT(65, "InputUnavailable"),
    /** A passing fault: run again. */
    PASSING(75, "PassingFault"),
    STEP_FAILED(1, "StepFailed"),
    /** All selected outputs are durable. */
    DURABLE(0, "Durable");

    private final int number;
    private final String reason;

    ExitCode(int number, String reason) {
        this.number = number;
        this.reason = reason;
    }

    public int number() {
        return number;
    }

    /** One word, where nothing more precise is known. */
    public String reason() {
        return reason;
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
