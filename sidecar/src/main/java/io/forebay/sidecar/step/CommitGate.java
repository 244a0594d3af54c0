package io.forebay.sidecar.step;

import java.util.HashSet;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Holds back what {@code forebay-step commit} waits for: the exit code of the pod, known when every selected output is durable or its
 * failure is recorded. Thread-safe.
 */
public final class CommitGate {
    private final Runnable onDrainRequested;
    private final CompletableFuture<Void> delivered = new CompletableFuture<>();
    /** Guarded by this, as all below. */
    private final Set<Peer> waiting = new HashSet<>();

    private OptionalInt code = OptionalInt.empty();
    private boolean drainRequested;

    /** @param onDrainRequested called once, when the pod is being ended; must return quickly */
    public CommitGate(Runnable onDrainRequested) {
        this.onDrainRequested = onDrainRequested;
    }

    /** Lets go everyone who asks, from now on. The first answer counts. @param exitCode 0..255 */
    public synchronized void answer(int exitCode) {
        if (exitCode < 0 || exitCode > 255) {
            throw new IllegalArgumentException("exit code " + exitCode);
        }
        if (code.isEmpty()) {
            code = OptionalInt.of(exitCode);
            waiting.forEach(p -> send(p, exitCode));
        }
    }

    /** Completes when a commit has the answer: this process may end. */
    public CompletableFuture<Void> delivered() {
        return delivered.copy();
    }

    synchronized void arrived(Peer peer) {
        waiting.add(peer);
        code.ifPresent(c -> send(peer, c));
    }

    synchronized void left(Peer peer) {
        waiting.remove(peer);
    }

    void drainRequested() {
        synchronized (this) {
            if (drainRequested) {
                return;
            }
            drainRequested = true;
        }
        onDrainRequested.run();
    }

    void got() {
        delivered.complete(null);
    }

    private static void send(Peer peer, int exitCode) {
        peer.send(new FrameWriter(Protocol.ANSWER).u8(exitCode).frame());
    }
}
