package io.forebay.operator.observe;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.Pod;
import io.forebay.message.JobEnd;
import io.forebay.message.MessageJson;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How a coordinator's process ended.
 *
 * @param exitCode of the container; it counts where the message says otherwise
 * @param message absent: it left none that can be read
 * @param log the end of its log, where it left no message; null: nothing either
 * @param at RFC 3339; null: not told
 */
public record Ending(
        int exitCode,
        Optional<JobEnd> message,
        @Nullable String log,
        @Nullable String at) {
    /** Of the pod that ended last among those of a coordinator Job. */
    public static Optional<Ending> of(List<Pod> pods) {
        return pods.stream()
                .flatMap(p -> terminated(p).stream())
                .max(Comparator.comparing(t -> t.getFinishedAt() == null ? "" : t.getFinishedAt()))
                .map(Ending::of);
    }

    private static Ending of(ContainerStateTerminated t) {
        var text = t.getMessage();
        var message = message(text);
        var log = message.isPresent() || text == null || text.isBlank() ? null : text.strip();
        return new Ending(t.getExitCode(), message, log, t.getFinishedAt());
    }

    private static Optional<ContainerStateTerminated> terminated(Pod pod) {
        if (pod.getStatus() == null || pod.getStatus().getContainerStatuses() == null) {
            return Optional.empty();
        }
        return pod.getStatus().getContainerStatuses().stream()
                .filter(c -> c.getName().equals("coordinator"))
                .flatMap(c -> Optional.ofNullable(c.getState().getTerminated()).stream())
                .findFirst();
    }

    private static Optional<JobEnd> message(@Nullable String text) {
        if (text == null || !text.startsWith("{")) {
            return Optional.empty();
        }
        try {
            return Optional.of(MessageJson.MAPPER.readValue(text, JobEnd.class));
        } catch (JsonProcessingException e) {
            return Optional.empty();
        }
    }

    /** Whether it is the job's end, and not only this process's. */
    public boolean isTheJobs() {
        return switch (exitCode) {
            case 0, 1, 64, 65, 74, 124, 130 -> true;
            default -> false;
        };
    }
}
