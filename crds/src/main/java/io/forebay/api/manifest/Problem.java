package io.forebay.api.manifest;

/**
 * One fault of a manifest.
 *
 * @param field path as the API server writes it, {@code spec.steps[0].name}; empty: the text as a whole
 * @param value what is there, shortened; empty: nothing is there
 * @param message what is wrong and what to do
 * @param line of the text, from 1; 0: not known
 */
public record Problem(String field, String value, String message, int line) {
    /** Longest value kept, in characters. */
    private static final int MAX_VALUE = 200;

    public Problem {
        if (value.length() > MAX_VALUE) {
            value = value.substring(0, MAX_VALUE) + "...";
        }
    }

    public Problem(String field, String value, String message) {
        this(field, value, message, 0);
    }

    /** {@code field: message} */
    @Override
    public String toString() {
        return field.isEmpty() ? message : field + ": " + message;
    }
}
