package io.forebay.sidecar.records;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.forebay.message.Messages.Failure;
import io.forebay.message.Messages.StagedOutput;
import io.forebay.message.Messages.StepRun;
import io.forebay.message.Messages.Timing;
import io.forebay.message.Messages.Unexported;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One decision or fact in the coordinator's log. Items are named by {@code id}, the hash of their identity, so that an entry
 * means the same under every plan; {@code item} is the index in the plan of its time, for people. Times are milliseconds since
 * 1970 UTC.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "t")
@JsonSubTypes({
    @JsonSubTypes.Type(value = LogEntry.Started.class, name = "started"),
    @JsonSubTypes.Type(value = LogEntry.StartFailed.class, name = "startfailed"),
    @JsonSubTypes.Type(value = LogEntry.Planned.class, name = "planned"),
    @JsonSubTypes.Type(value = LogEntry.Staged.class, name = "staged"),
    @JsonSubTypes.Type(value = LogEntry.Intent.class, name = "intent"),
    @JsonSubTypes.Type(value = LogEntry.Completed.class, name = "completed"),
    @JsonSubTypes.Type(value = LogEntry.Failed.class, name = "failed"),
    @JsonSubTypes.Type(value = LogEntry.Fenced.class, name = "fenced"),
    @JsonSubTypes.Type(value = LogEntry.Cleaned.class, name = "cleaned"),
    @JsonSubTypes.Type(value = LogEntry.Settled.class, name = "settled"),
    @JsonSubTypes.Type(value = LogEntry.NewGeneration.class, name = "generation"),
    @JsonSubTypes.Type(value = LogEntry.Revoked.class, name = "revoked"),
    @JsonSubTypes.Type(value = LogEntry.Ended.class, name = "ended")
})
public sealed interface LogEntry {

    /**
     * A coordinator takes over.
     *
     * @param newRun a new run begins here: failures before it no longer count; false: the run before it goes on
     * @param fresh completions before it do not count
     * @param runId what the caller calls this run; empty: nothing
     * @param runStartedAt when the run began, also if an earlier coordinator began it
     */
    record Started(
            int generation,
            boolean newRun,
            boolean fresh,
            String runId,
            long runStartedAt,
            long at,
            String host,
            long pid)
            implements LogEntry {}

    /**
     * No run began, since it could not be planned. Says nothing of the items, nor of the runs before.
     *
     * @param generation of the coordinator
     * @param code exit code
     * @param message for people: what was wrong
     */
    record StartFailed(int generation, int code, String message, long at) implements LogEntry {}

    /**
     * The plan is complete, in segments {@code plan-<plan>-<nnnn>}.
     *
     * @param plan generation of the coordinator that made it
     * @param manifest hash of the manifest it was made from
     * @param outsideGroups files that belong to no group, and FIFOs and the like
     * @param unusable selected files that can be no input
     */
    record Planned(
            int plan,
            String manifest,
            int items,
            int segments,
            long files,
            long bytes,
            long outsideGroups,
            long unusable,
            List<String> warnings)
            implements LogEntry {
        public Planned {
            warnings = List.copyOf(warnings);
        }
    }

    /** What an attempt is about to leave at destinations, invisible. */
    record Staged(String id, long item, int generation, int attempt, String worker, List<StagedOutput> outputs)
            implements LogEntry {
        public Staged {
            outputs = List.copyOf(outputs);
        }
    }

    /**
     * These outputs of this attempt are the item's: never withdrawn, only carried out.
     *
     * @param success whether the steps succeeded
     * @param onClose decides one file of {@code publish: OnClose}, not the item
     */
    record Intent(
            String id,
            long item,
            String key,
            int generation,
            int attempt,
            String worker,
            boolean success,
            boolean onClose,
            List<StagedOutput> outputs)
            implements LogEntry {
        public Intent {
            outputs = List.copyOf(outputs);
        }
    }

    /** One input of a completed item. @param crc32c 8 hexadecimal digits; empty: not known */
    record InputPin(String uri, String pin, String crc32c) {}

    /**
     * The completion record: the truth for resume, provenance and verify.
     *
     * @param content hash of what the identity is without inodes and change times: where only those differ checksums decide
     * @param steps empty if the worker was lost after the intent
     * @param outputs all that is at its final name, {@code OnClose} files included
     */
    record Completed(
            String id,
            String content,
            long item,
            String key,
            int generation,
            int attempt,
            String worker,
            List<InputPin> inputs,
            List<StepRun> steps,
            List<StagedOutput> outputs,
            List<Unexported> unexported,
            @Nullable Timing timing,
            long at)
            implements LogEntry {
        public Completed {
            inputs = List.copyOf(inputs);
            steps = List.copyOf(steps);
            outputs = List.copyOf(outputs);
            unexported = List.copyOf(unexported);
        }
    }

    /**
     * An attempt failed.
     *
     * @param last no attempt follows in this run
     * @param published what is at its final name nevertheless ({@code when: Failure}, {@code OnClose})
     * @param sums CRC32C of its inputs as it read them, as in {@link InputPin}; no elements: not known
     */
    record Failed(
            String id,
            long item,
            String key,
            int generation,
            int attempt,
            String worker,
            boolean last,
            Failure failure,
            List<StepRun> steps,
            List<StagedOutput> published,
            List<Unexported> unexported,
            @Nullable Timing timing,
            long at,
            List<String> sums)
            implements LogEntry {
        public Failed {
            // Absent in what an earlier version wrote.
            sums = List.copyOf(Objects.requireNonNullElse(sums, List.<String>of()));
            steps = List.copyOf(steps);
            published = List.copyOf(published);
            unexported = List.copyOf(unexported);
        }
    }

    /** Attempts up to this one may never publish. */
    record Fenced(String id, long item, int generation, int attempt) implements LogEntry {}

    /** What attempts up to this one staged is removed at the stores. */
    record Cleaned(String id, long item, int generation, int attempt) implements LogEntry {}

    /** Nothing of this item, which the plan no longer has, is left to remove or to publish. */
    record Settled(String id) implements LogEntry {}

    /** Pieces of what was decided are lost: the item begins anew under this generation. */
    record NewGeneration(String id, long item, int generation) implements LogEntry {}

    /**
     * The completion record of this attempt no longer counts: an output is not what it says. The item is to be done again.
     *
     * @param reason which output, and what was found
     */
    record Revoked(String id, String key, int generation, int attempt, String reason, long at) implements LogEntry {}

    /** The run is over. @param code exit code */
    record Ended(
            int code,
            long done,
            long failed,
            long unfinished,
            long unexported,
            long unexportedBytes,
            String cause,
            long at)
            implements LogEntry {}
}
