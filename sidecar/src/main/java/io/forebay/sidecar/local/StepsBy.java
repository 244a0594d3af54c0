package io.forebay.sidecar.local;

import io.forebay.sidecar.step.CommitGate;
import io.forebay.sidecar.step.SocketPath;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;

/** Who runs a worker's steps. */
public sealed interface StepsBy {
    /** Runners that this process starts, one for each step. @param program forebay-step; absent: this process starts the commands */
    record Children(Optional<Path> program) implements StepsBy {}

    /**
     * Runners, and {@code forebay-step commit}, that somebody else starts: the containers of a pod.
     *
     * @param token what they must show
     * @param group that this process and all of them are in, if they run as other users than it; absent: they run as the same
     * @param gate answers those who wait until all is durable
     */
    record Peers(SocketPath socket, String token, OptionalInt group, CommitGate gate) implements StepsBy {}
}
