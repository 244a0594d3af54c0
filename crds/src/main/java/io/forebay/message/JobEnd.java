package io.forebay.message;

import io.forebay.api.v1alpha1.DataCounts;
import io.forebay.api.v1alpha1.ItemCounts;
import io.forebay.api.v1alpha1.Phase;
import org.jspecify.annotations.Nullable;

/**
 * How a coordinator ended: its termination message ({@code --termination-message}), as JSON of at most 2 KiB. The exit code of the container
 * counts where they differ: a process may be killed while it writes.
 *
 * @param exitCode as in DESIGN 10
 * @param phase SUCCEEDED, FAILED or CANCELLED; RUNNING: this process alone has ended, the job goes on under the next coordinator
 * @param reason one word: Durable, StepFailed, AccessDenied, NoInputs, Deadline...
 * @param message for people: what happened, to what, where, why, and what to do; may be cut
 * @param items absent: nothing was planned
 * @param data as {@code items}; what was moved under earlier coordinators is not in it
 * @param unexported outputs that could not be written back
 */
public record JobEnd(
        int exitCode,
        Phase phase,
        String reason,
        String message,
        @Nullable ItemCounts items,
        @Nullable DataCounts data,
        long unexported) {
    public JobEnd withMessage(String text) {
        return new JobEnd(exitCode, phase, reason, text, items, data, unexported);
    }
}
