package io.forebay.api.crd;

import com.fasterxml.jackson.databind.JsonNode;
import io.forebay.api.schema.Mutable;
import io.forebay.api.schema.Range;
import io.forebay.api.schema.Required;
import io.forebay.api.schema.Rule;
import io.forebay.api.schema.Size;
import io.forebay.api.schema.Syntax;
import io.forebay.api.schema.UniqueBy;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Structural schemas (Kubernetes' subset of OpenAPI v3) of records. */
final class Schemas {
    /** Of a text without a bound of its own; rules need one. */
    private static final int MAX_TEXT = 4096;

    private Schemas() {}

    /** Of the object itself: Kubernetes knows apiVersion, kind and metadata. */
    static Map<String, Object> ofRoot(Class<? extends Record> type) {
        var schema = ofRecord(type, false);
        var properties = new LinkedHashMap<String, Object>();
        properties.put("apiVersion", Map.of("type", "string"));
        properties.put("kind", Map.of("type", "string"));
        properties.put("metadata", Map.of("type", "object"));
        for (var component : type.getRecordComponents()) {
            if (!properties.containsKey(component.getName())) {
                properties.put(
                        component.getName(),
                        ofComponent(component, component.getName().equals("spec")));
            }
        }
        schema.put("properties", properties);
        schema.put("required", List.of("spec"));
        return schema;
    }

    /** @param fixed whether what is below it is immutable, but for what is marked as mutable */
    private static Map<String, Object> ofRecord(Class<? extends Record> type, boolean fixed) {
        var schema = new LinkedHashMap<String, Object>();
        schema.put("type", "object");
        var properties = new LinkedHashMap<String, Object>();
        var required = new ArrayList<String>();
        var unchanged = new ArrayList<String>();
        for (var component : type.getRecordComponents()) {
            boolean mutable = component.isAnnotationPresent(Mutable.class);
            properties.put(component.getName(), ofComponent(component, fixed && !mutable));
            if (component.isAnnotationPresent(Required.class)) {
                required.add(component.getName());
            } else if (fixed && !mutable) {
                unchanged.addAll(unchanged(component));
            }
        }
        schema.put("properties", properties);
        if (!required.isEmpty()) {
            schema.put("required", required);
        }
        addRules(
                schema,
                Arrays.stream(type.getAnnotationsByType(Rule.class))
                        .map(Cel::of)
                        .toList());
        if (!unchanged.isEmpty()) {
            addRules(schema, List.of(Cel.allSame(unchanged)));
        }
        return schema;
    }

    /** What holds of an optional field later: it stays set, or unset; an object with mutable fields may come and go with those. */
    private static List<String> unchanged(RecordComponent component) {
        var below = component.getType().isRecord()
                ? List.of(component.getType().getRecordComponents())
                : List.<RecordComponent>of();
        if (below.stream().noneMatch(c -> c.isAnnotationPresent(Mutable.class))) {
            return List.of(Cel.samePresence(component.getName()));
        }
        return below.stream()
                .filter(c -> !c.isAnnotationPresent(Mutable.class))
                .map(c -> Cel.samePresence(component.getName(), c.getName()))
                .toList();
    }

    private static Map<String, Object> ofComponent(RecordComponent component, boolean fixed) {
        var field = new Field(component);
        var unique = component.getAnnotation(UniqueBy.class);
        var schema = new LinkedHashMap<String, Object>();
        if (field.isList()) {
            schema.put("type", "array");
            var size = component.getAnnotation(Size.class);
            if (size != null) {
                schema.put("maxItems", size.max());
            }
            schema.put("x-kubernetes-list-type", unique == null ? "atomic" : "map");
            if (unique != null) {
                schema.put("x-kubernetes-list-map-keys", List.of(unique.value()));
            }
            // Entries without a name cannot be told apart from one version to the next: such a list is compared as a
            // whole.
            schema.put("items", ofValue(field, fixed && unique != null));
        } else if (field.isMap()) {
            schema.put("type", "object");
            var size = component.getAnnotation(Size.class);
            if (size != null) {
                schema.put("maxProperties", size.max());
            }
            schema.put("additionalProperties", ofValue(field, fixed));
        } else {
            schema.putAll(ofValue(field, fixed));
        }
        schema.put("description", field.description());
        var rules = new ArrayList<Cel>();
        var size = component.getAnnotation(Size.class);
        if (size != null && size.min() > 0) {
            rules.add(Cel.minimumSize(size.min(), size.max()));
        }
        Arrays.stream(component.getAnnotationsByType(Rule.class)).map(Cel::of).forEach(rules::add);
        if (fixed && field.isList() && unique != null) {
            rules.add(Cel.sameEntries(unique.value()));
        } else if (fixed && (field.isList() || !field.valueType().isRecord())) {
            rules.add(Cel.immutable());
        }
        addRules(schema, rules);
        return schema;
    }

    /** Of the field's value, or of each of its entries. */
    private static Map<String, Object> ofValue(Field field, boolean fixed) {
        var type = field.valueType();
        var schema = new LinkedHashMap<String, Object>();
        if (type == String.class) {
            var syntax = field.syntax();
            if (syntax == Syntax.QUANTITY || syntax == Syntax.RESOURCE) {
                schema.put("x-kubernetes-int-or-string", true);
            } else {
                schema.put("type", "string");
            }
            schema.put("maxLength", Math.min(syntax.maxLength(), MAX_TEXT));
            addRules(schema, Cel.of(syntax));
        } else if (type == Integer.class || type == Long.class) {
            schema.put("type", "integer");
            schema.put("format", type == Integer.class ? "int32" : "int64");
            var range = field.component().getAnnotation(Range.class);
            if (range != null) {
                addRules(schema, List.of(Cel.range(range.min(), range.max())));
            }
        } else if (type == Boolean.class) {
            schema.put("type", "boolean");
        } else if (type.isEnum()) {
            schema.put("type", "string");
            schema.put("enum", field.constants());
        } else if (type == JsonNode.class) {
            schema.put("type", "object");
            schema.put("x-kubernetes-preserve-unknown-fields", true);
        } else {
            schema.putAll(ofRecord(type.asSubclass(Record.class), fixed));
        }
        return schema;
    }

    private static void addRules(Map<String, Object> schema, List<Cel> rules) {
        if (rules.isEmpty()) {
            return;
        }
        var all = new ArrayList<Object>();
        if (schema.get("x-kubernetes-validations") instanceof List<?> before) {
            all.addAll(before);
        }
        rules.forEach(rule -> all.add(rule.toMap()));
        schema.put("x-kubernetes-validations", all);
    }
}
