package io.forebay.api.manifest;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import com.fasterxml.jackson.databind.JsonNode;
import io.forebay.api.schema.Range;
import io.forebay.api.schema.Required;
import io.forebay.api.schema.Size;
import io.forebay.api.schema.Syntax;
import io.forebay.api.schema.Text;
import io.forebay.api.schema.UniqueBy;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Makes records of what was read, by their components' types and annotations; what does not fit is told and left out. */
final class RecordBinder {
    private final Problems problems;

    RecordBinder(Problems problems) {
        this.problems = problems;
    }

    <R extends Record> R bind(Node.Obj object, Class<R> type) {
        return record(object, type, "");
    }

    private <R extends Record> R record(Node.Obj object, Class<R> type, String path) {
        var components = type.getRecordComponents();
        var names = Arrays.stream(components).map(RecordComponent::getName).toList();
        var open = OpenRecord.knownFields(type);
        // Absent because it is mistyped: that is told, and its absence not once more.
        var mistyped = new HashSet<String>();
        object.fields().forEach((key, value) -> {
            if (!names.contains(key) && !open.contains(key)) {
                var hint = KnownMistakes.hint(type, key).orElseGet(() -> Suggestion.hint(key, names));
                names.stream().filter(n -> hint.contains("'" + n + "'")).forEach(mistyped::add);
                problems.add(
                        NodeBuilder.below(path, key),
                        value.shown(),
                        "unknown field" + (hint.isEmpty() ? "; known here are " + String.join(", ", names) : hint));
            }
        });
        var values = new @Nullable Object[components.length];
        for (int i = 0; i < components.length; i++) {
            var component = components[i];
            if (OpenRecord.isIgnored(component.getType())) {
                continue;
            }
            var at = NodeBuilder.below(path, component.getName());
            var node = object.fields().get(component.getName());
            if (node == null) {
                if (component.isAnnotationPresent(Required.class) && !mistyped.contains(component.getName())) {
                    problems.add(at, "", "Required value: " + firstSentence(component));
                }
                continue;
            }
            values[i] = value(node, component, at);
        }
        return create(type, components, values);
    }

    private static String firstSentence(RecordComponent component) {
        var description = component.getAccessor().getAnnotation(JsonPropertyDescription.class);
        return description == null ? component.getName() : description.value().replaceAll("(?s)\\. .*|\\.$", "");
    }

    private @Nullable Object value(Node node, RecordComponent component, String path) {
        var type = component.getGenericType();
        if (type instanceof ParameterizedType generic && generic.getRawType() == List.class) {
            return list(node, component, generic.getActualTypeArguments()[0], path);
        }
        if (type instanceof ParameterizedType generic && generic.getRawType() == Map.class) {
            return map(node, component, path);
        }
        return single(node, (Class<?>) type, component, path);
    }

    private @Nullable List<Object> list(Node node, RecordComponent component, Type entry, String path) {
        if (!(node instanceof Node.Seq seq)) {
            return wrongType(node, "array", path, "write a list, each entry on a line that starts with '-'");
        }
        checkSize(component, seq.entries().size(), path);
        var out = new ArrayList<Object>();
        for (int i = 0; i < seq.entries().size(); i++) {
            var value = single(seq.entries().get(i), (Class<?>) entry, component, NodeBuilder.below(path, i));
            if (value != null) {
                out.add(value);
            } else if (entry instanceof Class<?> type && type.isRecord()) {
                // Keeps the indexes of those that follow.
                out.add(create(
                        type.asSubclass(Record.class),
                        type.getRecordComponents(),
                        new @Nullable Object[type.getRecordComponents().length]));
            }
        }
        checkUnique(component, seq, path);
        return out;
    }

    private @Nullable Map<String, String> map(Node node, RecordComponent component, String path) {
        if (!(node instanceof Node.Obj object)) {
            return wrongType(node, "object", path, "write lines of the form name: value");
        }
        checkSize(component, object.fields().size(), path);
        var out = new LinkedHashMap<String, String>();
        object.fields().forEach((key, value) -> {
            if (single(value, String.class, component, NodeBuilder.entry(path, key)) instanceof String text) {
                out.put(key, text);
            }
        });
        return out;
    }

    private @Nullable Object single(Node node, Class<?> type, RecordComponent component, String path) {
        if (type == String.class) {
            return text(node, component, path);
        }
        if (type == Integer.class) {
            return integer(node, component, path);
        }
        if (type == Boolean.class) {
            return node instanceof Node.Bool bool
                    ? bool.value()
                    : wrongType(node, "boolean", path, "write true or false, without quotes");
        }
        if (type.isEnum()) {
            return constant(node, type, path);
        }
        if (!(node instanceof Node.Obj object)) {
            return wrongType(node, "object", path, "write its fields below it, indented");
        }
        if (type == JsonNode.class) {
            return object.toJson();
        }
        return record(object, type.asSubclass(Record.class), path);
    }

