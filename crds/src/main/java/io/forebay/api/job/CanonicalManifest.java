package io.forebay.api.job;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.TreeMap;

/**
 * A manifest in the one form that two equal ones share: JSON, keys sorted, no white space, ASCII (so that bytes of names that
 * are not UTF-8 survive), without status and without what the API server adds to metadata.
 */
final class CanonicalManifest {
    private static final ObjectWriter WRITER = JsonMapper.builder()
            .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
            .build()
            .writer();

    private CanonicalManifest() {}

    static String of(JsonNode manifest) {
        var kept = JsonNodeFactory.instance.objectNode();
        for (var field : new String[] {"apiVersion", "kind", "spec"}) {
            kept.set(field, manifest.path(field));
        }
        var metadata = kept.putObject("metadata");
        for (var field : new String[] {"name", "namespace", "labels", "annotations"}) {
            if (manifest.path("metadata").has(field)) {
                metadata.set(field, manifest.path("metadata").path(field));
            }
        }
        if (metadata.get("annotations") instanceof ObjectNode annotations) {
            // A copy of the manifest that kubectl keeps for itself.
            metadata.set(
                    "annotations", annotations.deepCopy().without("kubectl.kubernetes.io/last-applied-configuration"));
        }
        try {
            return WRITER.writeValueAsString(sorted(kept));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("writing to memory", e);
        }
    }

    private static JsonNode sorted(JsonNode node) {
        if (node instanceof ObjectNode object) {
            var fields = new TreeMap<String, JsonNode>();
            object.properties().forEach(e -> fields.put(e.getKey(), sorted(e.getValue())));
            var out = JsonNodeFactory.instance.objectNode();
            fields.forEach(out::set);
            return out;
        }
        if (node.isArray()) {
            var out = JsonNodeFactory.instance.arrayNode();
            node.forEach(e -> out.add(sorted(e)));
            return out;
        }
        return node;
    }
}
