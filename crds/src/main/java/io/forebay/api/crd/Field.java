package io.forebay.api.crd;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.forebay.api.schema.Default;
import io.forebay.api.schema.Syntax;
import io.forebay.api.schema.Text;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a record component says about its field. */
record Field(RecordComponent component) {

    boolean isList() {
        return component.getType() == List.class;
    }

    boolean isMap() {
        return component.getType() == Map.class;
    }

    /** Of the field, or of the entries of a list or map. */
    Class<?> valueType() {
        if (component.getGenericType() instanceof ParameterizedType generic) {
            var arguments = generic.getActualTypeArguments();
            return (Class<?>) arguments[arguments.length - 1];
        }
        return component.getType();
    }

    Syntax syntax() {
        var text = component.getAnnotation(Text.class);
        return text == null ? Syntax.FREE : text.value();
    }

    /** What the field is, what its values are, what it is unset. */
    String description() {
        var out = new StringBuilder(text());
        if (valueType().isEnum()) {
            constantTexts()
                    .forEach((name, text) ->
                            out.append(' ').append(name).append(": ").append(text));
        }
        var unset = component.getAnnotation(Default.class);
        if (unset != null) {
            out.append(" Unset: ").append(unset.value()).append('.');
        }
        return out.toString();
    }

    /** Without values and default. */
    String text() {
        var description = component.getAccessor().getAnnotation(JsonPropertyDescription.class);
        if (description == null) {
            throw new IllegalStateException(component + " has no description");
        }
        return description.value();
    }

    List<String> constants() {
        return List.copyOf(constantTexts().keySet());
    }

    /** Name in the manifest to meaning. */
    Map<String, String> constantTexts() {
        var texts = new LinkedHashMap<String, String>();
        for (var field : valueType().getFields()) {
            if (field.isEnumConstant()) {
                texts.put(
                        field.getAnnotation(JsonProperty.class).value(),
                        field.getAnnotation(JsonPropertyDescription.class).value());
            }
        }
        if (texts.isEmpty()) {
            throw new IllegalStateException(Arrays.toString(valueType().getFields()) + " are no constants");
        }
        return texts;
    }
}
