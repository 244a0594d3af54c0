package io.forebay.sidecar.coordinator;

import io.forebay.message.Messages.Failure;
import io.forebay.message.Messages.StepRun;
import io.forebay.message.Messages.Unexported;
import io.forebay.sidecar.outcome.ExitCode;
import io.forebay.sidecar.spool.JsonSpool;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** What the run's failures come to. Guarded by the core's lock. */
final class Tally {
    /** One line of {@code UNEXPORTED.jsonl} to be, and the failure of the item that it belongs to. */
    record Line(int item, int failure, Unexported output) {}

    private final JsonSpool unexported;
    private final Map<String, Long> byReason = new TreeMap<>();
    private final List<Summary.FailedItem> named = new ArrayList<>();
    private final Set<ExitCode> codes = EnumSet.noneOf(ExitCode.class);
    private long cancelled;
    private long unexportedCount;
    private long unexportedBytes;

    Tally(JsonSpool unexported) {
        this.unexported = unexported;
    }

    void failed(String key, int attempt, Failure failure, List<StepRun> steps) {
        var code = ExitCode.of(failure.code());
        codes.add(code);
        if (code == ExitCode.CANCELLED_BY_INTERRUPT || code == ExitCode.CANCELLED_BY_TERM) {
            // Nothing is wrong with it: it is as unfinished as those that were not begun.
            cancelled++;
            return;
        }
        byReason.merge(failure.reason(), 1L, Long::sum);
        if (named.size() < Summary.NAMED_FAILURES) {
            named.add(new Summary.FailedItem(
                    key,
                    failure.reason(),
                    failure.message(),
                    failure.code(),
                    attempt,
                    steps.isEmpty() ? Optional.empty() : Optional.of(steps.getLast())));
        }
    }

    /** @param failure counts the item's failures, so that older lines of it can be told from newer ones */
    void unexported(int item, int failure, List<Unexported> outputs) {
        try {
            for (var output : outputs) {
                unexported.append(new Line(item, failure, output));
                unexportedCount++;
                unexportedBytes += Math.max(0, output.size());
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the scratch folder cannot be written", e);
        }
    }

    void code(ExitCode code) {
        codes.add(code);
    }

    /** A new run begins: its failures are its own. */
    void forgetFailures() {
        byReason.clear();
        named.clear();
        codes.clear();
        cancelled = 0;
    }

    /** Items that have ended for this run since somebody cancelled it. */
    long cancelled() {
        return cancelled;
    }

    long unexportedCount() {
        return unexportedCount;
    }

    long unexportedBytes() {
        return unexportedBytes;
    }

    void unexportedIs(long count, long bytes) {
        unexportedCount = count;
        unexportedBytes = bytes;
    }

    JsonSpool lines() {
        return unexported;
    }

    Map<String, Long> byReason() {
        return byReason;
    }

    List<Summary.FailedItem> named() {
        return named;
    }

    Set<ExitCode> codes() {
        return codes;
    }
}