    private @Nullable String text(Node node, RecordComponent component, String path) {
        var annotation = component.getAnnotation(Text.class);
        var syntax = annotation == null ? Syntax.FREE : annotation.value();
        boolean number = (syntax == Syntax.QUANTITY || syntax == Syntax.RESOURCE)
                && node instanceof Node.Num num
                && num.isWhole();
        if (!number && !(node instanceof Node.Text)) {
            return wrongType(node, "string", path, "write it in quotes: \"" + node.shown() + "\"");
        }
        var text = node.shown();
        if (text.indexOf('\0') >= 0) {
            problems.add(path, text, "holds a NUL character, which no name, argument or variable can; remove it");
            return null;
        }
        var fault = syntax.fault(text);
        if (fault.isPresent()) {
            problems.add(path, text, fault.get());
            return null;
        }
        return text;
    }

    private @Nullable Integer integer(Node node, RecordComponent component, String path) {
        if (!(node instanceof Node.Num number && number.isWhole())) {
            return wrongType(node, "integer", path, "write a whole number, without quotes");
        }
        var range = component.getAnnotation(Range.class);
        int min = range == null ? Integer.MIN_VALUE : range.min();
        int max = range == null ? Integer.MAX_VALUE : range.max();
        var value = new BigInteger(number.text());
        if (value.compareTo(BigInteger.valueOf(min)) < 0 || value.compareTo(BigInteger.valueOf(max)) > 0) {
            problems.add(path, number.text(), outOfRange(number.text(), min, max));
            return null;
        }
        return value.intValueExact();
    }

    private static String outOfRange(String value, int min, int max) {
        return value + " is out of range; write a whole number from " + min + " to " + max;
    }

    private @Nullable Object constant(Node node, Class<?> type, String path) {
        var known = new LinkedHashMap<String, Object>();
        for (var constant : type.getEnumConstants()) {
            known.put(nameOf((Enum<?>) constant), constant);
        }
        if (!(node instanceof Node.Text text)) {
            return wrongType(node, "string", path, "write one of " + String.join(", ", known.keySet()));
        }
        var value = known.get(text.value());
        if (value == null) {
            problems.add(
                    path,
                    text.value(),
                    "Unsupported value: \"" + text.value() + "\": supported values: "
                            + known.keySet().stream().map(k -> "\"" + k + "\"").collect(Collectors.joining(", "))
                            + Suggestion.hint(text.value(), known.keySet()));
        }
        return value;
    }

    private static String nameOf(Enum<?> constant) {
        try {
            var property =
                    constant.getDeclaringClass().getField(constant.name()).getAnnotation(JsonProperty.class);
            return property == null ? constant.name() : property.value();
        } catch (NoSuchFieldException e) {
            throw new IllegalStateException(constant + " without its field", e);
        }
    }

    private void checkSize(RecordComponent component, int size, String path) {
        var bounds = component.getAnnotation(Size.class);
        if (bounds != null && (size < bounds.min() || size > bounds.max())) {
            problems.add(
                    path,
                    size + " entries",
                    (size < bounds.min() ? "holds too few entries" : "holds too many entries") + "; write "
                            + bounds.min() + " to " + bounds.max());
        }
    }

    private void checkUnique(RecordComponent component, Node.Seq seq, String path) {
        var unique = component.getAnnotation(UniqueBy.class);
        if (unique == null) {
            return;
        }
        var first = new HashMap<String, Integer>();
        for (int i = 0; i < seq.entries().size(); i++) {
            if (seq.entries().get(i) instanceof Node.Obj object
                    && object.fields().get(unique.value()) instanceof Node.Text(String name, int _)) {
                var other = first.putIfAbsent(name, i);
                if (other != null) {
                    problems.add(
                            NodeBuilder.below(path, i),
                            name,
                            "Duplicate value: " + unique.value() + " '" + name + "' is that of " + path + "[" + other
                                    + "] too; choose another");
                }
            }
        }
    }

    private <T> @Nullable T wrongType(Node node, String wanted, String path, String remedy) {
        if (node instanceof Node.Bad) {
            return null;
        }
        var what = node instanceof Node.Null
                ? "must be of type " + wanted + ", not null; give it a value or remove it"
                : "must be of type " + wanted + ", not " + node.type()
                        + (node instanceof Node.Obj || node instanceof Node.Seq ? "" : " " + quoted(node)) + "; "
                        + remedy;
        problems.add(path, node.shown(), what);
        return null;
    }

    private static String quoted(Node node) {
        return node instanceof Node.Text ? "\"" + node.shown() + "\"" : node.shown();
    }

    private static <R extends Record> R create(Class<R> type, RecordComponent[] components, @Nullable Object[] values) {
        try {
            var types = Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
            return type.getDeclaredConstructor(types).newInstance(values);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("cannot make " + type, e);
        }
    }
}
