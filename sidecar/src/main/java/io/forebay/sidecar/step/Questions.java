package io.forebay.sidecar.step;

import io.forebay.sidecar.step.StepHost.CommandId;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What runners were asked about files and have not answered. A question about a lease is answered with no when its runner is gone: the
 * file is looked at again later. The others wait for the runner's return, or its successor, and are asked again.
 */
final class Questions {
    /** A runner that is there answers at once. One that was stopped does not. */
    private static final Duration LEASE_TIMEOUT = Duration.ofSeconds(10);

    private sealed interface Question {
        @Nullable
        Peer peer();
    }

    private record Lease(Peer peer, CompletableFuture<Boolean> answer) implements Question {}

    /** @param peer null: none is there */
    private record Chore(
            @Nullable Peer peer, CommandId id, Function<Long, FrameWriter> frame, CompletableFuture<Void> answer)
            implements Question {}

    private final Function<CommandId, @Nullable Peer> runners;
    /** Guarded by this, as all below. */
    private final Map<Long, Question> open = new HashMap<>();

    private long last;
    private boolean closed;

    Questions(Function<CommandId, @Nullable Peer> runners) {
        this.runners = runners;
    }

    CompletableFuture<Boolean> lease(CommandId id, String path) {
        var answer = new CompletableFuture<Boolean>();
        var peer = runners.apply(id);
        if (peer == null) {
            return CompletableFuture.completedFuture(false);
        }
        long request = add(new Lease(peer, answer));
        boolean sent;
        try {
            sent = peer.send(
                    new FrameWriter(Protocol.LEASE).u64(request).text(path).frame());
        } catch (IllegalArgumentException e) { // no path of the system's
            sent = false;
        }
        if (!sent) {
            answer.complete(false);
        }
        return answer.completeOnTimeout(false, LEASE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
                .whenComplete((a, e) -> remove(request));
    }

    CompletableFuture<Void> handOver(CommandId id, List<String> folders, String modesFile) {
        return chore(
                id,
                r -> new FrameWriter(Protocol.HANDOVER).u64(r).text(modesFile).list(folders));
    }

    CompletableFuture<Void> clean(CommandId id, List<String> folders) {
        return chore(id, r -> new FrameWriter(Protocol.CLEAN).u64(r).list(folders));
    }

    private CompletableFuture<Void> chore(CommandId id, Function<Long, FrameWriter> frame) {
        try {
            frame.apply(0L).frame();
        } catch (IllegalArgumentException e) {
            return CompletableFuture.failedFuture(
                    new IOException("cannot be asked of a step runner: " + e.getMessage(), e));
        }
        var answer = new CompletableFuture<Void>();
        ask(add(new Chore(null, id, frame, answer)));
        return answer;
    }

    private void ask(long request) {
        if (question(request) instanceof Chore c) {
            var peer = runners.apply(c.id());
            if (peer != null && replace(request, c, new Chore(peer, c.id(), c.frame(), c.answer()))) {
                peer.send(c.frame().apply(request).frame()); // not sent: the peer's end is heard, and it is asked again
            }
        }
    }

    // ---- runners come, answer, and go

    void answered(Peer peer, long request, boolean yes) {
        if (question(request) instanceof Lease l && l.peer() == peer) {
            l.answer().complete(yes);
        }
    }

    /** @param problem empty: none */
    void done(Peer peer, long request, String problem) {
        if (question(request) instanceof Chore c && c.peer() == peer) {
            remove(request);
            if (problem.isEmpty()) {
                c.answer().complete(null);
            } else {
                c.answer().completeExceptionally(new IOException("the step runner " + problem));
            }
        }
    }

    /** A runner is there: what nobody could be asked is asked now. */
    void connected() {
        List<Long> waiting;
        synchronized (this) {
            waiting = open.entrySet().stream()
                    .filter(e -> e.getValue().peer() == null)
                    .map(Map.Entry::getKey)
                    .sorted()
                    .toList();
        }
        waiting.forEach(this::ask);
    }

    void disconnected(Peer peer) {
        List<Map.Entry<Long, Question>> orphans;
        synchronized (this) {
            orphans = open.entrySet().stream()
                    .filter(e -> e.getValue().peer() == peer)
                    .map(e -> Map.entry(e.getKey(), e.getValue()))
                    .toList();
        }
        for (var orphan : orphans) {
            switch (orphan.getValue()) {
                case Lease l -> l.answer().complete(false);
                case Chore c -> {
                    if (replace(orphan.getKey(), c, new Chore(null, c.id(), c.frame(), c.answer()))) {
                        ask(orphan.getKey());
                    }
                }
            }
        }
    }

    void close() {
        List<Question> rest;
        synchronized (this) {
            closed = true;
            rest = List.copyOf(open.values());
            open.clear();
        }
        for (var q : rest) {
            switch (q) {
                case Lease l -> l.answer().complete(false);
                case Chore c -> c.answer().completeExceptionally(new IOException("the step host was closed"));
            }
        }
    }

    private synchronized long add(Question q) {
        if (closed && q instanceof Chore c) {
            c.answer().completeExceptionally(new IOException("the step host was closed"));
        } else {
            open.put(++last, q);
        }
        return last;
    }

    private synchronized @Nullable Question question(long request) {
        return open.get(request);
    }

    private synchronized boolean replace(long request, Question old, Question by) {
        return Objects.equals(open.get(request), old) && open.replace(request, old, by);
    }

    private synchronized void remove(long request) {
        open.remove(request);
    }
}
