package io.forebay.sidecar.apart;

import io.forebay.sidecar.coordinator.AwaitedWorker;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Tells for whom the end of a job waits: when it has waited for a while, and again now and then. Not thread-safe. */
final class AwaitedLines {
    /** Most are waited for no longer than this. */
    private static final Duration NOTICEABLE = Duration.ofSeconds(2);

    private static final Duration EVERY = Duration.ofSeconds(30);

    /** By name: when the next line about it is due. */
    private final Map<String, Instant> due = new HashMap<>();

    /** @param bound nobody is waited for longer than until then */
    List<String> of(List<AwaitedWorker> awaited, Instant bound, Instant now) {
        due.keySet().retainAll(awaited.stream().map(AwaitedWorker::name).toList());
        var lines = new ArrayList<String>();
        for (var worker : awaited) {
            var next = due.computeIfAbsent(worker.name(), n -> now.plus(NOTICEABLE));
            if (!now.isBefore(next)) {
                due.put(worker.name(), now.plus(EVERY));
                lines.add(line(worker, bound, now));
            }
        }
        return lines;
    }

    private static String line(AwaitedWorker w, Instant bound, Instant now) {
        var until = w.until().isBefore(bound) ? w.until() : bound;
        var rest = ", until " + until.truncatedTo(ChronoUnit.SECONDS) + " at most";
        if (w.name().isEmpty()) {
            return "waiting for workers that an earlier coordinator led and that have not come back since "
                    + w.heardAt().truncatedTo(ChronoUnit.SECONDS) + rest;
        }
        return "waiting for worker " + w.name() + (w.node().isEmpty() ? "" : " on " + w.node()) + ", which "
                + (w.items() == 0
                        ? "has not heard yet that the job is over"
                        : "holds " + w.items() + (w.items() == 1 ? " item" : " items"))
                + "; last heard of "
                + Math.max(0, Duration.between(w.heardAt(), now).toSeconds())
                + " s ago (" + w.heardAt().truncatedTo(ChronoUnit.SECONDS) + ")" + rest;
    }
}
