package io.forebay.api.job;

import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * A text with {@code $(VAR)} in it, in the syntax of Kubernetes container commands: {@code $$} is a literal {@code $}, a
 * reference to an unknown variable stays as it is. Expansion is one pass: values are never expanded again.
 *
 * @param text as written
 */
public record Template(String text) {

    /** @param variables name to value */
    public String expand(Map<String, String> variables) {
        var out = new StringBuilder(text.length() + 32);
        walk(out, variables, new LinkedHashSet<>());
        return out.toString();
    }

    /** Names referred to, in order of appearance. */
    public Set<String> variables() {
        var names = new LinkedHashSet<String>();
        walk(new StringBuilder(), Map.of(), names);
        return names;
    }

    /** What stands before the first reference, as it is expanded; all of it, if there is none. */
    public String literalStart() {
        var names = variables();
        if (names.isEmpty()) {
            return expand(Map.of());
        }
        // No text of a manifest holds U+0000, so it marks the first reference.
        var marked = expand(Map.of(names.iterator().next(), "\0"));
        return marked.substring(0, marked.indexOf('\0'));
    }

    /**
     * Expands, and leaves out each component that is nothing but variables without a value: {@code a/$(DIR)/b} with an empty DIR
     * is {@code a/b}, since nobody means {@code a//b}.
     */
    String expandPath(Map<String, String> variables) {
        var kept = new StringBuilder();
        for (var component : text.split("(?<=/)")) {
            boolean slash = component.endsWith("/");
            var inner = slash ? component.substring(0, component.length() - 1) : component;
            if (inner.isEmpty() || !new Template(inner).expand(variables).isEmpty()) {
                kept.append(component);
            }
        }
        return new Template(kept.toString()).expand(variables);
    }

    /** Whether a {@code $(} is never closed; it stays as it is. */
    boolean isUnclosed() {
        int open = text.replace("$$", "").lastIndexOf("$(");
        return open >= 0 && text.replace("$$", "").indexOf(')', open) < 0;
    }

    private void walk(StringBuilder out, Map<String, String> variables, Set<String> names) {
        int i = 0;
        while (i < text.length()) {
            char c = text.charAt(i);
            if (c == '$' && i + 1 < text.length()) {
                char next = text.charAt(i + 1);
                if (next == '$') {
                    out.append('$');
                    i += 2;
                    continue;
                }
                int end = next == '(' ? text.indexOf(')', i + 2) : -1;
                if (end > 0) {
                    var name = text.substring(i + 2, end);
                    names.add(name);
                    var value = variables.get(name);
                    out.append(value == null ? text.substring(i, end + 1) : value);
                    i = end + 1;
                    continue;
                }
            }
            out.append(c);
            i++;
        }
    }

    @Override
    public String toString() {
        return text;
    }
}
