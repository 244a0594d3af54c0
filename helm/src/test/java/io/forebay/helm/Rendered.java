package io.forebay.helm;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.stream.Stream;

/** Objects that Helm made. */
record Rendered(List<JsonNode> objects) {
    Rendered {
        objects = List.copyOf(objects);
    }

    Stream<JsonNode> ofKind(String kind) {
        return objects.stream().filter(o -> o.at("/kind").asText().equals(kind));
    }

    /** @throws AssertionError unless there is exactly one */
    JsonNode one(String kind, String name) {
        var found = ofKind(kind)
                .filter(o -> o.at("/metadata/name").asText().equals(name))
                .toList();
        if (found.size() != 1) {
            throw new AssertionError(found.size() + " of " + kind + " " + name + " among " + names());
        }
        return found.getFirst();
    }

    /** "Kind namespace/name", or "Kind name" without a namespace, in the order of the output. */
    List<String> names() {
        return objects.stream().map(Rendered::name).toList();
    }

    static String name(JsonNode object) {
        var namespace = object.at("/metadata/namespace").asText();
        return object.at("/kind").asText() + " " + (namespace.isEmpty() ? "" : namespace + "/")
                + object.at("/metadata/name").asText();
    }
}
