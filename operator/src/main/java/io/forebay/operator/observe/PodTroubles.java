package io.forebay.operator.observe;

import io.fabric8.kubernetes.api.model.ContainerStateWaiting;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Finds out what keeps pods from starting, from their status and from what controllers and kubelets complained of. Pure. */
public final class PodTroubles {
    private PodTroubles() {}

    /** By the pods alone. */
    public static Optional<Trouble> of(List<Pod> pods) {
        return pods.stream().flatMap(p -> of(p).stream()).findFirst();
    }

    private static Optional<Trouble> of(Pod pod) {
        var status = pod.getStatus();
        if (status == null) {
            return Optional.empty();
        }
        var name = pod.getMetadata().getName();
        for (var c : status.getConditions()) {
            if (c.getType().equals("PodScheduled")
                    && "False".equals(c.getStatus())
                    && "Unschedulable".equals(c.getReason())) {
                return Optional.of(unschedulable(name, String.valueOf(c.getMessage())));
            }
        }
        return Stream.concat(status.getInitContainerStatuses().stream(), status.getContainerStatuses().stream())
                .flatMap(c -> waiting(name, c).stream())
                .findFirst();
    }

    private static Trouble unschedulable(String pod, String message) {
        return message.contains("PersistentVolumeClaim") || message.contains("persistentvolumeclaim")
                ? new Trouble("VolumeNotBound", "pod " + pod + " waits for its volumes: " + message)
                : new Trouble("Unschedulable", "no node takes pod " + pod + ": " + message);
    }

    private static Optional<Trouble> waiting(String pod, ContainerStatus container) {
        ContainerStateWaiting waiting =
                container.getState() == null ? null : container.getState().getWaiting();
        if (waiting == null || waiting.getReason() == null) {
            return Optional.empty();
        }
        var where = "container " + container.getName() + " of pod " + pod;
        var text = waiting.getMessage() == null ? "" : ": " + waiting.getMessage();
        return switch (waiting.getReason()) {
            case "ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull" ->
                Optional.of(new Trouble("ImagePull", where + " cannot get its image " + container.getImage() + text));
            case "CreateContainerConfigError", "CreateContainerError", "RunContainerError" ->
                Optional.of(new Trouble(containerReason(text), where + " cannot be started" + text));
            case "CrashLoopBackOff" -> Optional.of(new Trouble("Crashing", where + " ends again and again" + text));
            default -> Optional.empty();
        };
    }

    private static String containerReason(String text) {
        if (text.contains("secret") && text.contains("not found")) {
            return "MissingSecret";
        }
        return text.contains("runAsNonRoot") || text.contains("non-root") ? "PodSecurity" : "ContainerConfig";
    }

    /** By warnings about Jobs without pods and pods without containers; the newest that says something counts. */
    public static Optional<Trouble> ofWarnings(List<Event> events) {
        for (int i = events.size() - 1; i >= 0; i--) {
            var found = of(events.get(i));
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    private static Optional<Trouble> of(Event event) {
        var text = String.valueOf(event.getMessage());
        return switch (String.valueOf(event.getReason())) {
            case "FailedCreate" -> {
                if (text.contains("exceeded quota")) {
                    yield Optional.of(new Trouble("QuotaExceeded", "pods cannot be made: " + text));
                }
                yield Optional.of(new Trouble(
                        text.contains("PodSecurity") ? "PodSecurity" : "PodRefused", "pods cannot be made: " + text));
            }
            case "FailedMount", "FailedAttachVolume" ->
                Optional.of(new Trouble(
                        text.contains("secret") && text.contains("not found") ? "MissingSecret" : "VolumeNotMounted",
                        "pod " + event.getInvolvedObject().getName() + " waits for a volume: " + text));
            default -> Optional.empty();
        };
    }
}
