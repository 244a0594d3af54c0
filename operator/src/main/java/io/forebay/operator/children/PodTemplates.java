package io.forebay.operator.children;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Merges a user's podTemplate into a pod of ours: nothing of ours goes, nothing of theirs is replaced silently. Objects are merged, single values
 * are the user's, elements of lists that have a name are merged by it, other lists are joined, ours first. Thread-safe.
 */
final class PodTemplates {
    private final KubernetesSerialization serialization = new KubernetesSerialization();

    /** @return a new pod; {@code ours} if there is nothing to merge */
    PodTemplateSpec merge(PodTemplateSpec ours, @Nullable JsonNode theirs) {
        if (theirs == null || theirs.isEmpty()) {
            return ours;
        }
        var base = serialization.convertValue(ours, ObjectNode.class);
        var names = containerNames(base);
        var user = theirs.deepCopy();
        var labels = base.at("/metadata/labels").deepCopy();
        var whole = merge(base, user);
        if (whole.get("metadata") instanceof ObjectNode metadata && labels instanceof ObjectNode own) {
            merge((ObjectNode) metadata.withObjectProperty("labels"), own); // ours are how the pod is found
        }
        var spec = whole.withObjectProperty("spec");
        spec.put("restartPolicy", "Never");
        spec.set("terminationGracePeriodSeconds", base(ours)); // merged already, and capped
        if (spec.path("securityContext") instanceof ObjectNode security) {
            security.remove("runAsUser"); // stands at the containers
        }
        dropForeign(spec, "containers", names);
        return serialization.convertValue(whole, PodTemplateSpec.class);
    }

    private static JsonNode base(PodTemplateSpec ours) {
        return LongNode.valueOf(ours.getSpec().getTerminationGracePeriodSeconds());
    }

    private static Set<String> containerNames(ObjectNode pod) {
        var names = new HashSet<String>();
        for (var list : List.of("containers", "initContainers")) {
            pod.at("/spec/" + list).forEach(c -> names.add(c.path("name").asText()));
        }
        return names;
    }

    /**
     * A template is merged into worker and coordinator pods alike: its changes to a container that a pod has not are the other's. Whoever wants a
     * container of their own beside the steps adds an init container with restartPolicy Always, which does not keep a pod from its end.
     */
    private static void dropForeign(ObjectNode spec, String list, Set<String> names) {
        if (spec.get(list) instanceof ArrayNode all) {
            for (int i = all.size() - 1; i >= 0; i--) {
                if (!names.contains(all.get(i).path("name").asText())) {
                    all.remove(i);
                }
            }
        }
        // Changes to a step, written as a container: steps are init containers.
        if (spec.get("initContainers") instanceof ArrayNode inits) {
            for (int i = inits.size() - 1; i >= 0; i--) {
                var c = inits.get(i);
                if (!names.contains(c.path("name").asText()) && !c.has("image")) {
                    inits.remove(i);
                }
            }
        }
    }

    private static ObjectNode merge(ObjectNode into, JsonNode from) {
        from.properties().forEach(e -> into.set(e.getKey(), merged(into.get(e.getKey()), e.getValue())));
        return into;
    }

    private static JsonNode merged(@Nullable JsonNode ours, JsonNode theirs) {
        if (ours instanceof ObjectNode a && theirs instanceof ObjectNode b) {
            return merge(a, b);
        }
        if (ours instanceof ArrayNode a && theirs instanceof ArrayNode b) {
            return lists(a, b);
        }
        return theirs;
    }

    private static ArrayNode lists(ArrayNode ours, ArrayNode theirs) {
        Map<String, JsonNode> byName = new LinkedHashMap<>();
        var all = ours.arrayNode();
        for (var list : List.of(ours, theirs)) {
            for (var element : list) {
                var name = element.path("name").asText("");
                if (name.isEmpty()) {
                    all.add(element);
                } else {
                    byName.merge(name, element, PodTemplates::merged);
                }
            }
        }
        byName.values().forEach(all::add);
        return all;
    }
}
