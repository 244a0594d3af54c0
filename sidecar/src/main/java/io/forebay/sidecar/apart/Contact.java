package io.forebay.sidecar.apart;

import io.forebay.sidecar.link.CoordinatorLink.LinkException;
import io.forebay.sidecar.link.HttpCoordinatorLink;
import java.time.Duration;

/** Remembers when the coordinator answered last, and why it did not since. Thread-safe. */
final class Contact implements HttpCoordinatorLink.Listener {
    private volatile long answeredAtNanos = System.nanoTime();
    private volatile String problem = "";

    /** Since the last answer, or since the beginning. */
    Duration silence() {
        return Duration.ofNanos(System.nanoTime() - answeredAtNanos);
    }

    /** The last failure since the last answer; empty: none. */
    String problem() {
        return problem;
    }

    @Override
    public void answered() {
        answeredAtNanos = System.nanoTime();
        problem = "";
    }

    @Override
    public void failed(LinkException why) {
        problem = String.valueOf(why.getMessage());
        if (why.kind() == LinkException.Kind.NOT_NOW) {
            answeredAtNanos = System.nanoTime();
        }
    }
}
