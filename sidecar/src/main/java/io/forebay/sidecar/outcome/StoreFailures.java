package io.forebay.sidecar.outcome;

import io.forebay.api.job.Job.Input;
import io.forebay.sidecar.store.StoreException;
import java.util.Locale;

/** What a store's refusal means for the job, where there is no item yet that could fail. */
public final class StoreFailures {
    private StoreFailures() {}

    public static CoordinatorException ofInput(Input input, StoreException e) {
        var message = "input " + input.name() + " (" + input.source() + ") cannot be listed: " + e.getMessage();
        return switch (e.kind()) {
            case TRANSIENT, CORRUPT ->
                new CoordinatorException(
                        ExitCode.PASSING, "StoreUnavailable", message + ". Run again when it answers", e);
            case NOT_FOUND -> new CoordinatorException(ExitCode.NO_INPUT, "NotFound", message, e);
            case DENIED, CREDENTIALS -> new CoordinatorException(ExitCode.NO_INPUT, "AccessDenied", message, e);
            case CHANGED, NO_SPACE, BAD_NAME, TOO_LARGE, PERMANENT ->
                new CoordinatorException(ExitCode.NO_INPUT, "Fetch", message, e);
        };
    }

    /**
     * The records folder cannot be used, and nothing was begun. What must be mended is the same as when it fails in the middle of a run, and so
     * is the code: nothing can be durable.
     */
    public static CoordinatorException ofRecords(StoreException e) {
        var why = String.valueOf(e.getMessage());
        var message = "records cannot be kept: " + why + (why.endsWith(".") ? "" : ".") + " Nothing was started";
        return switch (e.kind()) {
            case TRANSIENT, CORRUPT -> new CoordinatorException(ExitCode.PASSING, "StoreUnavailable", message, e);
            case DENIED, CREDENTIALS -> new CoordinatorException(ExitCode.NOT_DURABLE, "AccessDenied", message, e);
            case NO_SPACE -> new CoordinatorException(ExitCode.NOT_DURABLE, "NoSpace", message, e);
            case NOT_FOUND, CHANGED, BAD_NAME, TOO_LARGE, PERMANENT ->
                new CoordinatorException(ExitCode.NOT_DURABLE, "Records", message, e);
        };
    }

    /** {@code NO_SPACE} as people read it in reasons: {@code NoSpace}. */
    public static String word(StoreException.Kind kind) {
        var word = new StringBuilder();
        for (var part : kind.name().split("_", -1)) {
            word.append(part.charAt(0)).append(part.substring(1).toLowerCase(Locale.ROOT));
        }
        return word.toString();
    }
}
