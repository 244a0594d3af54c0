package io.forebay.api.value;

/** Placeholder until the glob language is written: matches by equality. */
public record Glob(String pattern) {
    public boolean matches(String key) {
        return pattern.equals(key);
    }
}
