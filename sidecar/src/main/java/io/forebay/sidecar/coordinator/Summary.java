package io.forebay.sidecar.coordinator;

import io.forebay.api.name.Printable;
import io.forebay.message.Messages.StepRun;
import io.forebay.sidecar.outcome.ExitCode;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * How a run ended.
 *
 * @param done items whose outputs are all durable, those of earlier runs included
 * @param skipped of these: done by earlier runs
 * @param unfinished items neither done nor failed: not started, given back, cut off, or cancelled
 * @param notRun of these: items that no worker's buffer had room for; absent: none
 * @param failedByReason reason word to number of items
 * @param failures the first failed items, {@link #NAMED_FAILURES} at most
 * @param unexported outputs that are not at their destination; each has a line in {@code UNEXPORTED.jsonl}
 * @param listedIn where that is; absent: it could not be written
 * @param recordsGone nothing is left of the records: no run can be resumed by them
 * @param leftOut files that belong to no group, and FIFOs and the like
 * @param leftOutNames the first of them, with input and reason, {@link #NAMED_LEFT_OUT} at most
 * @param unusable selected files that could be no input
 * @param notices what the user should know, in order
 */
public record Summary(
        ExitCode code,
        String cause,
        long items,
        long done,
        long skipped,
        long failed,
        long unfinished,
        Optional<NotRun> notRun,
        Map<String, Long> failedByReason,
        List<FailedItem> failures,
        long unexported,
        long unexportedBytes,
        Optional<String> listedIn,
        boolean recordsGone,
        long leftOut,
        List<String> leftOutNames,
        long unusable,
        List<String> notices) {

    /** CASES V1: first 20 errors, then a pointer to the rest. */
    public static final int NAMED_FAILURES = 20;

    /** As many as are told of files that can be no input. */
    public static final int NAMED_LEFT_OUT = 5;

    public Summary {
        leftOutNames = List.copyOf(leftOutNames);
        failedByReason = Map.copyOf(failedByReason);
        failures = List.copyOf(failures);
        notices = List.copyOf(notices);
    }

    /** @param keys of the first {@link #NAMED_FAILURES} @param why of the first */
    public record NotRun(long items, List<String> keys, String why) {
        public NotRun {
            keys = List.copyOf(keys);
        }
    }

    /** @param lastStep the step that ended last; absent: none was started */
    public record FailedItem(
            String key, String reason, String message, int code, int attempt, Optional<StepRun> lastStep) {
        private static final int LONGEST_LINE = 300;

        /** For people, on one line of at most 300 characters. */
        public String line() {
            var text = Printable.name(key) + ": " + reason + ": "
                    + message.lines().map(String::strip).map(Printable::name).collect(Collectors.joining("; "));
            return text.length() <= LONGEST_LINE ? text : Printable.start(text, LONGEST_LINE - 3) + "...";
        }
    }
}
