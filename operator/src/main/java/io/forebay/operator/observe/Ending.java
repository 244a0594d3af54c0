package io.forebay.operator.observe;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.Pod;
import io.forebay.message.MessageJson;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How a coordinator's process ended.
 *
 * @param exitCode of the container
 * @param message its termination message; the end of its log, as its {@code message}, if it could not write one; MissingNode: neither
 * @param at RFC 3339; null: not told
 */
public record Ending(
        int exitCode, JsonNode message, @Nullable String at) {
    /** Of the pod that ended last among those of a coordinator Job. */
    public static Optional<Ending> of(List<Pod> pods) {
        return pods.stream()
                .flatMap(p -> terminated(p).stream())
                .max(Comparator.comparing(t -> t.getFinishedAt() == null ? "" : t.getFinishedAt()))
                .map(t -> new Ending(t.getExitCode(), json(t.getMessage()), t.getFinishedAt()));
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

    private static JsonNode json(@Nullable String text) {
        if (text == null || text.isBlank()) {
            return MissingNode.getInstance();
        }
        try {
            var tree = MessageJson.MAPPER.readTree(text);
            return tree.isObject() ? tree : log(text);
        } catch (JsonProcessingException e) {
            return log(text);
        }
    }

    /** Not its message, but the end of its log. */
    private static JsonNode log(String text) {
        return MessageJson.MAPPER.createObjectNode().put("message", text.strip());
    }

    /** Whether it is the job's end, and not only this process's. */
    public boolean isTheJobs() {
        return switch (exitCode) {
            case 0, 1, 64, 65, 74, 124, 130 -> true;
            default -> false;
        };
    }
}
