package io.forebay.sidecar.worker;

import io.forebay.message.Messages.Failure;
import io.forebay.message.Messages.Unexported;
import java.util.List;

/** Ends an attempt without success. The failure says what happens next; the data of {@code unexported} are kept. */
final class AttemptFailed extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient Failure failure;
    private final transient List<Unexported> unexported;

    AttemptFailed(Failure failure) {
        this(failure, List.of());
    }

    AttemptFailed(Failure failure, List<Unexported> unexported) {
        super(failure.reason() + ": " + failure.message());
        this.failure = failure;
        this.unexported = List.copyOf(unexported);
    }

    Failure failure() {
        return failure;
    }

    List<Unexported> unexported() {
        return unexported;
    }
}
