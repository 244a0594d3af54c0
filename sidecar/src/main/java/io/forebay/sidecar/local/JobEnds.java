package io.forebay.sidecar.local;

import io.forebay.api.name.Printable;
import io.forebay.api.v1alpha1.DataCounts;
import io.forebay.api.v1alpha1.ItemCounts;
import io.forebay.api.v1alpha1.Phase;
import io.forebay.message.JobEnd;
import io.forebay.message.JobProgress;
import io.forebay.sidecar.coordinator.Summary;
import io.forebay.sidecar.outcome.ExitCode;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** How jobs end, as programs are told. Pure. */
public final class JobEnds {
    private JobEnds() {}

    /**
     * A run that has ended.
     *
     * @param broken why the only worker could not go on; null: it could, or workers were elsewhere
     * @param at when the figures were taken
     */
    static JobEnd of(Summary s, JobProgress p, @Nullable String broken, Instant at) {
        var code = broken == null ? s.code() : ExitCode.FAULT;
        var message =
                new StringBuilder(broken == null ? SummaryText.verdict(s) : "a fault of Forebay's own: " + broken);
        s.failures().stream()
                .findFirst()
                .filter(f -> !s.cause().contains(f.message()))
                .ifPresent(f -> message.append("; ")
                        .append(s.failed())
                        .append(" failed, first ")
                        .append(f.line()));
        s.notRun()
                .ifPresent(n -> message.append("; ")
                        .append(n.items())
                        .append(" not run for want of room: ")
                        .append(Printable.message(n.why())));
        if (s.unexported() > 0) {
            message.append("; ").append(s.unexported()).append(" outputs are not exported");
            s.listedIn().ifPresent(list -> message.append(", listed in ").append(list));
        }
        return new JobEnd(
                code.number(),
                phase(code),
                reason(s, code),
                message.toString(),
                new ItemCounts(s.items(), s.done(), s.failed(), 0L, p.itemRetries()),
                new DataCounts(
                        p.totalFiles(),
                        p.totalBytes(),
                        p.filesStaged(),
                        p.bytesStaged(),
                        p.filesFlushed(),
                        p.bytesFlushed(),
                        s.unexported(),
                        s.unexportedBytes(),
                        at.toString()),
                s.unexported());
    }

    /** Nothing was planned, or nothing is known of it. */
    public static JobEnd unplanned(int code, String reason, String message) {
        return new JobEnd(code, phase(ExitCode.of(code)), reason, message, null, null, 0);
    }

    /** This coordinator alone has ended. */
    public static JobEnd steppedDown(int code, String message) {
        return new JobEnd(code, Phase.RUNNING, "SteppedDown", message, null, null, 0);
    }

    private static Phase phase(ExitCode code) {
        return switch (code) {
            case DURABLE -> Phase.SUCCEEDED;
            case CANCELLED_BY_INTERRUPT, CANCELLED_BY_TERM -> Phase.CANCELLED;
            case FAULT, REFUSED, DEADLINE, NOT_DURABLE, NO_INPUT, PASSING, STEP_FAILED -> Phase.FAILED;
        };
    }

    /** The first failure's that made the result what it is: more precise than the code's own. */
    private static String reason(Summary s, ExitCode code) {
        return switch (code) {
            case DURABLE, CANCELLED_BY_INTERRUPT, CANCELLED_BY_TERM, DEADLINE, FAULT -> code.reason();
            case REFUSED, NOT_DURABLE, NO_INPUT, PASSING, STEP_FAILED ->
                s.failures().stream()
                        .filter(f -> f.code() == code.number())
                        .findFirst()
                        .map(Summary.FailedItem::reason)
                        .orElse(s.notRun().isPresent() ? "BufferFull" : code.reason());
        };
    }
}
